package engine

import (
	"context"
	"time"

	"github.com/testigo/testigo"
)

// failed records a turn that went wrong, and when it is looked at again. The claim stays with the turn until it is clear
// that nothing follows.
func (e *Engine) failed(ctx context.Context, tx testigo.Tx, h testigo.Handoff, was, d testigo.Delivery, s seen) error {
	d.Receipt.TurnOutcome = "failed"
	if s.Interrupted {
		d.Receipt.TurnOutcome = "interrupted"
	}
	if why := finalFailure(h, d); why != "" {
		return e.final(ctx, tx, h, was, d, why)
	}
	wait := firstResendAfter
	if d.Receipt.Resends > 0 {
		wait = secondResendAfter
	}
	if s.Interrupted {
		wait = interruptedAfter
	}
	d.NextCheck = tx.Now().Add(e.wait(wait))
	if err := e.move(ctx, tx, was, d); err != nil || !was.State.Active() {
		return err
	}
	if _, err := e.enrolIn(ctx, tx, d.Recipient); err != nil {
		return err
	}
	return e.wakeNext(ctx, tx, d.Recipient)
}

// finalFailure says why a failed turn is not sent again, or "".
func finalFailure(h testigo.Handoff, d testigo.Delivery) string {
	limit := maxFailedResends
	if d.Receipt.TurnOutcome == "interrupted" {
		limit = maxInterruptedResends
	}
	if _, why := over(h); why != "" {
		return why
	}
	switch {
	case d.Receipt.TurnID == "" && d.Receipt.ObservedTurnID == "" && d.Receipt.AcceptedAt == nil:
		return "it failed before any delivery"
	case d.Receipt.Resends >= limit:
		return "the limit of resends is reached"
	}
	return ""
}

// pickedUp says that a session of the recipient's own took what had failed. A claim from before the failure was taken
// inside the turn, and ended with it.
func pickedUp(h testigo.Handoff, d testigo.Delivery) string {
	if h.State == testigo.Claimed && !isTurn(h.Claim) && h.Claim.At.After(d.UpdatedAt) {
		return h.Claim.Agent + " picked it up by itself"
	}
	return finalFailure(h, d)
}

func (e *Engine) final(ctx context.Context, tx testigo.Tx, h testigo.Handoff, was, d testigo.Delivery, why string) error {
	d.State, d.Receipt.Final = testigo.Failed, true
	d.Detail = clip(d.Detail + "; not sent again: " + why)
	return e.end(ctx, tx, h, was, d)
}

// review looks again at failures whose time has come. Only a fresh look that sees the failure itself leads to a resend.
func (e *Engine) review(ctx context.Context, d testigo.Delivery, rep *Report) error {
	s := e.observe(ctx, d, rep)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return e.ignorePassed(e.change(ctx, d, func(tx testigo.Tx, h testigo.Handoff, d testigo.Delivery) error {
		was := d
		switch {
		case pickedUp(h, d) != "":
			return e.final(ctx, tx, h, was, d, pickedUp(h, d))
		case s.State == testigo.TurnEnded:
			d.State, d.Detail, d.Receipt.TurnOutcome = testigo.TurnEnded, "it had failed by an earlier look; its turn ended", "finished"
			return e.end(ctx, tx, h, was, d)
		case s.State == testigo.Running, s.State == testigo.Failed && s.alive:
			d.State, d.Detail, d.NextCheck = testigo.Running, "it had failed by an earlier look; its turn runs", tx.Now().Add(e.wait(turnCheck))
			return e.move(ctx, tx, was, d)
		case s.State != testigo.Failed: // no answer, or one that does not say that it failed
			d.NextCheck = tx.Now().Add(e.wait(reviewAgain))
			return e.move(ctx, tx, was, d)
		}
		rep.Resent++
		return e.resend(ctx, tx, h, was, s)
	}))
}

// resend starts a new series of attempts under a new request id, at the row's old place. The claim of the turn that failed
// ends; the reservation takes the next generation.
func (e *Engine) resend(ctx context.Context, tx testigo.Tx, h testigo.Handoff, was testigo.Delivery, s seen) error {
	d := was
	kind := was.Receipt.TurnOutcome
	if s.Interrupted {
		kind = "interrupted"
	}
	turn := was.Receipt.TurnID
	if turn == "" {
		turn = was.Receipt.ObservedTurnID
	}
	d.Receipt = testigo.Receipt{Resends: was.Receipt.Resends + 1, ResentAfter: kind,
		Previous: append(was.Receipt.Previous, testigo.PastRequest{RequestID: was.RequestID, TurnID: turn})}
	d.State, d.Attempts, d.NextCheck, d.NotBefore = testigo.Waiting, 0, tx.Now(), time.Time{}
	d.Detail = "sent again after a turn that was " + kind
	if h.State == testigo.Claimed {
		gen := h.Claim.Generation
		h.State, h.Claim = testigo.Open, testigo.Claim{Generation: gen}
		if err := tx.MoveHandoff(ctx, h, testigo.Claimed, gen); err != nil {
			return err
		}
		if err := e.event(ctx, tx, h.ID, "turn_ended", map[string]any{"generation": gen, "why": kind}); err != nil {
			return err
		}
	}
	return e.moveAs(ctx, tx, was, d, e.newRequestID())
}
