package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/testigo/testigo"
)

// item is a row of a recipient's queue with its handoff, and what stands in its way.
type item struct {
	d testigo.Delivery
	h testigo.Handoff
	obstacle
}

// obstacle is why a row does not go now. The zero obstacle says that nothing of the store's holds it.
type obstacle struct {
	state  testigo.DeliveryState
	detail string
	check  time.Duration
	// ends: the row is over with this state. expired: its handoff is to be moved first.
	ends    bool
	expired bool
	// quiet: nothing is to be written, because the row waits for its own time.
	quiet bool
}

func (o obstacle) clear() bool { return o == obstacle{} }

// due reports whether a row is to be looked at.
func due(d testigo.Delivery, now time.Time) bool {
	return !d.NextCheck.IsZero() && !d.NextCheck.After(now)
}

// look judges one pending row by what the store says. It is asked again inside the reserving transaction, so whatever was
// changed meanwhile counts.
func (e *Engine) look(ctx context.Context, r testigo.Reader, d testigo.Delivery, h testigo.Handoff, now time.Time) (obstacle, error) {
	if bodyHash(h) != d.BodyHash {
		return obstacle{state: testigo.Failed, detail: "its content was changed after it was taken up; it was never sent", ends: true}, nil
	}
	if state, why := over(h); state != "" {
		return obstacle{state: state, detail: why, ends: true}, nil
	}
	switch {
	case h.State == testigo.Claimed:
		return obstacle{state: testigo.Acknowledged, detail: h.Claim.Agent + " picked it up by itself", ends: true}, nil
	case !h.ExpiresAt.IsZero() && !h.ExpiresAt.After(now):
		return obstacle{state: testigo.Cancelled, detail: "it expired before it could be delivered", ends: true, expired: true}, nil
	case d.NotBefore.After(now):
		return obstacle{state: d.State, quiet: true}, nil
	}
	on, err := enabled(ctx, r)
	if err != nil {
		return obstacle{}, err
	}
	if !on {
		return obstacle{state: testigo.Held, detail: "deliveries are switched off", check: heldCheck}, nil
	}
	ok, err := permitted(ctx, r, h)
	if err != nil {
		return obstacle{}, err
	}
	if !ok {
		return obstacle{state: testigo.Held, detail: fmt.Sprintf("%s may not send to %s", h.From, h.To), check: heldCheck}, nil
	}
	return e.lookAtAddress(ctx, r, d)
}

// lookAtAddress compares the frozen target with the recipient's address of today.
func (e *Engine) lookAtAddress(ctx context.Context, r testigo.Reader, d testigo.Delivery) (obstacle, error) {
	a, err := r.Agent(ctx, d.Recipient)
	if testigo.CodeOf(err) == testigo.CodeNotFound {
		return obstacle{state: testigo.Unavailable, detail: d.Recipient + " is not known any more", check: movedCheck}, nil
	}
	if err != nil {
		return obstacle{}, err
	}
	if now := target(a); now.Hash() != d.Target.Hash() {
		return obstacle{state: testigo.Unavailable, check: movedCheck, detail: fmt.Sprintf("the address of %s was changed from %s to %s; nothing goes anywhere else than where it was sent",
			d.Recipient, place(d.Target, now), place(now, d.Target))}, nil
	}
	if a.Paused {
		return obstacle{state: testigo.Held, detail: d.Recipient + " is paused", check: heldCheck}, nil
	}
	if e.o.Outage != nil {
		if why := e.o.Outage(d.Target.Provider); why != "" {
			return obstacle{state: d.State, detail: why, check: outageCheck}, nil
		}
	}
	return obstacle{}, nil
}

// place names a target, as far as needed to tell it from another. Settings may hold secrets, so only their hash is shown.
func place(t, other testigo.Target) string {
	s := t.Provider + " " + t.Endpoint
	if t.Cwd != other.Cwd {
		s += " in " + t.Cwd
	}
	if string(t.Settings) != string(other.Settings) {
		s += fmt.Sprintf(" with settings %x", t.Hash())[:len(" with settings ")+8]
	}
	return s
}

// serve moves on what one recipient has due: first the turn that is under way, then the head of its queue.
//
// Queues are strictly in order. What is a row's own obstacle (a blocked connection, a back-off, another address) is stepped
// over; what is the recipient's (busy, unavailable) holds everything behind it. Rows behind are BUSY, which only says that
// their turn has not come.
func (e *Engine) serve(ctx context.Context, recipient string, rep *Report) error {
	now := e.o.Clock()
	var active []testigo.Delivery
	err := e.store.Read(ctx, func(r testigo.Reader) (err error) {
		active, err = r.Deliveries(ctx, testigo.DeliveryFilter{States: testigo.ActiveStates(), Recipient: recipient})
		return err
	})
	if err != nil {
		return err
	}
	for _, d := range active {
		if !due(d, now) {
			continue
		}
		rep.Checked++
		if err := e.reconcile(ctx, d, rep); err != nil {
			return err
		}
	}
	return e.advance(ctx, recipient, now, rep)
}

// advance judges the queue and moves its head.
func (e *Engine) advance(ctx context.Context, recipient string, now time.Time, rep *Report) error {
	blocker, items, err := e.queue(ctx, recipient, now)
	if err != nil {
		return err
	}
	touched := false // a row before was due, so the head may be another one than at the last look
	for _, it := range items {
		isDue := due(it.d, now)
		touched = touched || isDue
		switch {
		case it.clear() && blocker == "":
			blocker = it.d.ID
			if touched {
				rep.Checked++
				if err := e.step(ctx, it, rep); err != nil {
					return err
				}
			}
		case !isDue || it.quiet:
		case it.clear():
			rep.Checked++
			err = e.put(ctx, it.d, testigo.Busy, "behind "+blocker, behindCheck)
		default:
			rep.Checked++
			err = e.apply(ctx, it)
		}
		if err != nil && !passedBy(err) {
			return err
		}
	}
	return nil
}

// queue reads a recipient's pending rows in order, judged, and the row that holds its slot.
func (e *Engine) queue(ctx context.Context, recipient string, now time.Time) (blocker string, items []item, err error) {
	err = e.store.Read(ctx, func(r testigo.Reader) error {
		active, err := r.Deliveries(ctx, testigo.DeliveryFilter{States: testigo.ActiveStates(), Recipient: recipient, Limit: 1})
		if err != nil {
			return err
		}
		if len(active) > 0 {
			blocker = active[0].ID
		}
		rows, err := r.Deliveries(ctx, testigo.DeliveryFilter{States: testigo.PendingStates(), Recipient: recipient, Limit: queueShown})
		if err != nil {
			return err
		}
		for _, d := range rows {
			it := item{d: d}
			if it.h, err = r.Handoff(ctx, d.ID); err != nil {
				return err
			}
			if it.obstacle, err = e.look(ctx, r, d, it.h, now); err != nil {
				return err
			}
			items = append(items, it)
		}
		return nil
	})
	return blocker, items, err
}

// apply writes what stands in a row's way.
func (e *Engine) apply(ctx context.Context, it item) error {
	if !it.ends {
		return e.put(ctx, it.d, it.state, it.detail, it.check)
	}
	return e.change(ctx, it.d, func(tx testigo.Tx, h testigo.Handoff, d testigo.Delivery) error {
		now, err := e.look(ctx, tx, d, h, tx.Now())
		if err != nil || !now.ends {
			return err
		}
		return e.finish(ctx, tx, h, d, now)
	})
}

// finish ends a row that was never sent.
func (e *Engine) finish(ctx context.Context, tx testigo.Tx, h testigo.Handoff, d testigo.Delivery, o obstacle) error {
	was := d
	if o.expired {
		gen := h.Claim.Generation
		h.State, h.ClosedAt = testigo.Expired, tx.Now()
		if err := tx.MoveHandoff(ctx, h, testigo.Open, gen); err != nil {
			return err
		}
		if err := e.event(ctx, tx, h.ID, "expired", nil); err != nil {
			return err
		}
	}
	d.State, d.Detail = o.state, o.detail
	d.Receipt.Final = true
	d.Receipt.NotDelivered = o.state != testigo.Acknowledged
	return e.end(ctx, tx, h, was, d)
}

// change runs fn on a row that is still as it was seen. It fails with CodeGone when somebody moved it meanwhile.
func (e *Engine) change(ctx context.Context, seen testigo.Delivery, fn func(tx testigo.Tx, h testigo.Handoff, d testigo.Delivery) error) error {
	return e.write(ctx, func(tx testigo.Tx) error {
		d, err := tx.Delivery(ctx, seen.ID)
		if err != nil {
			return err
		}
		if d.Version != seen.Version || d.RequestID != seen.RequestID {
			return testigo.Errorf(testigo.CodeGone, "the delivery of %s was moved by somebody else", d.ID)
		}
		h, err := tx.Handoff(ctx, d.ID)
		if err != nil {
			return err
		}
		return fn(tx, h, d)
	})
}

// passedBy reports an error that only says that somebody else was faster: the row is looked at again when it is due.
func passedBy(err error) bool {
	return testigo.CodeOf(err) == testigo.CodeGone && testigo.AsError(err) != errLost
}

// put moves a row on to its next check.
func (e *Engine) put(ctx context.Context, seen testigo.Delivery, state testigo.DeliveryState, detail string, check time.Duration) error {
	return e.change(ctx, seen, func(tx testigo.Tx, h testigo.Handoff, d testigo.Delivery) error {
		was := d
		d.State, d.Detail, d.NextCheck = state, detail, tx.Now().Add(e.wait(check))
		if !h.ExpiresAt.IsZero() && d.NextCheck.After(h.ExpiresAt) && h.ExpiresAt.After(tx.Now()) {
			d.NextCheck = h.ExpiresAt
		}
		if err := e.move(ctx, tx, was, d); err != nil {
			return err
		}
		return e.stuck(ctx, tx, h, d)
	})
}
