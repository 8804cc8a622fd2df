package faces_test

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
	"github.com/testigo/testigo/sqlite"
	"github.com/testigo/testigo/workspace"
)

// direct calls the use cases without a face: the measure that the faces are held against.
type direct struct {
	dir     string
	mem     *memory.Service
	uses    map[string]use
	callers map[string]memory.Caller
}

// use is a use case behind the JSON of its parameter struct.
type use func(ctx context.Context, c memory.Caller, raw []byte) (any, error)

func with[P, R any](f func(context.Context, memory.Caller, P) (R, error)) use {
	return func(ctx context.Context, c memory.Caller, raw []byte) (any, error) {
		var p P
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		return f(ctx, c, p)
	}
}

// nothing is the parameter struct of operations without arguments.
type nothing struct{}

func newDirect(t *testing.T, dir string) *direct {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "testigo.db"), sqlite.Options{Create: true, Role: sqlite.Server, Clock: steady()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	mem := memory.New(store)
	hand := handoff.New(mem)
	return &direct{dir: dir, mem: mem, callers: map[string]memory.Caller{}, uses: map[string]use{
		"remember": with(mem.Remember), "recall": with(mem.Recall), "history": with(mem.History), "memory_stats": with(mem.Stats),
		"verify": with(func(ctx context.Context, _ memory.Caller, _ nothing) (memory.Verification, error) {
			return mem.Verify(ctx, nil)
		}),
		"handoff": with(hand.Handoff), "resume": with(hand.Resume), "record_outcome": with(hand.RecordOutcome),
		"send_handoff": with(hand.Send), "inbox": with(hand.Inbox), "read_message": with(hand.ReadMessage),
		"accept_work": with(hand.AcceptWork), "return_work": with(hand.ReturnWork), "close_work": with(hand.CloseWork),
		"handoff_status": with(hand.Status),
		"list_agents": with(func(ctx context.Context, c memory.Caller, _ nothing) (handoff.PeersResult, error) {
			return hand.Peers(ctx, c)
		}),
	}}
}

func (d *direct) arrive(t *testing.T, agent string) {
	t.Helper()
	c := memory.Caller{Agent: agent, Session: sessionOf(agent), Seen: &memory.Seen{}, Dir: func() string { return d.dir },
		Where: workspace.Options{EnvProject: project}}
	if err := d.mem.Register(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	d.callers[agent] = c
}

func (d *direct) call(t *testing.T, agent, op string, a args) answer {
	t.Helper()
	res, err := d.uses[op](t.Context(), d.callers[agent], encoded(t, a))
	if err != nil {
		e := testigo.AsError(err)
		bad := &refusal{Code: e.Code, Message: e.Msg, Field: e.Field, Next: e.Next}
		if e.Data != nil {
			bad.Data = decoded(t, encoded(t, e.Data))
		}
		return answer{bad: bad}
	}
	return answer{value: decoded(t, encoded(t, res))}
}
