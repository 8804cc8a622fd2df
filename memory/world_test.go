package memory_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
	"github.com/testigo/testigo/storetest/memstore"
)

// world is one store with a clock that the test moves, and callers on it.
type world struct {
	t     *testing.T
	ctx   context.Context
	now   time.Time
	store testigo.Store
	svc   *memory.Service
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, ctx: context.Background(), now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return w.now }
	w.store = memstore.New(memstore.Options{Clock: clock})
	w.svc = memory.New(w.store).WithClock(clock)
	return w
}

func (w *world) agent(name string) memory.Caller {
	return memory.Caller{Agent: name, Session: "s-" + name, Seen: &memory.Seen{}}
}

func (w *world) remember(c memory.Caller, name, value string, change ...func(*memory.RememberParams)) memory.RememberResult {
	w.t.Helper()
	p := memory.RememberParams{Key: name, Value: json.RawMessage(value)}
	for _, f := range change {
		f(&p)
	}
	res, err := w.svc.Remember(w.ctx, c, p)
	if err != nil {
		w.t.Fatalf("remember %s: %v", name, err)
	}
	return res
}

func (w *world) recall(c memory.Caller, p memory.RecallParams) memory.RecallResult {
	w.t.Helper()
	res, err := w.svc.Recall(w.ctx, c, p)
	if err != nil {
		w.t.Fatalf("recall %+v: %v", p, err)
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

func ptr[T any](v T) *T { return &v }
