package handoff

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

// CloseParams are the arguments of close_work.
type CloseParams struct {
	// ID is the work's, or that of the message that returned it.
	ID      string               `json:"id"`
	Outcome testigo.CloseOutcome `json:"outcome"`
	Note    string               `json:"note,omitempty"`
}

// CloseResult says how the work ended.
type CloseResult struct {
	MessageID string               `json:"messageId"`
	Outcome   testigo.CloseOutcome `json:"outcome"`
	// Successor is the new work that a revision opened.
	Successor string          `json:"successor,omitempty"`
	Redacted  memory.Redacted `json:"redacted,omitempty"`
	Notes     []string        `json:"notes,omitempty"`
}

// CloseWork is the sender's decision about work, once. A revision closes it and opens its successor in the same
// transaction: same thread, recipient, title, due span and pins, with the note as its body and one round more.
func (s *Service) CloseWork(ctx context.Context, c Caller, p CloseParams) (CloseResult, error) {
	var gate memory.Gate
	id, _, err := parseClaim("id", p.ID)
	if err != nil {
		return CloseResult{}, err
	}
	if err := checkClose(&p, &gate); err != nil {
		return CloseResult{}, err
	}
	var res CloseResult
	done := func() {}
	err = s.store.Write(ctx, func(tx testigo.Tx) error {
		if done, err = memory.CheckIn(ctx, tx, c); err != nil {
			return err
		}
		h, err := s.sentWork(ctx, tx, c, id)
		if err != nil {
			return err
		}
		res, err = s.closeWork(ctx, tx, c, p, &h)
		return err
	})
	if err != nil {
		return CloseResult{}, err
	}
	done()
	res.Redacted = gate.Found()
	return res, nil
}

func checkClose(p *CloseParams, gate *memory.Gate) (err error) {
	if !slices.Contains(testigo.CloseOutcomes(), p.Outcome) {
		return testigo.Invalid("outcome", "must be accepted, revision or blocked")
	}
	if p.Note == "" {
		if p.Outcome == testigo.CloseRevision {
			return testigo.Invalid("note", "is required with revision: it is what the assignee is to do next")
		}
		return nil
	}
	if p.Note, err = memory.Prose("note", p.Note, testigo.MaxCloseNote); err != nil {
		return err
	}
	p.Note, err = gate.Text("note", p.Note)
	return err
}

// sentWork reads the work an id means, which must be the caller's own order.
func (s *Service) sentWork(ctx context.Context, r testigo.HandoffReader, c Caller, id string) (testigo.Handoff, error) {
	h, err := s.mine(ctx, r, c, id)
	if err == nil && h.ReturnFor != "" {
		h, err = s.mine(ctx, r, c, h.ReturnFor)
	}
	switch {
	case err != nil:
		return h, err
	case h.Kind != testigo.KindWork:
		return h, testigo.Errorf(testigo.CodeRefused, "%s is a %s, not work; there is nothing to decide", h.ID, h.Kind)
	case h.From != c.Agent:
		return h, testigo.Errorf(testigo.CodeForbidden, "only %s, who ordered it, may close %s", h.From, h.ID).WithNext("handoff_status %s tells how it stands", h.ID)
	}
	return h, nil
}

func (s *Service) closeWork(ctx context.Context, tx testigo.Tx, c Caller, p CloseParams, h *testigo.Handoff) (CloseResult, error) {
	res := CloseResult{MessageID: h.ID, Outcome: p.Outcome}
	switch {
	case h.Closure != nil:
		return res, testigo.Errorf(testigo.CodeConflict, "%s was closed as %s; nothing was changed", h.ID, h.Closure.Outcome).
			WithNext("handoff_status %s tells how it stands", h.ID)
	case h.State == testigo.Withdrawn || h.State == testigo.Expired:
		return res, testigo.Errorf(testigo.CodeGone, "%s is %s; there is nothing to decide", h.ID, h.State)
	case h.Return == nil && p.Outcome == testigo.CloseRevision:
		return res, testigo.Errorf(testigo.CodeRefused, "%s has not been returned, so there is nothing to revise", h.ID).
			WithNext("send_handoff with reply_to %s says more", h.ID)
	case h.Return == nil:
		res.Notes = append(res.Notes, "it was closed before it was returned; a return is refused from now on")
	}
	closure := testigo.Closure{Outcome: p.Outcome, Note: p.Note, By: c.Agent, At: tx.Now()}
	if p.Outcome == testigo.CloseRevision {
		if err := mayReach(ctx, tx, c.Agent, h.To); err != nil {
			return res, err
		}
		next := successor(*h, p, c, tx.Now())
		if err := s.store1(ctx, tx, c, &next); err != nil {
			return res, err
		}
		closure.Successor, res.Successor = next.ID, next.ID
		res.Notes = append(res.Notes, fmt.Sprintf("round %d is %s", next.Round, next.ID))
	}
	if err := s.end(ctx, tx, c, h, testigo.Closed, &closure); err != nil {
		return res, err
	}
	return res, s.readReturn(ctx, tx, c, *h)
}

// end moves a handoff to its last state and tells whoever holds it, once.
func (s *Service) end(ctx context.Context, tx testigo.Tx, c Caller, h *testigo.Handoff, state testigo.HandoffState, closure *testigo.Closure) error {
	from, gen, holder := h.State, h.Claim.Generation, h.Claim.Agent
	h.State, h.Closure, h.ClosedAt, h.ClosedBy = state, closure, tx.Now(), c.Agent
	if err := tx.MoveHandoff(ctx, *h, from, gen); err != nil {
		return err
	}
	data := map[string]any{}
	if closure != nil {
		data["outcome"] = closure.Outcome
		if closure.Note != "" {
			data["note"] = closure.Note
		}
		if closure.Successor != "" {
			data["successor"] = closure.Successor
		}
	}
	if err := event(ctx, tx, c, h.ID, string(state), data); err != nil {
		return err
	}
	if from != testigo.Claimed || holder == "" || holder == c.Agent {
		return nil
	}
	return s.notify(ctx, tx, *h, holder, fmt.Sprintf("%s was %s by %s while you held it: %s", h.ID, state, c.Agent, title(*h)))
}

// ServiceDelivery is the part of Testigo that tells agents what happened to handoffs.
const ServiceDelivery = testigo.ServicePrefix + "delivery"

// notify stores a notification for an agent. It wakes nobody and has no notice of its own.
func (s *Service) notify(ctx context.Context, tx testigo.Tx, about testigo.Handoff, to, text string) error {
	if ok, err := Allowed(ctx, tx, ServiceDelivery, to); err != nil || !ok {
		return err
	}
	n := testigo.Handoff{Kind: testigo.KindNotification, State: testigo.Open, Project: about.Project, From: ServiceDelivery, To: to,
		Summary: text, Notify: "none", CreatedAt: tx.Now(), ReplyTo: about.ID, Thread: about.Thread,
		ExpiresAt: tx.Now().Add(testigo.MessageLife)}
	if n.Thread == "" {
		n.Thread = about.ID
	}
	n.ContentHash = contentHash(n)
	return s.store1(ctx, tx, Caller{Agent: ServiceDelivery}, &n)
}

func title(h testigo.Handoff) string {
	if h.Title != "" {
		return h.Title
	}
	return memory.CutText(h.Summary, previewBytes)
}

// successor is the next round of work that was sent back.
func successor(h testigo.Handoff, p CloseParams, c Caller, now time.Time) testigo.Handoff {
	next := testigo.Handoff{Kind: testigo.KindWork, State: testigo.Open, Project: h.Project, From: c.Agent, FromSession: c.Session, To: h.To,
		Title: h.Title, Summary: p.Note, Pins: h.Pins, Notify: "wake", CreatedAt: now, ReplyTo: h.ID, Thread: h.Thread, Round: h.Round + 1}
	if next.Thread == "" {
		next.Thread = h.ID
	}
	if !h.DueAt.IsZero() { // the same span again
		next.DueAt = now.Add(h.DueAt.Sub(h.CreatedAt))
	}
	next.ContentHash = contentHash(next)
	return next
}

// readReturn marks the message that carried the return as read: its sender has decided.
func (s *Service) readReturn(ctx context.Context, tx testigo.Tx, c Caller, h testigo.Handoff) error {
	if h.Return == nil {
		return nil
	}
	m, err := tx.Handoff(ctx, h.Return.MessageID)
	if err != nil || !m.ReadAt.IsZero() || m.To != c.Agent {
		return err
	}
	return markRead(ctx, tx, c, &m)
}

// WithdrawParams name what its sender takes back.
type WithdrawParams struct {
	ID string `json:"id"`
}

// WithdrawResult says what was taken back.
type WithdrawResult struct {
	MessageID string `json:"messageId"`
	Title     string `json:"title,omitempty"`
	// HeldBy is who held it and has been told.
	HeldBy string `json:"heldBy,omitempty"`
}

// Withdraw takes back what its sender no longer wants: an open or claimed packet, message or work. A holder is told. A
// person at the terminal may withdraw for anybody.
func (s *Service) Withdraw(ctx context.Context, c Caller, p WithdrawParams) (WithdrawResult, error) {
	id, _, err := parseClaim("id", p.ID)
	if err != nil {
		return WithdrawResult{}, err
	}
	var res WithdrawResult
	done := func() {}
	err = s.store.Write(ctx, func(tx testigo.Tx) error {
		if done, err = memory.CheckIn(ctx, tx, c); err != nil {
			return err
		}
		h, err := s.mine(ctx, tx, c, id)
		switch {
		case err != nil:
			return err
		case h.From != c.Agent && !testigo.IsPerson(c.Agent):
			return testigo.Errorf(testigo.CodeForbidden, "only %s, who sent it, may withdraw %s", h.From, h.ID)
		case h.State != testigo.Open && h.State != testigo.Claimed:
			return testigo.Errorf(testigo.CodeGone, "%s is %s; it cannot be taken back", h.ID, h.State).WithNext("testigo log %s tells its history", h.ID)
		}
		res = WithdrawResult{MessageID: h.ID, Title: title(h), HeldBy: h.Claim.Agent}
		return s.end(ctx, tx, c, &h, testigo.Withdrawn, nil)
	})
	if err == nil {
		done()
	}
	return res, err
}
