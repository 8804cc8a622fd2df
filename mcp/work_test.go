package mcp

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/testigo/testigo"
)

// M31: the life of work: accept, return, the sender reads the return and closes by its id. A second return is refused, a
// late accept changes nothing, and the assignee sees the decision.
func TestM31LifeOfWork(t *testing.T) {
	t.Parallel()
	p, q := two(t)
	work := p.order("")
	if got := into[msg](q, q.ok("accept_work", id(work))); got.MessageID != work || !got.Accepted || got.AlreadyAccepted {
		t.Errorf("accepted: %+v", got)
	}
	if got := into[msg](q, q.ok("accept_work", id(work))); !got.AlreadyAccepted {
		t.Errorf("accepted twice: %+v", got)
	}
	if got := into[status](p, p.ok("handoff_status", id(work))); got.Message.Work.State != "accepted" || got.Message.Receipt != "accepted" || !got.Message.Read {
		t.Errorf("the sender sees %+v", got.Message)
	}
	back := into[msg](q, q.ok("return_work", fmt.Sprintf(`{"id":%q,"summary":"It is 42.","evidence":"run 7"}`, work)))
	if back.MessageID != work || back.ReturnMessageID == "" || back.Blocked {
		t.Errorf("returned: %+v", back)
	}
	q.refused(testigo.CodeConflict, "return_work", fmt.Sprintf(`{"id":%q,"summary":"No, 43."}`, work))
	if got := into[msg](q, q.ok("accept_work", id(work))); !got.AlreadyAccepted || !got.Accepted {
		t.Errorf("a late accept: %+v", got)
	}
	list := into[box](p, p.ok("inbox", `{}`)).Messages
	if len(list) != 1 || list[0].ID != back.ReturnMessageID || list[0].Kind != "return" || list[0].ReturnFor != work {
		t.Fatalf("the sender's inbox: %+v", list)
	}
	read := into[msg](p, p.ok("read_message", id(back.ReturnMessageID)))
	for _, part := range []string{"Returned: Measure", "Result: It is 42.", "Evidence: run 7"} {
		if !strings.Contains(read.Body, part) {
			t.Errorf("no %q in %q", part, read.Body)
		}
	}
	if !strings.Contains(read.NextStep, "close_work "+work) {
		t.Errorf("next is %q", read.NextStep)
	}
	if got := into[msg](p, p.ok("close_work", fmt.Sprintf(`{"id":%q,"outcome":"accepted","note":"Thanks."}`, back.ReturnMessageID))); got.MessageID != work {
		t.Errorf("closed %+v", got)
	}
	p.refused(testigo.CodeConflict, "close_work", fmt.Sprintf(`{"id":%q,"outcome":"blocked"}`, work))
	q.refused(testigo.CodeConflict, "return_work", fmt.Sprintf(`{"id":%q,"summary":"again"}`, work))
	seen := into[msg](q, q.ok("read_message", id(work))).Work
	if seen.State != "closed" || seen.Closure == nil || seen.Closure.Outcome != "accepted" || seen.Closure.Note != "Thanks." || seen.Result.Summary != "It is 42." {
		t.Errorf("the assignee sees %+v", seen)
	}
}

// M31: what was returned needs no accept before it, and arrives whatever the connections say.
func TestM31ReturnPassesABlockedConnection(t *testing.T) {
	t.Parallel()
	p, q := two(t)
	work := p.order("")
	p.block("executor", "scout")
	q.refused(testigo.CodeForbidden, "send_handoff", `{"to":"scout","message":"m"}`)
	q.ok("return_work", fmt.Sprintf(`{"id":%q,"summary":"s"}`, work))
	if got := into[box](p, p.ok("inbox", `{}`)); len(got.Messages) != 1 {
		t.Errorf("got %+v", got)
	}
}

// M32: a blocked return says so; a revision needs a return, closes the work and opens its successor for the same agent:
// same thread, title, due span and pins, the note as its text, one round more.
func TestM32BlockedReturnAndRevision(t *testing.T) {
	t.Parallel()
	p, q := two(t)
	p.ok("remember", `{"scope":"a","key":"b","value":1}`)
	work := p.order(`,"due_minutes":60,"refs":["a/b"]`)
	revise := fmt.Sprintf(`{"id":%q,"outcome":"revision","note":"Use the other scale."}`, work)
	p.refused(testigo.CodeRefused, "close_work", revise)
	p.clock.Advance(10 * time.Minute)
	back := into[msg](q, q.ok("return_work", fmt.Sprintf(`{"id":%q,"summary":"No scale here.","blocked":true}`, work)))
	if !back.Blocked {
		t.Errorf("returned: %+v", back)
	}
	if got := into[msg](p, p.ok("read_message", id(back.ReturnMessageID))); !strings.Contains(got.Body, "Blocked: No scale here.") {
		t.Errorf("the return says %q", got.Body)
	}
	done := into[msg](p, p.ok("close_work", revise))
	if done.Successor == "" || len(done.Notes) == 0 || !strings.Contains(strings.Join(done.Notes, " "), done.Successor) {
		t.Fatalf("closed: %+v", done)
	}
	p.refused(testigo.CodeConflict, "close_work", revise)
	list := into[box](q, q.ok("inbox", `{}`)).Messages
	if len(list) != 1 || list[0].ID != done.Successor {
		t.Fatalf("the assignee's inbox: %+v", list)
	}
	next := into[msg](q, q.ok("read_message", id(done.Successor)))
	if next.Body != "Use the other scale." || next.Work.Round != 1 || next.Title != "Measure" || next.Work.DueAt != "2026-03-01T13:10:00Z" ||
		next.ReplyTo != work || next.Thread != work || len(next.Pins) != 1 || next.Work.State != "open" {
		t.Errorf("the successor is %+v %+v", next, next.Work)
	}
}

// M33: closing before a return says that it was, and ends the work for its assignee.
func TestM33CloseBeforeReturn(t *testing.T) {
	t.Parallel()
	p, q := two(t)
	work := p.order("")
	got := into[msg](p, p.ok("close_work", fmt.Sprintf(`{"id":%q,"outcome":"accepted"}`, work)))
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "before it was returned") {
		t.Errorf("got %+v", got)
	}
	r := q.refused(testigo.CodeGone, "return_work", fmt.Sprintf(`{"id":%q,"summary":"s"}`, work))
	if !strings.Contains(r.Error.Message, "closed") {
		t.Errorf("got %s", r.Text)
	}
	if r := q.refused(testigo.CodeGone, "accept_work", id(work)); !strings.Contains(r.Error.Message, "closed") {
		t.Errorf("accepting what nobody accepted before it was closed: %s", r.Text)
	}
}

// M34: nobody owes an answer to a plain message.
func TestM34PlainMessageIsNoWork(t *testing.T) {
	t.Parallel()
	p, q := two(t)
	plain := into[sent](p, p.ok("send_handoff", `{"to":"executor","message":"m"}`)).MessageID
	before := p.print()
	for _, r := range []reply{q.refused(testigo.CodeRefused, "accept_work", id(plain)),
		q.refused(testigo.CodeRefused, "return_work", fmt.Sprintf(`{"id":%q,"summary":"s"}`, plain)),
		p.refused(testigo.CodeRefused, "close_work", fmt.Sprintf(`{"id":%q,"outcome":"accepted"}`, plain))} {
		if !strings.Contains(r.Error.Message, "is a message") {
			t.Errorf("got %s", r.Text)
		}
	}
	if p.print() != before {
		t.Error("something was written")
	}
}

// M35: the message that carries a return is not the work.
func TestM35ReturnIsNoWork(t *testing.T) {
	t.Parallel()
	p, q := two(t)
	work := p.order("")
	back := into[msg](q, q.ok("return_work", fmt.Sprintf(`{"id":%q,"summary":"s"}`, work))).ReturnMessageID
	before := p.print()
	for _, r := range []reply{p.refused(testigo.CodeRefused, "accept_work", id(back)),
		p.refused(testigo.CodeRefused, "return_work", fmt.Sprintf(`{"id":%q,"summary":"s"}`, back))} {
		if !strings.Contains(r.Error.Message, "return of "+work) || !strings.Contains(r.Error.Next, "close_work") {
			t.Errorf("got %s", r.Text)
		}
	}
	if p.print() != before {
		t.Error("something was written")
	}
}

// A session that accepted work keeps it by working, as one that resumed a packet does, until it returned it.
func TestAcceptedWorkIsRenewed(t *testing.T) {
	t.Parallel()
	p, q := two(t)
	work := p.order("")
	renewed := func() time.Time {
		var at time.Time
		err := p.store.Read(t.Context(), func(r testigo.Reader) error {
			h, err := r.Handoff(t.Context(), work)
			at = h.Claim.RenewedAt
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	q.ok("accept_work", id(work))
	first := renewed()
	p.clock.Advance(6 * time.Minute)
	q.ok("inbox", `{}`)
	if !renewed().After(first) {
		t.Error("it was not renewed after six minutes")
	}
	other := p.order("")
	p.clock.Advance(6 * time.Minute)
	last := renewed()
	q.ok("return_work", fmt.Sprintf(`{"id":%q,"summary":"s"}`, other)) // what was returned by itself was never held here
	if !renewed().After(last) {
		t.Error("returning something else let it go")
	}
	q.ok("return_work", fmt.Sprintf(`{"id":%q,"summary":"s"}`, work))
	last = renewed()
	p.clock.Advance(time.Hour)
	q.ok("inbox", `{}`)
	if renewed().After(last) {
		t.Error("what was returned was renewed")
	}
}
