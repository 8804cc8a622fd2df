package storetest

import (
	"strings"
	"time"

	"github.com/testigo/testigo"
)

// fullReturn is a return with something in every field.
func fullReturn(at time.Time) *testigo.Return {
	code := 1
	return &testigo.Return{Summary: "half of it\nит 🙂", Blocked: true, Evidence: "see log", By: "executor", At: at, MessageID: "h_answer",
		Claims: []testigo.ReturnClaim{{Claim: "it builds", How: "command", Ref: "go build ./...", ExitCode: &code},
			{Claim: "it is there", How: "hash", Ref: "a b.go@00ff"}, {Claim: "it is good", How: "stated"}}}
}

func fullClosure(at time.Time) *testigo.Closure {
	return &testigo.Closure{Outcome: testigo.CloseRevision, Note: "once more\n\"please\"", By: "scout", At: at.Add(time.Minute), Successor: "h_next"}
}

func work(s suite) {
	s.test("a return and a closure come back as they were given, and none as none", func(f *fixture) {
		now, far := f.clock.Now(), time.FixedZone("far", -5*3600)
		ok := 0
		for _, c := range []struct {
			id  string
			ret *testigo.Return
			end *testigo.Closure
		}{
			{"full", fullReturn(now), fullClosure(now)},
			{"returned", fullReturn(now), nil},
			{"closed", nil, fullClosure(now)},
			{"neither", nil, nil},
			{"empty", &testigo.Return{}, &testigo.Closure{}},
			{"short", &testigo.Return{Summary: "done", By: "executor", At: now.In(far), Claims: []testigo.ReturnClaim{{ExitCode: &ok}}},
				&testigo.Closure{Outcome: testigo.CloseAccepted, By: "scout", At: now.In(far)}},
			{"long", &testigo.Return{Summary: strings.Repeat("ü", testigo.MaxReturnSummary), Evidence: strings.Repeat("e", testigo.MaxEvidenceLen)},
				&testigo.Closure{Note: strings.Repeat("n", testigo.MaxCloseNote)}},
		} {
			h := f.sent(c.id, func(h *testigo.Handoff) { h.Kind, h.Return, h.Closure = testigo.KindWork, c.ret, c.end })
			f.ends("written: "+c.id, c.id, h)
			other := f.sent("moved "+c.id, func(h *testigo.Handoff) { h.Kind = testigo.KindWork })
			other.State, other.Return, other.Closure = testigo.Closed, c.ret, c.end
			f.must(f.move(other, testigo.Open, 0))
			f.ends("moved: "+c.id, other.ID, other)
			other.Return, other.Closure = nil, nil
			f.must(f.move(other, testigo.Closed, 0))
			f.ends("taken back: "+c.id, other.ID, other)
		}
	})

	s.test("times of returns and closures are kept in milliseconds, too", func(f *fixture) {
		at := f.clock.Now().Add(1_999_999)
		h := f.sent("h_1", func(h *testigo.Handoff) { h.Return, h.Closure = &testigo.Return{At: at}, &testigo.Closure{At: at} })
		h.Return, h.Closure = &testigo.Return{At: at.Truncate(time.Millisecond)}, &testigo.Closure{At: at.Truncate(time.Millisecond)}
		equal(f, "the handoff", f.handoff("h_1"), h)
	})

	s.test("what was given and what came back is the caller's own", func(f *fixture) {
		h := f.sent("h_1", func(h *testigo.Handoff) { h.Return, h.Closure = fullReturn(h.CreatedAt), fullClosure(h.CreatedAt) })
		want := h
		want.Return, want.Closure = fullReturn(h.CreatedAt), fullClosure(h.CreatedAt)
		for range 2 {
			h.Return.Claims[0].Claim, *h.Return.Claims[0].ExitCode, h.Return.Summary, h.Closure.Note = "forged", 9, "forged", "forged"
			h = f.handoff("h_1")
			equal(f, "the handoff", h, want)
		}
	})

	s.test("a thread is found by its first, a return by its work", func(f *fixture) {
		edit := func(thread, returnFor, to string) func(*testigo.Handoff) {
			return func(h *testigo.Handoff) { h.Thread, h.ReturnFor, h.To = thread, returnFor, to }
		}
		f.sent("a", edit("a", "", "executor"))
		f.sent("b", edit("a", "a", "scout"))
		f.sent("c", edit("", "", "executor"))
		f.sent("d", edit("A", "", "executor"))
		f.sent("e", edit("a", "A", ""))
		g := f.sent("g", edit("a", "a", "scout"))
		f.seen(g)
		f.selecting([]selection{
			{func(q *testigo.HandoffFilter) { q.Thread = "a" }, "abeg"},
			{func(q *testigo.HandoffFilter) { q.Thread = "A" }, "d"},
			{func(q *testigo.HandoffFilter) { q.Thread = "b" }, ""},
			{func(q *testigo.HandoffFilter) { q.Thread, q.To = "a", "scout" }, "bg"},
			{func(q *testigo.HandoffFilter) { q.Thread, q.To, q.Unaddressed = "a", "executor", true }, "ae"},
			{func(q *testigo.HandoffFilter) { q.Thread, q.Unread = "a", true }, "abe"},
			{func(q *testigo.HandoffFilter) { q.Thread, q.Unaddressed, q.Projects = "a", true, []string{"q"} }, ""},
			{func(q *testigo.HandoffFilter) { q.ReturnFor = "a" }, "bg"},
			{func(q *testigo.HandoffFilter) { q.ReturnFor = "c" }, ""},
			{func(q *testigo.HandoffFilter) { q.ReturnFor, q.To = "A", "scout" }, ""},
			{func(q *testigo.HandoffFilter) { q.ReturnFor, q.Thread = "a", "A" }, ""},
			{func(q *testigo.HandoffFilter) {
				q.ReturnFor, q.Thread, q.States = "a", "a", []testigo.HandoffState{testigo.Open}
			}, "bg"},
		})
	})

	s.test("what is due is found by its time, and what is never due is not", func(f *fixture) {
		start := f.clock.Now()
		due := func(after time.Duration) func(*testigo.Handoff) {
			return func(h *testigo.Handoff) { h.Kind, h.DueAt = testigo.KindWork, start.Add(after) }
		}
		f.sent("a", due(3*time.Minute))
		f.sent("b", due(time.Minute))
		f.sent("c", func(h *testigo.Handoff) { h.DueAt = time.Time{} })
		d := f.sent("d", due(2*time.Minute))
		e := f.sent("e", due(time.Minute))
		f.must(f.move(claimed(d, "executor", 1), testigo.Open, 0))
		e.State = testigo.Closed
		f.must(f.move(e, testigo.Open, 0))
		pending := []testigo.HandoffState{testigo.Open, testigo.Claimed}
		before := func(after time.Duration, states ...testigo.HandoffState) func(*testigo.HandoffFilter) {
			return func(q *testigo.HandoffFilter) { q.DueBefore, q.States = start.Add(after), states }
		}
		f.selecting([]selection{
			{before(time.Hour), "abde"}, {before(time.Hour, pending...), "abd"}, {before(time.Minute, pending...), ""},
			{before(time.Minute+time.Millisecond, pending...), "b"}, {before(3*time.Minute, pending...), "bd"},
			{before(3*time.Minute, testigo.Open), "b"}, {before(2*time.Minute, testigo.Closed), "e"}, {before(-time.Hour), ""},
			{before(time.Minute + time.Millisecond), "be"},
			{func(q *testigo.HandoffFilter) { before(time.Hour, pending...)(q); q.To = "executor" }, "abd"},
			{func(q *testigo.HandoffFilter) { before(time.Hour, pending...)(q); q.To = "scout" }, ""},
			{func(q *testigo.HandoffFilter) { before(time.Hour)(q); q.HolderAgent = "executor" }, "d"},
			{func(q *testigo.HandoffFilter) {
				before(time.Hour)(q)
				q.Kinds = []testigo.HandoffKind{testigo.KindPacket}
			}, ""},
		})
	})
}

// ends compares a handoff, and insists on nil where there is no return or closure.
func (f *fixture) ends(what, id string, want testigo.Handoff) {
	f.Helper()
	got := f.handoff(id)
	equal(f, what, got, want)
	if (got.Return == nil) != (want.Return == nil) || (got.Closure == nil) != (want.Closure == nil) {
		f.Errorf("%s: return %v, closure %v", what, got.Return, got.Closure)
	}
	for _, at := range []time.Time{got.ReadAt, got.AcceptedAt, got.DueAt} {
		if at.Location() != time.UTC {
			f.Errorf("%s: %v is not UTC", what, at)
		}
	}
}
