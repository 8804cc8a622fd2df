package handoff_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
)

func (w *world) send(c memory.Caller, p handoff.SendParams) handoff.SendResult {
	w.t.Helper()
	if p.Message == "" {
		p.Message = "a message"
	}
	res, err := w.svc.Send(w.ctx, c, p)
	if err != nil {
		w.t.Fatalf("send: %v", err)
	}
	return res
}

func (w *world) inbox(c memory.Caller, p handoff.InboxParams) handoff.InboxResult {
	w.t.Helper()
	res, err := w.svc.Inbox(w.ctx, c, p)
	if err != nil {
		w.t.Fatalf("inbox: %v", err)
	}
	return res
}

func (w *world) read(c memory.Caller, id string) handoff.ReadResult {
	w.t.Helper()
	res, err := w.svc.ReadMessage(w.ctx, c, handoff.ReadParams{ID: id})
	if err != nil {
		w.t.Fatalf("read: %v", err)
	}
	return res
}

// S12, M21: who and what may be sent.
func TestSendValidationS12(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout", "s1")
	w.agent("worker", "s2")
	for name, tc := range map[string]struct {
		p     handoff.SendParams
		code  testigo.Code
		field string
	}{
		"self":         {handoff.SendParams{To: "scout", Message: "x"}, testigo.CodeRefused, ""},
		"unknown":      {handoff.SendParams{To: "Worker", Message: "x"}, testigo.CodeNotFound, "to"},
		"no one":       {handoff.SendParams{Message: "x"}, testigo.CodeInvalid, "to"},
		"blank":        {handoff.SendParams{To: "worker", Message: " \n"}, testigo.CodeInvalid, "message"},
		"long":         {handoff.SendParams{To: "worker", Message: strings.Repeat("x", 200_001)}, testigo.CodeInvalid, "message"},
		"due no title": {handoff.SendParams{To: "worker", Message: "x", DueMinutes: 5}, testigo.CodeInvalid, "due_minutes"},
		"due short":    {handoff.SendParams{To: "worker", Message: "x", Title: "t", DueMinutes: -1}, testigo.CodeInvalid, "due_minutes"},
		"due long":     {handoff.SendParams{To: "worker", Message: "x", Title: "t", DueMinutes: 43_201}, testigo.CodeInvalid, "due_minutes"},
		"title lines":  {handoff.SendParams{To: "worker", Message: "x", Title: "a\nb"}, testigo.CodeInvalid, "title"},
		"reply":        {handoff.SendParams{To: "worker", Message: "x", ReplyTo: "h_00000000"}, testigo.CodeNotFound, "reply_to"},
		"notify work":  {handoff.SendParams{To: "worker", Message: "x", Title: "t", Notification: true}, testigo.CodeInvalid, "notification"},
		"key":          {handoff.SendParams{To: "worker", Message: "x", Key: "a\nb"}, testigo.CodeInvalid, "key"},
	} {
		_, err := w.svc.Send(w.ctx, a, tc.p)
		if testigo.CodeOf(err) != tc.code || testigo.AsError(err).Field != tc.field {
			t.Errorf("%s: %v", name, err)
		}
	}
	if in := w.inbox(w.agent("worker", "s2"), handoff.InboxParams{}); len(in.Messages) != 0 {
		t.Errorf("refused messages left %+v", in)
	}
}

// S8, S9, S10, S11, S14: rules between two agents, the mode without a rule, and what parts of Testigo may.
func TestConnectionsS8toS14(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s1"), w.agent("worker", "s2")
	person := memory.Caller{Agent: "person:keeper"}
	if _, err := w.svc.Allow(w.ctx, person, "scout", "scout", true); testigo.CodeOf(err) != testigo.CodeInvalid {
		t.Errorf("S8: %v", err)
	}
	w.send(a, handoff.SendParams{To: "worker"})
	if _, err := w.svc.Allow(w.ctx, person, "scout", "worker", false); err != nil {
		t.Fatal(err)
	}
	_, err := w.svc.Send(w.ctx, a, handoff.SendParams{To: "worker", Message: "x"})
	wantCode(t, err, testigo.CodeForbidden, "")
	w.send(b, handoff.SendParams{To: "scout"}) // the other direction has no rule
	if err := w.svc.SetConnections(w.ctx, person, "explicit"); err != nil {
		t.Fatal(err)
	}
	_, err = w.svc.Send(w.ctx, b, handoff.SendParams{To: "scout", Message: "x"})
	wantCode(t, err, testigo.CodeForbidden, "")
	if _, err := w.svc.Allow(w.ctx, person, "worker", "scout", true); err != nil {
		t.Fatal(err)
	}
	w.send(b, handoff.SendParams{To: "scout"})
	if err := w.svc.SetConnections(w.ctx, person, "half"); testigo.CodeOf(err) != testigo.CodeInvalid {
		t.Errorf("%v", err)
	}
	if _, err := w.svc.Allow(w.ctx, person, "nobody", "scout", true); testigo.CodeOf(err) != testigo.CodeNotFound {
		t.Errorf("%v", err)
	}
}

// S15, M22, D17: a key belongs to its sender and covers everything that was asked.
func TestSendKeyS15(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s1"), w.agent("other", "s2")
	w.agent("worker", "s3")
	first := w.send(a, handoff.SendParams{To: "worker", Key: "k"})
	again := w.send(a, handoff.SendParams{To: "worker", Key: "k"})
	if !again.AlreadySent || again.MessageID != first.MessageID {
		t.Errorf("%+v", again)
	}
	for name, p := range map[string]handoff.SendParams{
		"body": {To: "worker", Message: "other", Key: "k"}, "recipient": {To: "other", Message: "a message", Key: "k"},
		"title": {To: "worker", Message: "a message", Title: "t", Key: "k"}, "intent": {To: "worker", Message: "a message", Notification: true, Key: "k"},
	} {
		_, err := w.svc.Send(w.ctx, a, p)
		if testigo.CodeOf(err) != testigo.CodeConflict {
			t.Errorf("%s: %v", name, err)
		}
	}
	if res := w.send(b, handoff.SendParams{To: "worker", Key: "k"}); res.AlreadySent || res.MessageID == first.MessageID {
		t.Errorf("another sender's key is its own: %+v", res)
	}
}

// S16: only the recipient marks a message read, once; its sender and a person look without a trace on it.
func TestReadMarksS16(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b, spy := w.agent("scout", "s1"), w.agent("worker", "s2"), w.agent("spy", "s3")
	m := w.send(a, handoff.SendParams{To: "worker", Message: "line one\nline two"})
	if res := w.read(a, m.MessageID); res.MarkedRead || res.Read || res.Body != "line one\nline two" {
		t.Errorf("%+v", res)
	}
	if res := w.read(memory.Caller{Agent: "person:keeper"}, m.MessageID); res.MarkedRead || res.Read {
		t.Errorf("%+v", res)
	}
	_, err := w.svc.ReadMessage(w.ctx, spy, handoff.ReadParams{ID: m.MessageID})
	wantCode(t, err, testigo.CodeNotFound, "id")
	if in := w.inbox(b, handoff.InboxParams{}); in.Unread != 1 || in.Messages[0].Preview != "line one line two" {
		t.Fatalf("%+v", in)
	}
	if res := w.read(b, m.MessageID[:9]); !res.MarkedRead || res.State != testigo.Closed || res.Receipt != testigo.StageAccepted {
		t.Errorf("%+v", res)
	}
	if res := w.read(b, m.MessageID); res.MarkedRead || !res.Read {
		t.Errorf("%+v", res)
	}
	if in := w.inbox(b, handoff.InboxParams{}); in.Unread != 0 || len(in.Messages) != 0 {
		t.Errorf("%+v", in)
	}
	if in := w.inbox(b, handoff.InboxParams{All: true}); len(in.Messages) != 1 {
		t.Errorf("%+v", in)
	}
	st, err := w.svc.Status(w.ctx, memory.Caller{Agent: "person:keeper"}, handoff.StatusParams{ID: m.MessageID})
	if err != nil || len(st.History) != 3 || st.History[1].Kind != "looked_at" {
		t.Errorf("a person's look is logged: %+v %v", st, err)
	}
}

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

// E01, E08: an inbox of any size is paged without a gap, under the size of an answer.
func TestInboxPaging(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s1"), w.agent("worker", "s2")
	for range 60 {
		w.send(a, handoff.SendParams{To: "worker", Message: strings.Repeat("語\"", 5000), Title: strings.Repeat("t", 200)})
	}
	b.Budget = 7000
	for _, all := range []bool{false, true} {
		seen := map[string]bool{}
		for p := (handoff.InboxParams{All: all, Limit: 100}); ; {
			res := w.inbox(b, p)
			if out, _ := json.Marshal(res); len(out) > 8192 {
				t.Fatalf("an answer of %d bytes", len(out))
			}
			for _, m := range res.Messages {
				if seen[m.ID] {
					t.Fatalf("%s twice", m.ID)
				}
				seen[m.ID] = true
			}
			if p.Cursor = res.Cursor; p.Cursor == "" {
				break
			}
		}
		if len(seen) != 60 {
			t.Errorf("all=%v: saw %d of 60", all, len(seen))
		}
	}
	var got strings.Builder
	for p := (handoff.ReadParams{ID: w.inbox(b, handoff.InboxParams{}).Messages[0].ID}); ; {
		res, err := w.svc.ReadMessage(w.ctx, b, p)
		if err != nil {
			t.Fatal(err)
		}
		if out, _ := json.Marshal(res); len(out) > 8192 {
			t.Fatalf("an answer of %d bytes", len(out))
		}
		got.WriteString(res.Body)
		if p.Cursor = res.Cursor; p.Cursor == "" {
			break
		}
	}
	if got.String() != strings.Repeat("語\"", 5000) {
		t.Error("the parts do not make the whole body")
	}
}

// M37, M39: an overview of one's own, and who is known, without addresses.
func TestStatusAndPeersM37M39(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b, spy := w.agent("scout", "s1"), w.agent("worker", "s2"), w.agent("spy", "s3")
	w.send(a, handoff.SendParams{To: "worker", Title: "t"})
	for _, c := range []memory.Caller{a, b} {
		st, err := w.svc.Status(w.ctx, c, handoff.StatusParams{})
		if err != nil || len(st.Mine)+len(st.Orders) != 1 {
			t.Errorf("%s: %+v %v", c.Agent, st, err)
		}
	}
	st, err := w.svc.Status(w.ctx, spy, handoff.StatusParams{})
	if err != nil || len(st.Sent)+len(st.Mine)+len(st.Orders) != 0 {
		t.Errorf("%+v %v", st, err)
	}
	if _, err := w.svc.Allow(w.ctx, memory.Caller{Agent: "person:keeper"}, "spy", "worker", false); err != nil {
		t.Fatal(err)
	}
	peers, err := w.svc.Peers(w.ctx, spy)
	if err != nil || len(peers.Agents) != 3 {
		t.Fatalf("%+v %v", peers, err)
	}
	can := map[string]bool{}
	for _, p := range peers.Agents {
		can[p.ID] = p.CanSend
	}
	if can["spy"] || can["worker"] || !can["scout"] {
		t.Errorf("%v", can)
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
