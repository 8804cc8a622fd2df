package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
)

// TurnSession is the session under which a delivery's turn holds its claim.
func TurnSession(requestID string) string { return "turn:" + requestID }

// isTurn reports whether a claim is the one a reservation took.
func isTurn(c testigo.Claim) bool { return strings.HasPrefix(c.Session, "turn:") }

// end moves a row to a state from which nothing follows by itself, and does what belongs to that: the turn's own sends are
// enrolled, its claim is freed or its message closed, the sender is told, duplicates take their place, the queue goes on.
func (e *Engine) end(ctx context.Context, tx testigo.Tx, h testigo.Handoff, was, d testigo.Delivery) error {
	d.NextCheck, d.NotBefore = time.Time{}, time.Time{}
	if was.State.Active() { // before the slot is free: what was sent inside the turn is a hop further
		if _, err := e.enrolIn(ctx, tx, d.Recipient); err != nil {
			return err
		}
	}
	if err := e.move(ctx, tx, was, d); err != nil {
		return err
	}
	e.forgetRefusals(d.ID)
	if err := e.endClaim(ctx, tx, h, was.State, d); err != nil {
		return err
	}
	if text := ending(h, d); text != "" {
		if err := e.notice(ctx, tx, h, testigo.NoticeEnded, text); err != nil {
			return err
		}
	}
	if undelivered(h, d) {
		if err := e.rearm(ctx, tx, d); err != nil {
			return err
		}
	}
	return e.wakeNext(ctx, tx, d.Recipient)
}

// noEnd marks a turn whose endpoint never reports an end: accepted is the last that is known, and the claim stays.
const noEnd = "accepted; this endpoint reports no end"

func endless(d testigo.Delivery) bool {
	return d.State == testigo.TurnEnded && d.Receipt.TurnOutcome == ""
}

// endClaim ends the claim of a turn that is over. A message owes nothing, so it is closed by having been a turn; what owes
// an answer waits again, for a session that picks it up.
func (e *Engine) endClaim(ctx context.Context, tx testigo.Tx, h testigo.Handoff, was testigo.DeliveryState, d testigo.Delivery) error {
	if h.State != testigo.Claimed || d.State == testigo.Acknowledged || endless(d) || was == testigo.Failed && !isTurn(h.Claim) {
		return nil
	}
	gen := h.Claim.Generation
	h.Claim = testigo.Claim{Generation: gen}
	if d.State == testigo.TurnEnded && h.Kind == testigo.KindMessage {
		h.State, h.ClosedAt, h.ClosedBy = testigo.Closed, tx.Now(), h.To
		if h.ReadAt.IsZero() {
			h.ReadAt = tx.Now()
		}
	} else {
		h.State = testigo.Open
	}
	if err := tx.MoveHandoff(ctx, h, testigo.Claimed, gen); err != nil {
		return err
	}
	kind := "turn_ended"
	if h.State == testigo.Closed {
		kind = "closed"
	}
	return e.event(ctx, tx, h.ID, kind, map[string]any{"generation": gen, "why": d.Detail})
}

// ending is what the sender is told of an end; "" when it needs no word.
func ending(h testigo.Handoff, d testigo.Delivery) string {
	owed := h.Kind == testigo.KindWork || h.Kind == testigo.KindPacket
	switch {
	case d.State == testigo.Failed:
		return fmt.Sprintf("its turn with %s failed and will not be tried again: %s", h.To, d.Detail)
	case d.State == testigo.Cancelled && (h.State == testigo.Open || h.State == testigo.Claimed || h.State == testigo.Expired):
		return fmt.Sprintf("it was not delivered to %s: %s", h.To, d.Detail)
	case d.State == testigo.TurnEnded && owed && !endless(d) && (h.State == testigo.Open || h.State == testigo.Claimed):
		return fmt.Sprintf("the turn of %s ended without a return; it waits to be picked up", h.To)
	}
	return ""
}

// undelivered reports whether an end lets the duplicates go: not when the message arrived, and not when its sender took
// it back.
func undelivered(h testigo.Handoff, d testigo.Delivery) bool {
	switch d.State {
	case testigo.Failed:
		return true
	case testigo.Cancelled:
		return h.State != testigo.Withdrawn && h.State != testigo.Closed
	}
	return false
}

// rearm gives the oldest duplicate of a row its own place, and lets the others wait on that one.
func (e *Engine) rearm(ctx context.Context, tx testigo.Tx, d testigo.Delivery) error {
	rows, err := tx.Deliveries(ctx, testigo.DeliveryFilter{States: []testigo.DeliveryState{testigo.Duplicate}, DuplicateOf: d.ID})
	if err != nil {
		return err
	}
	heir := ""
	for _, was := range rows {
		next := was
		if heir == "" {
			h, err := tx.Handoff(ctx, was.ID)
			if err != nil {
				return err
			}
			if state, why := over(h); state != "" {
				next.State, next.Detail = testigo.Cancelled, why
			} else {
				heir = was.ID
				next.State, next.NextCheck, next.DuplicateOf = testigo.Waiting, tx.Now(), ""
				next.Detail = d.ID + " was not delivered, so this one goes"
			}
		} else {
			next.DuplicateOf = heir
			next.Detail = "the same message is under way as " + heir + "; it goes by itself if that one is not delivered"
		}
		if err := e.move(ctx, tx, was, next); err != nil {
			return err
		}
	}
	return nil
}

// wakeNext makes the head of a recipient's queue due now.
func (e *Engine) wakeNext(ctx context.Context, tx testigo.Tx, recipient string) error {
	rows, err := tx.Deliveries(ctx, testigo.DeliveryFilter{States: testigo.PendingStates(), Recipient: recipient, Limit: queueShown})
	if err != nil {
		return err
	}
	for _, was := range rows {
		if was.NotBefore.After(tx.Now()) || was.State == testigo.Held {
			continue
		}
		next := was
		next.NextCheck = tx.Now()
		return e.move(ctx, tx, was, next)
	}
	return nil
}

// take gives the claim of a handoff to the turn that a reservation starts: open, or held by an earlier turn of the same
// delivery.
func (e *Engine) take(ctx context.Context, tx testigo.Tx, h *testigo.Handoff, requestID string) error {
	from, gen := h.State, h.Claim.Generation
	h.State = testigo.Claimed
	h.Claim = testigo.Claim{Agent: h.To, Session: TurnSession(requestID), Generation: gen + 1, At: tx.Now(), RenewedAt: tx.Now()}
	if err := tx.MoveHandoff(ctx, *h, from, gen); err != nil {
		return err
	}
	return e.event(ctx, tx, h.ID, "claimed", map[string]any{"generation": gen + 1, "by": handoff.ServiceDelivery, "requestId": requestID})
}

// dropClaim gives back the claim of a reservation that wrote nothing.
func (e *Engine) dropClaim(ctx context.Context, tx testigo.Tx, h testigo.Handoff, requestID string) error {
	if h.State != testigo.Claimed || h.Claim.Session != TurnSession(requestID) {
		return nil
	}
	gen := h.Claim.Generation
	h.State, h.Claim = testigo.Open, testigo.Claim{Generation: gen}
	if err := tx.MoveHandoff(ctx, h, testigo.Claimed, gen); err != nil {
		return err
	}
	return e.event(ctx, tx, h.ID, "put_back", map[string]any{"generation": gen, "why": "nothing was sent"})
}

// keepClaim renews the claim of a turn that is under way, seldom enough to cost nothing.
func (e *Engine) keepClaim(ctx context.Context, tx testigo.Tx, h testigo.Handoff) error {
	if h.State != testigo.Claimed || !isTurn(h.Claim) || tx.Now().Sub(h.Claim.RenewedAt) < renewClaim {
		return nil
	}
	h.Claim.RenewedAt = tx.Now()
	return tx.MoveHandoff(ctx, h, testigo.Claimed, h.Claim.Generation)
}
