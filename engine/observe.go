package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/testigo/testigo"
)

// seen is what one look at a turn found.
type seen struct {
	testigo.Observation
	// failed: the look itself went wrong, so it says nothing.
	failed string
	// alive: a turn observed as failed is still open.
	alive bool
}

// reconcile looks at the turn of an active row and moves the row to what was seen.
func (e *Engine) reconcile(ctx context.Context, d testigo.Delivery, rep *Report) error {
	s := e.observe(ctx, d, rep)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return e.ignorePassed(e.change(ctx, d, func(tx testigo.Tx, h testigo.Handoff, d testigo.Delivery) error {
		if err := e.keepClaim(ctx, tx, h); err != nil {
			return err
		}
		return e.judge(ctx, tx, h, d, s)
	}))
}

// observe asks the provider with the target's own settings. A failure whose turn is still open has not failed.
func (e *Engine) observe(ctx context.Context, d testigo.Delivery, rep *Report) seen {
	p := e.provider(d.Target)
	var s seen
	err := ask(ctx, lookWithin, func(ctx context.Context) (err error) {
		s.Observation, err = p.Observe(ctx, d.Target, d.RequestID, d.Receipt)
		return err
	})
	if err != nil {
		rep.broken(d.ID, err)
		return seen{failed: clip(err.Error())}
	}
	if s.State != testigo.Failed {
		return s
	}
	var now testigo.Activity
	err = ask(ctx, lookWithin, func(ctx context.Context) (err error) {
		now, err = p.Activity(ctx, d.Target)
		return err
	})
	turn := d.Receipt.TurnID
	if s.TurnID != "" {
		turn = s.TurnID
	}
	same := now.TurnID == "" || turn == "" || now.TurnID == turn
	s.alive = err == nil && now.State == testigo.TurnOpen && same
	if err == nil && now.State == testigo.TurnStopped && now.TurnID != "" && now.TurnID == turn {
		s.Interrupted = true
	}
	return s
}

// judge decides what a look at an active row means.
func (e *Engine) judge(ctx context.Context, tx testigo.Tx, h testigo.Handoff, d testigo.Delivery, s seen) error {
	was, now := d, tx.Now()
	if s.TurnID != "" {
		d.Receipt.ObservedTurnID = s.TurnID
		if d.Receipt.TurnID == "" {
			d.Receipt.TurnID = s.TurnID
		}
	}
	if s.Provider != nil {
		d.Receipt.Provider = s.Provider
	}
	switch s.State {
	case testigo.Accepted, testigo.Running, testigo.TurnEnded, testigo.Failed:
		return e.sighted(ctx, tx, h, was, d, s)
	}
	if proof := inBand(h, d); proof != "" && was.State != testigo.Accepted && was.State != testigo.Running {
		s.State, s.Detail = testigo.Running, proof
		if h.Return != nil || h.State == testigo.Closed && h.ClosedBy == h.To {
			s.State = testigo.TurnEnded
		}
		return e.sighted(ctx, tx, h, was, d, s)
	}
	switch {
	case was.State == testigo.Sending && now.Sub(was.UpdatedAt) <= sendTimeout:
		d.NextCheck = now.Add(beatEvery)
	case was.State == testigo.Sending:
		d.State, d.Detail = testigo.Uncertain, "no answer came to the write, and nothing was seen of it"
		d.NextCheck = now.Add(e.wait(turnCheck))
	case was.State == testigo.Uncertain:
		return e.absence(ctx, tx, h, was, d, s)
	default:
		e.unobserved(&d, now, s)
	}
	if err := e.move(ctx, tx, was, d); err != nil {
		return err
	}
	return e.stuck(ctx, tx, h, d)
}

// inBand is the proof that the recipient itself gave through its own connection, after the write was reserved and not
// yet counted: it read, accepted or returned.
func inBand(h testigo.Handoff, d testigo.Delivery) string {
	since := d.UpdatedAt // of SENDING; UNCERTAIN comes at most a minute later, in which nothing is read that was not sent
	if d.State != testigo.Sending {
		since = since.Add(-sendTimeout)
	}
	switch {
	case h.Return != nil:
		return "the recipient returned it"
	case h.State == testigo.Closed && h.ClosedBy == h.To:
		return "the recipient closed it"
	case d.Receipt.AcceptedAt != nil: // counted before: a silence afterwards is a new one
		return ""
	case !h.AcceptedAt.IsZero() && h.AcceptedAt.After(since):
		return "the recipient accepted it"
	case !h.ReadAt.IsZero() && h.ReadAt.After(since):
		return "the recipient read it"
	}
	return ""
}

// sighted moves a row to what was seen. Whatever is seen ends every count of absence.
func (e *Engine) sighted(ctx context.Context, tx testigo.Tx, h testigo.Handoff, was, d testigo.Delivery, s seen) error {
	now := tx.Now()
	r := &d.Receipt
	r.AbsentScans, r.FirstAbsentAt, r.UnobservedSince = 0, nil, nil
	if r.AcceptedAt == nil && (s.State != testigo.Failed || r.TurnID != "") {
		r.AcceptedAt = &now
	}
	d.State, d.Detail, r.Evidence = s.State, s.Detail, s.Detail
	if s.State == testigo.Failed && s.alive {
		d.State, d.Detail = testigo.Running, "it reported a failure, but its turn is still open"
	}
	if d.Detail == "" {
		d.Detail = seenAs[d.State]
	}
	switch d.State {
	case testigo.TurnEnded:
		r.TurnOutcome = "finished"
		return e.end(ctx, tx, h, was, d)
	case testigo.Failed:
		return e.failed(ctx, tx, h, was, d, s)
	}
	if r.AcceptedAt == nil {
		r.AcceptedAt = &now
	}
	d.NextCheck = now.Add(e.wait(turnCheck))
	if now.Sub(*r.AcceptedAt) < freshFor {
		d.NextCheck = now.Add(e.wait(freshCheck))
	}
	if err := e.move(ctx, tx, was, d); err != nil {
		return err
	}
	if now.Sub(*r.AcceptedAt) < e.o.MaxTurn {
		return nil
	}
	return e.notice(ctx, tx, h, testigo.NoticeStuck, fmt.Sprintf("the turn of %s has run for %s; nothing was ended", h.To, e.o.MaxTurn))
}

var seenAs = map[testigo.DeliveryState]string{
	testigo.Accepted:  "it was taken",
	testigo.Running:   "its turn runs",
	testigo.TurnEnded: "its turn ended",
	testigo.Failed:    "its turn failed",
}

// unobserved keeps trusting an accepted turn for ten minutes while nothing is seen of it.
func (e *Engine) unobserved(d *testigo.Delivery, now time.Time, s seen) {
	d.NextCheck = now.Add(e.wait(turnCheck))
	if d.Receipt.UnobservedSince == nil {
		d.Receipt.UnobservedSince = &now
		return
	}
	if now.Sub(*d.Receipt.UnobservedSince) < unobservedFor {
		return
	}
	d.State, d.Receipt.UnobservedSince = testigo.Uncertain, nil
	d.Detail = "it was accepted, but nothing has been seen of it for 10 minutes; `testigo release " + d.ID + "` frees the recipient"
	if s.failed != "" {
		d.Detail = clip(d.Detail + " (" + s.failed + ")")
	}
}

// absence counts complete scans without a trace. Anything else than the next one in a row starts the count anew.
func (e *Engine) absence(ctx context.Context, tx testigo.Tx, h testigo.Handoff, was, d testigo.Delivery, s seen) error {
	now, r := tx.Now(), &d.Receipt
	if !s.Absent || s.Candidate != "" || s.TurnID != "" || s.failed != "" {
		r.AbsentScans, r.FirstAbsentAt = 0, nil
		d.NextCheck = now.Add(e.wait(turnCheck))
		if err := e.move(ctx, tx, was, d); err != nil {
			return err
		}
		return e.stuck(ctx, tx, h, d)
	}
	if r.AbsentScans++; r.FirstAbsentAt == nil {
		r.FirstAbsentAt = &now
	}
	d.NextCheck = now.Add(e.wait(absentEvery))
	if r.AbsentScans < absentScans || now.Sub(*r.FirstAbsentAt) < e.wait(absentSpan) {
		if err := e.move(ctx, tx, was, d); err != nil {
			return err
		}
		return e.stuck(ctx, tx, h, d)
	}
	r.Final = true
	if r.AcceptedAt != nil { // it arrived, so it cannot be said that it was never delivered
		d.State, d.Detail = testigo.Failed, "lost after acceptance: the session no longer knows the turn"
		return e.end(ctx, tx, h, was, d)
	}
	r.NotDelivered = true
	d.State = testigo.Cancelled
	d.Detail = fmt.Sprintf("never delivered: %d complete searches over more than an hour found no trace; it is not sent again", r.AbsentScans)
	return e.end(ctx, tx, h, was, d)
}
