package mcp

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/storetest/memstore"
)

type written struct {
	ID, Name           string
	Version            int
	Repeated           bool
	Fact               struct{ Author, Session string }
	AlreadyYours       bool   `json:"already_yours"`
	Claim              string `json:"claim"`
	Packet             struct{ ID string }
	Pins               []struct{ Name string }
	UnchangedOrWritten bool `json:"unchanged"`
}

// T03: a host that lost an answer sends the call again with its own id of it; the same answer comes back and nothing
// happens twice. D17: the same key with other content is a conflict.
func TestT03RetryWithTheHostsID(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"claudecode/toolUseId", "callId"} {
		p := fresh(t)
		meta := `{"` + key + `":"toolu_1"}`
		first := into[written](p, p.ok("remember", `{"scope":"a","key":"b","value":1,"confidence":0.5}`, meta))
		p.ok("remember", `{"scope":"a","key":"b","value":2}`, `{"`+key+`":"toolu_2"}`)
		again := into[written](p, p.ok("remember", `{"scope":"a","key":"b","value":1,"confidence":0.5}`, meta))
		if !again.Repeated || again.Version != first.Version {
			t.Errorf("%+v", again)
		}
		h := into[written](p, p.ok("handoff", `{"title":"t","summary":"s","allow_repeat":true}`, `{"`+key+`":"toolu_3"}`))
		h2 := into[written](p, p.ok("handoff", `{"title":"t","summary":"s","allow_repeat":true}`, `{"`+key+`":"toolu_3"}`))
		if h.ID != h2.ID || !h2.Repeated {
			t.Errorf("%s and %s", h.ID, h2.ID)
		}
		p.refused(testigo.CodeConflict, "remember", `{"scope":"a","key":"b","value":9}`, meta)
	}
}

// D17: a key of the caller's own comes before the host's id of the call.
func TestD17RequestKey(t *testing.T) {
	t.Parallel()
	p := fresh(t)
	const call = `{"title":"t","summary":"s","request_key":"mine","allow_repeat":true}`
	a := into[written](p, p.ok("handoff", call, `{"callId":"1"}`))
	b := into[written](p, p.ok("handoff", call, `{"callId":"2"}`))
	if a.ID != b.ID || !b.Repeated {
		t.Errorf("%+v and %+v", a, b)
	}
	before := p.print()
	p.refused(testigo.CodeConflict, "handoff", `{"title":"other","summary":"s","request_key":"mine"}`)
	if p.print() != before {
		t.Error("something was written")
	}
}

// The session is the host's where it tells, in the environment or with the call; odd hints are not believed.
func TestSessionHints(t *testing.T) {
	t.Parallel()
	p := fresh(t, env("CLAUDE_CODE_SESSION_ID", "of-claude"))
	for i, c := range []struct{ meta, want string }{
		{`{}`, "of-claude"},
		{`{"threadId":"of-codex"}`, "of-codex"},
		{`{"sessionId":"s1"}`, "s1"},
		{`{"threadId":""}`, "of-claude"},
		{`{"threadId":7}`, "of-claude"},
		{`{"threadId":"a\nb"}`, "of-claude"},
		{`{"threadId":"` + strings.Repeat("x", 300) + `"}`, "of-claude"},
	} {
		args := fmt.Sprintf(`{"scope":"a","key":"k%d"`, i)
		p.ok("remember", args+`,"value":1}`, c.meta)
		got := into[written](p, p.ok("recall", args+`}`, c.meta))
		if got.Fact.Session != c.want || got.Fact.Author != "scout" {
			t.Errorf("%s: got %+v", c.meta, got.Fact)
		}
	}
	q := start(t, p.store, p.clock)
	q.greet()
	q.ok("remember", `{"scope":"a","key":"own","value":1}`)
	if got := into[written](q, q.ok("recall", `{"scope":"a","key":"own"}`)); !strings.HasPrefix(got.Fact.Session, "mcp-") {
		t.Errorf("a session of its own is named %q", got.Fact.Session)
	}
}

func TestSessionsAreBounded(t *testing.T) {
	t.Parallel()
	ss := newSessions(func(string) string { return "" })
	for i := range 2 * maxSessions {
		ss.of(map[string]any{"threadId": fmt.Sprint(i)})
	}
	if n := len(ss.all()); n != maxSessions+1 {
		t.Errorf("%d sessions", n)
	}
}

// What two threads of one host have seen is kept apart.
func TestThreadsSeeForThemselves(t *testing.T) {
	t.Parallel()
	p := fresh(t)
	p.ok("remember", `{"scope":"a","key":"one","value":1}`, `{"threadId":"t1"}`)
	p.ok("remember", `{"scope":"a","key":"two","value":1}`, `{"threadId":"t2"}`)
	h := into[written](p, p.ok("handoff", `{"title":"t","summary":"s"}`, `{"threadId":"t2"}`))
	if len(h.Pins) != 1 || h.Pins[0].Name != "a/two" {
		t.Errorf("pins %v", h.Pins)
	}
}

// A session that holds a packet keeps it by working: its other calls renew the claim, at most every five minutes.
func TestWorkingRenewsTheClaim(t *testing.T) {
	t.Parallel()
	p := fresh(t)
	p.ok("handoff", `{"title":"t","summary":"s"}`)
	q := start(t, p.store, p.clock, as("executor"))
	q.greet()
	got := into[written](q, q.ok("resume", `{}`))
	renewed := func() time.Time {
		var at time.Time
		err := p.store.Read(t.Context(), func(r testigo.Reader) error {
			h, err := r.Handoff(t.Context(), got.Packet.ID)
			at = h.Claim.RenewedAt
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	q.ok("recall", `{}`)
	first := renewed()
	p.clock.Advance(4 * time.Minute)
	q.ok("recall", `{}`)
	if !renewed().Equal(first) {
		t.Error("it was renewed after four minutes")
	}
	p.clock.Advance(2 * time.Minute)
	q.ok("recall", `{}`)
	if !renewed().After(first) {
		t.Error("it was not renewed after six minutes")
	}
	last := renewed()
	q.ok("resume", `{"put_back":true}`)
	p.clock.Advance(time.Hour)
	q.ok("recall", `{}`)
	if renewed().After(last) {
		t.Error("a claim that was given up was renewed")
	}
}

// Nobody becomes somebody else by an argument, and the refusal says who one is.
func TestIdentityIsFixed(t *testing.T) {
	t.Parallel()
	p := fresh(t)
	for _, name := range identityNames {
		r := p.refused(testigo.CodeInvalid, "remember", `{"scope":"a","key":"b","value":1,"`+name+`":"boss"}`)
		if r.Error.Field != name || !strings.Contains(r.Error.Message, "fixed by the server") || !strings.Contains(r.Error.Message, "scout") {
			t.Errorf("%s: %s", name, r.Text)
		}
	}
}

// panicStore breaks in the middle of a read.
type panicStore struct{ testigo.Store }

func (panicStore) Read(ctx ctx, fn func(testigo.Reader) error) error {
	panic("SELECT secret FROM versions")
}

// failStore fails as a database does.
type failStore struct{ testigo.Store }

func (failStore) Read(ctx ctx, fn func(testigo.Reader) error) error {
	return fmt.Errorf("SQL logic error: no such column: salt (1)\ngoroutine 7 [running]")
}

// T05: a fault of ours is a short typed error with a next step; neither SQL nor a stack reaches the caller, and the
// session lives.
func TestT05InternalFaultsAreQuiet(t *testing.T) {
	t.Parallel()
	for _, broken := range []testigo.Store{panicStore{memstore.New(memstore.Options{})}, failStore{memstore.New(memstore.Options{})}} {
		p := start(t, memstore.New(memstore.Options{}), nil, func(o *Options) {
			o.Open = func(ctx) (testigo.Store, error) { return broken, nil }
		})
		p.greet()
		for _, tool := range []string{"recall", "memory_stats", "resume"} {
			args := `{}`
			if tool == "resume" {
				args = `{"peek":true}`
			}
			r := p.refused(testigo.CodeInternal, tool, args)
			if r.Error.Next == "" || strings.Contains(r.Text, "SELECT") || strings.Contains(r.Text, "SQL") || strings.Contains(r.Text, "goroutine") {
				t.Errorf("%s: %s", tool, r.Text)
			}
		}
		p.send(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"testigo://stats"}}`)
		if got := p.receive(); !strings.Contains(got, `"error"`) || strings.Contains(got, "SELECT") || strings.Contains(got, "SQL") {
			t.Error(got)
		}
		p.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		p.receive()
	}
}
