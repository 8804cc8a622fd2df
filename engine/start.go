package engine

import (
	"context"
	"errors"
	"time"

	"github.com/testigo/testigo"
)

// start writes to the session, once, and records what came of it. The record is made even when the engine is being
// stopped: a write that happened must not be forgotten.
func (e *Engine) start(ctx context.Context, p testigo.Provider, d testigo.Delivery, turn testigo.Turn, rep *Report) error {
	if !e.mayStart(turn) {
		no := testigo.Refusal{Kind: testigo.NotSent, Why: "the engine was held up for too long after the reservation"}
		return e.refuse(context.WithoutCancel(ctx), d, no, true)
	}
	var got testigo.Started
	err := ask(ctx, startAnswer, func(ctx context.Context) (err error) {
		got, err = p.Start(ctx, d.Target, turn)
		return err
	})
	ctx = context.WithoutCancel(ctx)
	var no *testigo.Refusal
	switch {
	case errors.As(err, &no):
		return e.refuse(ctx, d, *no, true)
	case err != nil:
		rep.broken(d.ID, err)
		return e.doubt(ctx, d, clip("nobody knows whether it arrived: "+err.Error()))
	}
	return e.change(ctx, d, func(tx testigo.Tx, h testigo.Handoff, d testigo.Delivery) error {
		was, now := d, tx.Now()
		d.Receipt.TurnID, d.Receipt.ClientUserMessageID = got.TurnID, got.ClientUserMessageID
		d.Receipt.Provider, d.Receipt.Evidence = got.Provider, "answer to the write"
		switch {
		case got.TurnID == "" || got.ClientUserMessageID != d.RequestID:
			d.State, d.NextCheck = testigo.Uncertain, now.Add(e.wait(turnCheck))
			d.Detail = "the session answered, but not that it took this request"
		case got.NoEnd:
			d.State, d.Detail, d.Receipt.AcceptedAt = testigo.TurnEnded, noEnd, &now
			return e.end(ctx, tx, h, was, d)
		default:
			d.State, d.Detail, d.Receipt.AcceptedAt = testigo.Accepted, d.Recipient+" accepted it", &now
			d.NextCheck = now.Add(e.wait(freshCheck))
		}
		e.forgetRefusals(d.ID)
		return e.move(ctx, tx, was, d)
	})
}

// mayStart asks the wall clock once more: between the reservation and this moment the machine may have slept, and
// somebody else may have judged the reservation since.
func (e *Engine) mayStart(t testigo.Turn) bool {
	now := e.o.Clock()
	return now.Before(t.Deadline) && !now.Before(t.Deadline.Add(-leaseFor)) && e.held() == t.Lease
}

// doubt keeps the slot: what may have been written is never written again.
func (e *Engine) doubt(ctx context.Context, d testigo.Delivery, detail string) error {
	return e.change(ctx, d, func(tx testigo.Tx, h testigo.Handoff, d testigo.Delivery) error {
		was := d
		d.State, d.Detail, d.NextCheck = testigo.Uncertain, detail, tx.Now().Add(e.wait(turnCheck))
		return e.move(ctx, tx, was, d)
	})
}

// refuse handles an answer that says that nothing was written, before the reservation or after it.
func (e *Engine) refuse(ctx context.Context, d testigo.Delivery, no testigo.Refusal, reserved bool) error {
	return e.change(ctx, d, func(tx testigo.Tx, h testigo.Handoff, d testigo.Delivery) error {
		was := d
		if reserved {
			if err := e.dropClaim(ctx, tx, h, d.RequestID); err != nil {
				return err
			}
			var err error
			if h, err = tx.Handoff(ctx, h.ID); err != nil {
				return err
			}
		}
		d.Receipt.Rejection = clip(no.Why)
		if no.Kind != testigo.Refused {
			return e.putOff(ctx, tx, was, d, no, reserved)
		}
		if !reserved { // a refused attempt is an attempt, wherever it was refused; the table knows no shorter way
			d.State, d.Attempts, d.Lease, d.Detail = testigo.Sending, d.Attempts+1, e.held(), "offered to "+d.Recipient
			if err := e.move(ctx, tx, was, d); err != nil {
				return err
			}
			now, err := tx.Delivery(ctx, d.ID)
			if err != nil {
				return err
			}
			was, d.Version = now, now.Version
		}
		if d.Receipt.RejectedBefore {
			d.State, d.Detail = testigo.Failed, clip("refused twice, not delivered, not tried again: "+no.Why)
			d.Receipt.Final, d.Receipt.NotDelivered = true, true
			return e.end(ctx, tx, h, was, d)
		}
		d.Receipt.RejectedBefore = true
		d.State, d.Detail = testigo.OwnerRejected, clip("refused, tried once more: "+no.Why)
		d.NextCheck = tx.Now().Add(e.wait(refusedRetry))
		d.NotBefore = d.NextCheck
		return e.leaveSlot(ctx, tx, was, d)
	})
}

// putOff backs off from what could not be reached, is rate-limited or busy after all. No attempt is counted, and its
// expiry ends it.
func (e *Engine) putOff(ctx context.Context, tx testigo.Tx, was, d testigo.Delivery, no testigo.Refusal, reserved bool) error {
	d.State = testigo.Waiting
	if no.Kind == testigo.RefusedBusy {
		d.State = testigo.Busy
	}
	if !testigo.CanDeliver(was.State, d.State) {
		d.State = was.State
	}
	if reserved {
		d.Attempts--
	}
	wait := e.backoff(d.ID)
	if no.Kind == testigo.RateLimited && no.RetryAfter > 0 {
		wait = no.RetryAfter // what it asked for is no wait of ours, and speed does not shorten it
	}
	d.Detail = clip("not sent (" + string(no.Kind) + "), tried again: " + no.Why)
	d.NextCheck = tx.Now().Add(wait)
	d.NotBefore = d.NextCheck
	return e.leaveSlot(ctx, tx, was, d)
}

// leaveSlot moves a row out of the way and lets the queue go on, when it held the slot.
func (e *Engine) leaveSlot(ctx context.Context, tx testigo.Tx, was, d testigo.Delivery) error {
	if err := e.move(ctx, tx, was, d); err != nil || !was.State.Active() {
		return err
	}
	return e.wakeNext(ctx, tx, d.Recipient)
}

// backoff doubles from 15 seconds to 5 minutes, with up to a quarter more so that many rows do not come back at once.
func (e *Engine) backoff(id string) time.Duration {
	e.mu.Lock()
	n := e.refusals[id]
	e.refusals[id] = n + 1
	e.mu.Unlock()
	d := min(backoffFirst<<min(n, 10), backoffMost)
	return e.wait(d + time.Duration(e.random()%uint64(d/4)))
}

func (e *Engine) forgetRefusals(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.refusals, id)
}
