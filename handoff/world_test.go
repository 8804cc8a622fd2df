package handoff_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
	"github.com/testigo/testigo/storetest/memstore"
)

// world is one store with a clock and a table of dead processes that the test moves.
type world struct {
	t     *testing.T
	ctx   context.Context
	now   time.Time
	dead  map[int]bool
	store testigo.Store
	mem   *memory.Service
	svc   *handoff.Service
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, ctx: context.Background(), now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), dead: map[int]bool{}}
	clock := func() time.Time { return w.now }
	w.store = memstore.New(memstore.Options{Clock: clock})
	w.mem = memory.New(w.store).WithClock(clock)
	w.svc = handoff.New(w.mem).WithLiveness(func(p testigo.Process) (bool, bool) { return !w.dead[p.PID], p.Known() })
	return w
}

// agent makes a known agent with a session of its own.
func (w *world) agent(name, session string) memory.Caller {
	w.t.Helper()
	c := memory.Caller{Agent: name, Session: session, Seen: &memory.Seen{}}
	if err := w.mem.Register(w.ctx, c); err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) remember(c memory.Caller, name, value string) memory.RememberResult {
	w.t.Helper()
	res, err := w.mem.Remember(w.ctx, c, memory.RememberParams{Key: name, Value: json.RawMessage(value)})
	if err != nil {
		w.t.Fatal(err)
	}
	return res
}

func (w *world) handoff(c memory.Caller, p handoff.Params) handoff.Result {
	w.t.Helper()
	if p.Title == "" {
		p.Title = "a title"
	}
	if p.Summary == "" {
		p.Summary = "a summary"
	}
	res, err := w.svc.Handoff(w.ctx, c, p)
	if err != nil {
		w.t.Fatalf("handoff: %v", err)
	}
	return res
}

func (w *world) resume(c memory.Caller, p handoff.ResumeParams) handoff.ResumeResult {
	w.t.Helper()
	res, err := w.svc.Resume(w.ctx, c, p)
	if err != nil {
		w.t.Fatalf("resume: %v", err)
	}
	return res
}

func wantCode(t *testing.T, err error, code testigo.Code, field string) *testigo.Error {
	t.Helper()
	if testigo.CodeOf(err) != code {
		t.Fatalf("got %v (%s), want %s", err, testigo.CodeOf(err), code)
	}
	e := testigo.AsError(err)
	if field != "" && e.Field != field {
		t.Fatalf("error blames %q, want %q: %v", e.Field, field, err)
	}
	return e
}

func refs(t *testing.T, names ...string) []testigo.Ref {
	t.Helper()
	out := []testigo.Ref{}
	for _, n := range names {
		r, err := testigo.ParseRef(n)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}
