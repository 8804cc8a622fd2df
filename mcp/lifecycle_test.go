package mcp

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/storetest/memstore"
)

// K01: the end of input ends the server within two seconds, wherever it falls, and is no error.
func TestK01EndOfInputEndsIt(t *testing.T) {
	t.Parallel()
	for name, input := range map[string]string{
		"nothing at all":          "",
		"in the middle of a line": `{"jsonrpc":"2.0","id":1,"meth`,
		"after a line":            `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n",
		"blank lines":             "\n\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			var out strings.Builder
			err := Serve(t.Context(), Options{In: strings.NewReader(input), Out: &out, Agent: "scout", Open: openMemory})
			if err != nil {
				t.Error(err)
			}
			if d := time.Since(began); d > 2*time.Second {
				t.Errorf("it took %v", d)
			}
		})
	}
}

func openMemory(context.Context) (testigo.Store, error) { return memstore.New(memstore.Options{}), nil }

// K01: a last line without a line end is answered before the end.
func TestK01LastLineNeedsNoEnd(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	in := modern(1, "tools/call", `"name":"remember","arguments":{"scope":"a","key":"b","value":1}`) + "\r\n" +
		modern(2, "tools/call", `"name":"memory_stats"`)
	if err := Serve(t.Context(), Options{In: strings.NewReader(in), Out: &out, Agent: "scout", Open: openMemory}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{`"id":1,"result"`, `"id":2,"result"`} {
		if !strings.Contains(out.String(), id) {
			t.Errorf("no %s in %s", id, out.String())
		}
	}
}

// K01: a call that does not listen to its context cannot hold the server.
func TestK01DeafCallDoesNotHoldIt(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	defer close(release)
	entered := make(chan struct{}, 1)
	p := start(t, memstore.New(memstore.Options{}), nil, func(o *Options) {
		o.Open = func(context.Context) (testigo.Store, error) {
			return deafStore{memstore.New(memstore.Options{}), release, entered}, nil
		}
	})
	p.greet()
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall","arguments":{"query":"x"}}}`)
	<-entered
	began := time.Now()
	p.end()
	if d := time.Since(began); d > 2*time.Second {
		t.Errorf("it took %v", d)
	}
}

// deafStore never answers a read.
type deafStore struct {
	testigo.Store
	release chan struct{}
	entered chan struct{}
}

func (s deafStore) Read(context.Context, func(testigo.Reader) error) error {
	s.entered <- struct{}{}
	<-s.release
	return nil
}

// T04: a parent that died ends the server though the pipe is still open. The command passes proc.WatchParent's channel.
func TestT04ParentWatchEndsIt(t *testing.T) {
	t.Parallel()
	dead := make(chan struct{})
	p := fresh(t, func(o *Options) { o.ParentDead = dead })
	close(dead)
	p.ended()
}

func TestContextEndsIt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	in, w := io.Pipe()
	defer w.Close()
	done := make(chan error)
	go func() { done <- Serve(ctx, Options{In: in, Out: io.Discard, Agent: "scout", Open: openMemory}) }()
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Fatal("it did not end")
	}
}

// K10: the handshake and the list of tools do not wait for the store; the first call of a tool does.
func TestK10ListComesBeforeTheStore(t *testing.T) {
	t.Parallel()
	opening := make(chan struct{})
	began := time.Now()
	p := start(t, memstore.New(memstore.Options{}), nil, func(o *Options) {
		open := o.Open
		o.Open = func(ctx context.Context) (testigo.Store, error) {
			<-opening
			return open(ctx)
		}
	})
	p.greet()
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if l := p.receive(); !strings.Contains(l, `"name":"resume"`) {
		t.Fatal(l)
	}
	d := time.Since(began)
	t.Logf("start to first tools/list: %v", d)
	if d > 300*time.Millisecond {
		t.Errorf("it took %v", d)
	}
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_stats"}}`)
	close(opening)
	if r := p.result(); r.IsError {
		t.Error(r.Text)
	}
	p.end()
}

// A store that cannot be opened is a tool error with its code and a next step, and is tried again at the next call.
func TestOpeningIsTriedAgain(t *testing.T) {
	t.Parallel()
	tries := 0
	p := start(t, memstore.New(memstore.Options{}), nil, func(o *Options) {
		open := o.Open
		o.Open = func(ctx context.Context) (testigo.Store, error) {
			if tries++; tries < 3 {
				return nil, testigo.Errorf(testigo.CodeUnreachable, "the store is on a network file system").WithNext("testigo doctor")
			}
			return open(ctx)
		}
	})
	p.greet()
	var r reply
	for range 3 {
		if r = p.call("memory_stats", `{}`); !r.IsError {
			break
		}
		if r.Error.Code != testigo.CodeUnreachable || r.Error.Next == "" {
			t.Errorf("got %+v", r.Error)
		}
	}
	if r.IsError {
		t.Error("it never opened")
	}
	p.end()
}

// What a session read is stored when it ends, so that the next one can hand it over.
func TestEndStoresWhatWasSeen(t *testing.T) {
	t.Parallel()
	p := fresh(t, env("CLAUDE_CODE_SESSION_ID", "morning"))
	p.fill(1, func(int) string { return `1` })
	p.ok("recall", `{"scope":"stock","key":"item-000"}`)
	p.end()
	err := p.store.Read(t.Context(), func(r testigo.Reader) error {
		got, err := r.Touched(t.Context(), "scout", "morning", 10)
		if err == nil && len(got) != 1 {
			t.Errorf("touched %v", got)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// An agent that came and went before the store was open is known all the same: the end waits for the opening.
func TestEndWaitsForTheOpening(t *testing.T) {
	t.Parallel()
	store := memstore.New(memstore.Options{})
	ended := make(chan struct{})
	in := &lastRead{in: strings.NewReader(""), ended: ended}
	err := Serve(t.Context(), Options{In: in, Out: io.Discard, Agent: "passer-by", Open: func(context.Context) (testigo.Store, error) {
		<-ended // the store is late: the input has ended by now
		return store.Again(), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	err = store.Read(t.Context(), func(r testigo.Reader) error {
		_, err := r.Agent(t.Context(), "passer-by")
		return err
	})
	if err != nil {
		t.Errorf("it is not known: %v", err)
	}
}

// lastRead tells when its input has ended.
type lastRead struct {
	in    io.Reader
	ended chan struct{}
}

func (r *lastRead) Read(b []byte) (int, error) {
	n, err := r.in.Read(b)
	if err != nil {
		close(r.ended)
	}
	return n, err
}

// The end waits for an opening as long as for a last write, and no longer.
func TestEndDoesNotWaitForever(t *testing.T) {
	t.Parallel()
	stuck := make(chan struct{})
	defer close(stuck)
	began := time.Now()
	err := Serve(t.Context(), Options{In: strings.NewReader(""), Out: io.Discard, Agent: "scout", Open: func(ctx context.Context) (testigo.Store, error) {
		<-stuck
		return nil, ctx.Err()
	}})
	if err != nil {
		t.Error(err)
	}
	if d := time.Since(began); d > 2*time.Second {
		t.Errorf("it took %v", d)
	}
}

func TestServeRefusesBadOptions(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{Agent: ""}, {Agent: "a b"}, {Agent: "scout", Toolsets: []string{"everything"}}} {
		o.In, o.Out, o.Open = strings.NewReader(""), io.Discard, openMemory
		if err := Serve(t.Context(), o); testigo.CodeOf(err) != testigo.CodeInvalid {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// modern is a request of the 2026-07-28 era, which says everything about itself.
func modern(id any, method, params string) string {
	if params != "" {
		params = "," + params
	}
	b, err := json.Marshal(id)
	if err != nil {
		panic(err)
	}
	return `{"jsonrpc":"2.0","id":` + string(b) + `,"method":"` + method + `","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"peer","version":"0"}}` + params + `}}`
}
