package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
	"github.com/testigo/testigo/storetest"
	"github.com/testigo/testigo/storetest/memstore"
)

// patience bounds every wait of a test. It is never waited out unless something is broken.
const patience = 20 * time.Second

// peer is the client's end of a running server.
type peer struct {
	*testing.T
	in    *io.PipeWriter
	lines chan string
	done  chan error
	clock *storetest.Clock
	store *memstore.Store
	id    int
}

// start serves a store to one peer. Each peer is a process of its own in the eyes of the store.
func start(t *testing.T, store *memstore.Store, clock *storetest.Clock, edits ...func(*Options)) *peer {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	o := Options{In: inR, Out: outW, Agent: "scout", Version: "test",
		Open: func(context.Context) (testigo.Store, error) { return store.Again(), nil }}
	if clock != nil {
		o.now = clock.Now
	}
	for _, e := range edits {
		e(&o)
	}
	p := &peer{T: t, in: inW, lines: make(chan string, 1_000), done: make(chan error, 1), clock: clock, store: store}
	go func() {
		sc := bufio.NewScanner(outR)
		sc.Buffer(nil, 64<<20)
		for sc.Scan() {
			p.lines <- sc.Text()
		}
		close(p.lines)
	}()
	go func() {
		p.done <- Serve(t.Context(), o)
		outW.Close()
	}()
	t.Cleanup(func() {
		inW.Close()
		outR.Close()
	})
	return p
}

// fresh is a peer with a store and a clock of its own, past its handshake.
func fresh(t *testing.T, edits ...func(*Options)) *peer {
	t.Helper()
	clock := storetest.NewClock()
	p := start(t, memstore.New(memstore.Options{Clock: clock.Now}), clock, edits...)
	p.greet()
	return p
}

func as(agent string) func(*Options) { return func(o *Options) { o.Agent = agent } }

func env(name, value string) func(*Options) {
	return func(o *Options) {
		o.Env = func(n string) string {
			if n == name {
				return value
			}
			return ""
		}
	}
}

func (p *peer) greet() {
	p.Helper()
	p.send(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"peer","version":"0"}}}`)
	p.receive()
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func (p *peer) send(line string) {
	p.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.Fatalf("sending: %v", err)
	}
}

func (p *peer) receive() string {
	p.Helper()
	select {
	case l, ok := <-p.lines:
		if !ok {
			p.Fatal("the server has ended")
		}
		return l
	case <-time.After(patience):
		p.Fatal("no answer")
	}
	return ""
}

// reply is what came back for one call of a tool.
type reply struct {
	Text       string
	Structured json.RawMessage
	IsError    bool
	Error      problem
}

// call calls a tool with raw arguments and, if given, a raw _meta.
func (p *peer) call(tool, args string, meta ...string) reply {
	p.Helper()
	m := ""
	if len(meta) > 0 {
		m = `,"_meta":` + meta[0]
	}
	p.id++
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`, p.id, tool, args, m))
	return p.result()
}

func (p *peer) result() reply {
	p.Helper()
	line := p.receive()
	var msg struct {
		ID     any
		Result struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
			IsError           bool
		}
		Error *struct{ Message string }
	}
	if err := json.Unmarshal([]byte(line), &msg); err != nil {
		p.Fatalf("%v in %s", err, line)
	}
	if msg.Error != nil || len(msg.Result.Content) != 1 {
		p.Fatalf("not a tool's result: %.500s", line)
	}
	r := reply{Text: msg.Result.Content[0].Text, Structured: msg.Result.StructuredContent, IsError: msg.Result.IsError}
	if r.IsError {
		var e struct{ Error problem }
		if err := json.Unmarshal([]byte(r.Text), &e); err != nil {
			p.Fatalf("an error is JSON, not %s", r.Text)
		}
		r.Error = e.Error
	}
	return r
}

// ok calls a tool that has to succeed.
func (p *peer) ok(tool, args string, meta ...string) reply {
	p.Helper()
	r := p.call(tool, args, meta...)
	if r.IsError {
		p.Fatalf("%s %.300s: %s", tool, args, r.Text)
	}
	return r
}

// refused calls a tool that has to fail with a code.
func (p *peer) refused(code testigo.Code, tool, args string, meta ...string) reply {
	p.Helper()
	r := p.call(tool, args, meta...)
	if !r.IsError || r.Error.Code != code {
		p.Fatalf("%s %.300s: got %.500s, want the error %s", tool, args, r.Text, code)
	}
	return r
}

// into reads an answer's text.
func into[T any](p *peer, r reply) T {
	p.Helper()
	var v T
	if err := json.Unmarshal([]byte(r.Text), &v); err != nil {
		p.Fatalf("%v in %s", err, r.Text)
	}
	return v
}

// end closes the input and waits for a good end.
func (p *peer) end() {
	p.Helper()
	p.in.Close()
	p.ended()
}

func (p *peer) ended() {
	p.Helper()
	select {
	case err := <-p.done:
		if err != nil {
			p.Errorf("it ended with %v", err)
		}
	case <-time.After(patience):
		p.Fatal("it did not end")
	}
}

// alive fails unless the session still answers.
func (p *peer) alive() {
	p.Helper()
	p.ok("memory_stats", `{}`)
}

// print is what a write would change: counts, the log, and every event.
func (p *peer) print() string {
	p.Helper()
	p.ok("memory_stats", `{}`) // the agent is made known before the first call is answered
	var out string
	err := p.store.Read(p.Context(), func(r testigo.Reader) error {
		st, err := r.Stats(p.Context())
		if err != nil {
			return err
		}
		log, err := r.Log(p.Context())
		out = fmt.Sprintf("%+v %d", st, log.Size)
		return err
	})
	if err != nil {
		p.Fatal(err)
	}
	return out
}

// fill writes facts through the use case, as another session of the same agent would.
func (p *peer) fill(n int, value func(i int) string) {
	p.Helper()
	mem := memory.New(p.store)
	for i := range n {
		_, err := mem.Remember(p.Context(), memory.Caller{Agent: "other", Session: "other"}, memory.RememberParams{
			Scope: "stock", Key: fmt.Sprintf("item-%03d", i), Value: json.RawMessage(value(i))})
		if err != nil {
			p.Fatal(err)
		}
	}
}
