//go:build unix

package command

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/testigo/testigo"
)

// Servers that lie, stall or never end neither hold the caller nor fill its memory, and prove only what their status line says.
func TestHostileServers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string
		ok     bool
	}{
		"closes at once":      {"", false},
		"no HTTP":             {"hello\r\n\r\n", false},
		"half a header":       {"HTTP/1.1 200 OK\r\nX-A: b", false},
		"endless header":      {"HTTP/1.1 200 OK\r\nX-A: " + strings.Repeat("b", 4<<20), false},
		"bad length":          {"HTTP/1.1 200 OK\r\nContent-Length: -4\r\n\r\n", false},
		"body breaks off":     {"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{", true},
		"bad chunks":          {"HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", true},
		"huge body":           {"HTTP/1.1 200 OK\r\n\r\n" + strings.Repeat("y", 4<<20), true},
		"not JSON":            {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n\xff<x", true},
		"claims to be zipped": {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", true},
		"says nothing":        {"stall", false},
		"stalls in its body":  {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nstall", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			url, count := rawServer(t, c.answer)
			target := b.target(map[string]any{"url": url, "request_timeout": 1.5})
			_, err := b.Start(t.Context(), target, turn("r1"))
			var r *testigo.Refusal
			if c.ok != (err == nil) || errors.As(err, &r) {
				t.Errorf("%v", err)
			}
			_, _ = b.Start(t.Context(), target, turn("r1"))
			if n := count(); n != 1 {
				t.Errorf("%d connections: a post was repeated", n)
			}
		})
	}
}

// rawServer answers every connection with a text, after the request's headers came. "stall" at its end keeps it open.
func rawServer(t *testing.T, answer string) (url string, connections func() int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			n++
			mu.Unlock()
			wg.Go(func() {
				defer c.Close()
				_, _ = c.Read(make([]byte, 64<<10))
				text, stall := strings.CutSuffix(answer, "stall")
				_, _ = io.WriteString(c, text)
				if stall {
					<-done
				}
			})
		}
	})
	t.Cleanup(func() { close(done); l.Close(); wg.Wait() })
	return "http://" + l.Addr().String(), func() int { mu.Lock(); defer mu.Unlock(); return n }
}

// Fault 35: while one endpoint stalls, another agent's turn starts and ends.
func TestFault35OneSlowEndpointStallsNobody(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	url, connections := rawServer(t, "stall")
	slow, quick := b.target(map[string]any{"url": url, "request_timeout": 60}), b.script("exit 0")
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, err := b.Start(ctx, slow, turn("r1"))
		ended <- err
	}()
	await(t, "the post", func() bool { return connections() == 1 })
	in := turn("r2")
	in.Agent = "other"
	began := time.Now()
	b.start(quick, in)
	if o := b.over(quick, "r2"); o.State != testigo.TurnEnded || time.Since(began) > patience {
		t.Errorf("%+v", o)
	}
	cancel()
	var r *testigo.Refusal
	if err := <-ended; err == nil || errors.As(err, &r) {
		t.Error("a cancelled post is unknown, not refused:", err)
	}
}
