package handoff_test

import (
	"strings"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
)

// S18, M31: work is accepted and returned once, by its assignee, and the return goes to the sender.
func TestWorkLifeS18(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b, spy := w.agent("scout", "s1"), w.agent("worker", "s2"), w.agent("spy", "s3")
	m := w.send(a, handoff.SendParams{To: "worker", Title: "measure it", DueMinutes: 60})
	if !m.Work || m.DueAt == nil {
		t.Fatalf("%+v", m)
	}
	_, err := w.svc.AcceptWork(w.ctx, spy, handoff.AcceptParams{ID: m.MessageID})
	wantCode(t, err, testigo.CodeNotFound, "id")
	_, err = w.svc.AcceptWork(w.ctx, a, handoff.AcceptParams{ID: m.MessageID})
	wantCode(t, err, testigo.CodeForbidden, "")
	acc, err := w.svc.AcceptWork(w.ctx, b, handoff.AcceptParams{ID: m.MessageID})
	if err != nil || acc.Claim != m.MessageID+"#1" || acc.AlreadyDone {
		t.Fatalf("%+v %v", acc, err)
	}
	again, err := w.svc.AcceptWork(w.ctx, b, handoff.AcceptParams{ID: m.MessageID})
	if err != nil || !again.AlreadyDone || again.Claim != acc.Claim {
		t.Errorf("%+v %v", again, err)
	}
	_, err = w.svc.ReturnWork(w.ctx, b, handoff.ReturnParams{ID: m.MessageID, Summary: " "})
	wantCode(t, err, testigo.CodeInvalid, "summary")
	exit := 0
	ret, err := w.svc.ReturnWork(w.ctx, b, handoff.ReturnParams{ID: m.MessageID, Summary: "it is 42\nmeasured twice", Evidence: "run 7",
		Claims: []testigo.ReturnClaim{{Claim: "tests pass", How: "command", Ref: "make check", ExitCode: &exit}, {Claim: "it is fast"}}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.svc.ReturnWork(w.ctx, b, handoff.ReturnParams{ID: m.MessageID, Summary: "again"})
	wantCode(t, err, testigo.CodeConflict, "")
	late, err := w.svc.AcceptWork(w.ctx, b, handoff.AcceptParams{ID: m.MessageID})
	if err != nil || !late.AlreadyDone {
		t.Errorf("a late accept is a friendly no-op: %+v %v", late, err)
	}
	got := w.read(a, ret.ReturnMessageID)
	for _, part := range []string{"it is 42\nmeasured twice", "Evidence: run 7", `tests pass (reported from "make check", exit 0)`, "it is fast (stated, unchecked)"} {
		if !strings.Contains(got.Body, part) { // M10: what is only stated says so
			t.Errorf("the return does not say %q:\n%s", part, got.Body)
		}
	}
	if got.Kind != "return" || got.ReturnFor != m.MessageID || !strings.Contains(got.NextStep, "close_work "+m.MessageID) {
		t.Errorf("%+v", got)
	}
}

// S19, M33: the sender alone closes, once, and after that nothing is returned.
func TestCloseS19(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s1"), w.agent("worker", "s2")
	m := w.send(a, handoff.SendParams{To: "worker", Title: "measure it"})
	if _, err := w.svc.AcceptWork(w.ctx, b, handoff.AcceptParams{ID: m.MessageID}); err != nil {
		t.Fatal(err)
	}
	_, err := w.svc.CloseWork(w.ctx, b, handoff.CloseParams{ID: m.MessageID, Outcome: testigo.CloseAccepted})
	wantCode(t, err, testigo.CodeForbidden, "")
	_, err = w.svc.CloseWork(w.ctx, a, handoff.CloseParams{ID: m.MessageID, Outcome: "great"})
	wantCode(t, err, testigo.CodeInvalid, "outcome")
	_, err = w.svc.CloseWork(w.ctx, a, handoff.CloseParams{ID: m.MessageID, Outcome: testigo.CloseRevision, Note: "more"})
	wantCode(t, err, testigo.CodeRefused, "")
	res, err := w.svc.CloseWork(w.ctx, a, handoff.CloseParams{ID: m.MessageID, Outcome: testigo.CloseBlocked, Note: "no longer needed"})
	if err != nil || len(res.Notes) != 1 {
		t.Fatalf("%+v %v", res, err)
	}
	_, err = w.svc.CloseWork(w.ctx, a, handoff.CloseParams{ID: m.MessageID, Outcome: testigo.CloseAccepted})
	wantCode(t, err, testigo.CodeConflict, "")
	_, err = w.svc.ReturnWork(w.ctx, b, handoff.ReturnParams{ID: m.MessageID, Summary: "done anyway"})
	wantCode(t, err, testigo.CodeGone, "")
	in := w.inbox(b, handoff.InboxParams{})
	if len(in.Messages) != 1 || in.Messages[0].From != handoff.ServiceDelivery || in.Messages[0].Kind != "notification" {
		t.Errorf("the holder is told once: %+v", in.Messages)
	}
}

// M32: a revision closes the work and opens the next round in the same thread, with the same pins and span.
func TestRevisionM32(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s1"), w.agent("worker", "s2")
	w.remember(a, "x/f", `1`)
	m := w.send(a, handoff.SendParams{To: "worker", Title: "measure it", DueMinutes: 60, Refs: refs(t, "x/f")})
	w.now = w.now.Add(30 * time.Minute)
	ret, err := w.svc.ReturnWork(w.ctx, b, handoff.ReturnParams{ID: m.MessageID, Summary: "41"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.svc.CloseWork(w.ctx, a, handoff.CloseParams{ID: ret.ReturnMessageID, Outcome: testigo.CloseRevision})
	wantCode(t, err, testigo.CodeInvalid, "note")
	res, err := w.svc.CloseWork(w.ctx, a, handoff.CloseParams{ID: ret.ReturnMessageID, Outcome: testigo.CloseRevision, Note: "measure again"})
	if err != nil || res.MessageID != m.MessageID || res.Successor == "" {
		t.Fatalf("%+v %v", res, err)
	}
	next := w.read(b, res.Successor)
	if next.Title != "measure it" || next.Body != "measure again" || next.Work.Round != 1 || next.Thread != m.MessageID || len(next.Pins) != 1 {
		t.Errorf("%+v", next)
	}
	if want := w.now.Add(time.Hour); !next.Work.DueAt.Equal(want) {
		t.Errorf("due %v, want %v", next.Work.DueAt, want)
	}
	if in := w.inbox(a, handoff.InboxParams{}); in.Unread != 0 {
		t.Errorf("deciding about a return reads it: %+v", in)
	}
	old := w.read(a, m.MessageID)
	if old.Work.State != "closed" || old.Work.Closure.Successor != res.Successor {
		t.Errorf("%+v", old.Work)
	}
}

// M34, M35: a plain message is no work, and a return is not the work.
func TestNotWorkM34M35(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s1"), w.agent("worker", "s2")
	m := w.send(a, handoff.SendParams{To: "worker"})
	_, err := w.svc.AcceptWork(w.ctx, b, handoff.AcceptParams{ID: m.MessageID})
	wantCode(t, err, testigo.CodeRefused, "")
	_, err = w.svc.CloseWork(w.ctx, a, handoff.CloseParams{ID: m.MessageID, Outcome: testigo.CloseAccepted})
	wantCode(t, err, testigo.CodeRefused, "")
	work := w.send(a, handoff.SendParams{To: "worker", Title: "t"})
	ret, err := w.svc.ReturnWork(w.ctx, b, handoff.ReturnParams{ID: work.MessageID, Summary: "s", Blocked: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.svc.ReturnWork(w.ctx, b, handoff.ReturnParams{ID: ret.ReturnMessageID, Summary: "s"})
	wantCode(t, err, testigo.CodeRefused, "")
}

// I05: a worker that was replaced cannot return over its successor; the claim's name is enough to act for it.
func TestReturnIsFencedI05(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout", "s1")
	old, next := w.agent("worker", "s2"), w.agent("worker", "s3")
	old.Process = testigo.Process{PID: 7, Started: "x", Boot: "b"}
	m := w.send(a, handoff.SendParams{To: "worker", Title: "t"})
	if _, err := w.svc.AcceptWork(w.ctx, old, handoff.AcceptParams{ID: m.MessageID}); err != nil {
		t.Fatal(err)
	}
	_, err := w.svc.AcceptWork(w.ctx, next, handoff.AcceptParams{ID: m.MessageID})
	wantCode(t, err, testigo.CodeGone, "")
	w.dead[7] = true
	if acc, err := w.svc.AcceptWork(w.ctx, next, handoff.AcceptParams{ID: m.MessageID}); err != nil || acc.Claim != m.MessageID+"#2" {
		t.Fatalf("%+v %v", acc, err)
	}
	_, err = w.svc.ReturnWork(w.ctx, old, handoff.ReturnParams{ID: m.MessageID + "#1", Summary: "s"})
	wantCode(t, err, testigo.CodeGone, "")
	turn := memory.Caller{Agent: "worker", Session: "another"}
	if _, err := w.svc.ReturnWork(w.ctx, turn, handoff.ReturnParams{ID: m.MessageID + "#2", Summary: "s"}); err != nil {
		t.Errorf("the claim by name: %v", err)
	}
}

// S21, M38: what is past its due time says so until it is returned.
func TestOverdueS21(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s1"), w.agent("worker", "s2")
	m := w.send(a, handoff.SendParams{To: "worker", Title: "t", DueMinutes: 10})
	w.now = w.now.Add(10*time.Minute - time.Millisecond)
	if st, err := w.svc.Status(w.ctx, b, handoff.StatusParams{}); err != nil || len(st.Mine) != 1 || st.Mine[0].Work.Overdue {
		t.Errorf("%+v %v", st, err)
	}
	w.now = w.now.Add(time.Millisecond)
	if st, err := w.svc.Status(w.ctx, a, handoff.StatusParams{}); err != nil || len(st.Orders) != 1 || !st.Orders[0].Work.Overdue {
		t.Errorf("%+v %v", st, err)
	}
	if _, err := w.svc.ReturnWork(w.ctx, b, handoff.ReturnParams{ID: m.MessageID, Summary: "late"}); err != nil {
		t.Fatal(err)
	}
	if st, err := w.svc.Status(w.ctx, a, handoff.StatusParams{ID: m.MessageID}); err != nil || st.Message.Work.Overdue || st.Message.Receipt != testigo.StageReturned {
		t.Errorf("%+v %v", st, err)
	}
}

// What its sender takes back is not picked up, and whoever held it is told once.
func TestWithdraw(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s1"), w.agent("worker", "s2")
	h := w.handoff(a, handoff.Params{ToAgent: "worker"})
	_, err := w.svc.Withdraw(w.ctx, b, handoff.WithdrawParams{ID: h.ID})
	wantCode(t, err, testigo.CodeForbidden, "")
	w.resume(b, handoff.ResumeParams{})
	res, err := w.svc.Withdraw(w.ctx, a, handoff.WithdrawParams{ID: h.ID})
	if err != nil || res.HeldBy != "worker" {
		t.Fatalf("%+v %v", res, err)
	}
	_, err = w.svc.Withdraw(w.ctx, a, handoff.WithdrawParams{ID: h.ID})
	wantCode(t, err, testigo.CodeGone, "")
	if in := w.inbox(b, handoff.InboxParams{}); len(in.Messages) != 1 || !strings.Contains(in.Messages[0].Preview, "withdrawn by scout") {
		t.Errorf("%+v", in)
	}
	if res := w.resume(w.agent("worker", "s3"), handoff.ResumeParams{}); res.Packet != nil {
		t.Errorf("%+v", res)
	}
	m := w.send(a, handoff.SendParams{To: "worker"})
	if _, err := w.svc.Withdraw(w.ctx, memory.Caller{Agent: "person:keeper"}, handoff.WithdrawParams{ID: m.MessageID}); err != nil {
		t.Errorf("a person may withdraw for anybody: %v", err)
	}
}

// Work says which of its pins moved on, when it is read and when it is accepted.
func TestWorkTellsStalePins(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s1"), w.agent("worker", "s2")
	w.remember(a, "x/f", `1`)
	m := w.send(a, handoff.SendParams{To: "worker", Title: "t", Refs: refs(t, "x/f")})
	w.remember(a, "x/f", `2`)
	if got := w.read(b, m.MessageID); got.StalePins != 1 || got.Pins[0].CurrentVersion != 2 || got.Pins[0].ChangedBy != "scout" {
		t.Errorf("%+v", got.Pins)
	}
	acc, err := w.svc.AcceptWork(w.ctx, b, handoff.AcceptParams{ID: m.MessageID})
	if err != nil || len(acc.Stale) != 1 || !strings.Contains(acc.Note, "1 of them stale") {
		t.Errorf("%+v %v", acc, err)
	}
}

// A rule between two agents holds for packets and revisions too, and only a person changes it.
func TestRulesHoldEverywhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s1"), w.agent("worker", "s2")
	work := w.send(a, handoff.SendParams{To: "worker", Title: "t"})
	if _, err := w.svc.ReturnWork(w.ctx, b, handoff.ReturnParams{ID: work.MessageID, Summary: "s"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.svc.Allow(w.ctx, memory.Caller{Agent: "person:keeper"}, "scout", "worker", false); err != nil {
		t.Fatal(err)
	}
	_, err := w.svc.Handoff(w.ctx, a, handoff.Params{Title: "t", Summary: "s", ToAgent: "worker"})
	wantCode(t, err, testigo.CodeForbidden, "")
	_, err = w.svc.CloseWork(w.ctx, a, handoff.CloseParams{ID: work.MessageID, Outcome: testigo.CloseRevision, Note: "again"})
	wantCode(t, err, testigo.CodeForbidden, "")
	_, err = w.svc.Allow(w.ctx, a, "scout", "worker", true)
	wantCode(t, err, testigo.CodeForbidden, "")
	if err := w.svc.SetConnections(w.ctx, b, "open"); testigo.CodeOf(err) != testigo.CodeForbidden {
		t.Errorf("%v", err)
	}
}

// What a dead worker held is shown as waiting, as resume would give it.
func TestPeekShowsWhatIsFree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, old, next := w.agent("scout", "s1"), w.agent("worker", "s2"), w.agent("worker", "s3")
	old.Process = testigo.Process{PID: 7, Started: "x", Boot: "b"}
	m := w.send(a, handoff.SendParams{To: "worker", Title: "t"})
	if _, err := w.svc.AcceptWork(w.ctx, old, handoff.AcceptParams{ID: m.MessageID}); err != nil {
		t.Fatal(err)
	}
	if res := w.resume(next, handoff.ResumeParams{Peek: true}); len(res.Queue) != 0 {
		t.Errorf("%+v", res.Queue)
	}
	w.dead[7] = true
	if res := w.resume(next, handoff.ResumeParams{Peek: true}); len(res.Queue) != 1 {
		t.Errorf("%+v", res)
	}
	if res := w.resume(next, handoff.ResumeParams{}); res.Packet == nil || res.Claim != m.MessageID+"#2" {
		t.Errorf("%+v", res)
	}
}

// A claim nobody holds is told as that, whatever number it is given.
func TestReturnUnderAWrongClaim(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s1"), w.agent("worker", "s2")
	m := w.send(a, handoff.SendParams{To: "worker", Title: "t"})
	_, err := w.svc.ReturnWork(w.ctx, b, handoff.ReturnParams{ID: m.MessageID + "#7", Summary: "s"})
	if e := wantCode(t, err, testigo.CodeRefused, ""); !strings.Contains(e.Msg, "not claimed") {
		t.Errorf("%v", e)
	}
	_, err = w.svc.ReturnWork(w.ctx, b, handoff.ReturnParams{ID: m.MessageID, Summary: "s", Claims: []testigo.ReturnClaim{{Claim: "c", How: "hash", Ref: "zz"}}})
	wantCode(t, err, testigo.CodeInvalid, "claims[0].ref")
	if _, err := w.svc.CloseWork(w.ctx, a, handoff.CloseParams{ID: m.MessageID, Outcome: testigo.CloseBlocked}); err != nil {
		t.Fatal(err)
	}
	_, err = w.svc.AcceptWork(w.ctx, b, handoff.AcceptParams{ID: m.MessageID})
	wantCode(t, err, testigo.CodeGone, "")
}
