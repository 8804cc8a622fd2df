package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/testigo/testigo"
)

// Limits of one call to a provider. A slow one keeps its own recipient waiting and nobody else.
const (
	lookWithin  = 30 * time.Second
	startAnswer = 60 * time.Second
)

// panicked is the error of a provider that broke. It is reported, where an ordinary doubt is not.
type panicked struct{ what any }

func (p panicked) Error() string { return fmt.Sprintf("the provider broke: %v", p.what) }

// ask calls a provider within a time limit and turns a panic into an error: one broken provider does not end the engine.
func ask(ctx context.Context, limit time.Duration, call func(context.Context) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = panicked{p}
		}
	}()
	return call(ctx)
}

// step tries to deliver the head of a queue. Nothing is written to a session before the reservation is committed, and
// nothing of the store's is held while a provider is asked.
func (e *Engine) step(ctx context.Context, it item, rep *Report) error {
	d, p := it.d, e.provider(it.d.Target)
	if done, err := e.idle(ctx, p, d, rep); done || err != nil {
		return err
	}
	err := ask(ctx, lookWithin, func(ctx context.Context) error { return p.Prepare(ctx, d.Target) })
	var no *testigo.Refusal
	switch {
	case errors.As(err, &no):
		return e.ignorePassed(e.refuse(ctx, d, *no, false))
	case err != nil:
		rep.broken(d.ID, err)
		return e.ignorePassed(e.put(ctx, d, testigo.Unavailable, clip("it could not be prepared: "+err.Error()), unavailableCheck))
	}
	if done, err := e.idle(ctx, p, d, rep); done || err != nil {
		return err
	}
	if draining(ctx) {
		return nil
	}
	d, turn, err := e.reserve(ctx, d)
	if err != nil || turn.RequestID == "" {
		return e.ignorePassed(err)
	}
	rep.Sent++
	return e.ignorePassed(e.start(ctx, p, d, turn, rep))
}

func (e *Engine) ignorePassed(err error) error {
	if passedBy(err) {
		return nil
	}
	return err
}

// idle asks whether the target may be given a turn, and puts the row off when it may not. Doubt is not idle.
func (e *Engine) idle(ctx context.Context, p testigo.Provider, d testigo.Delivery, rep *Report) (done bool, err error) {
	var now testigo.Activity
	err = ask(ctx, lookWithin, func(ctx context.Context) (err error) {
		now, err = p.Activity(ctx, d.Target)
		return err
	})
	switch {
	case err != nil:
		rep.broken(d.ID, err)
		err = e.put(ctx, d, testigo.Unavailable, clip("nobody can tell whether it is busy: "+err.Error()), unavailableCheck)
	case now.State == testigo.TurnOpen:
		err = e.put(ctx, d, testigo.Busy, d.Recipient+" is in a turn", busyCheck)
	case !now.State.Idle():
		err = e.put(ctx, d, testigo.Unavailable, "nobody can tell whether it is busy", unavailableCheck)
	default:
		return false, nil
	}
	return true, e.ignorePassed(err)
}

// reserve takes the recipient's slot, the claim and the attempt in one transaction, in which everything is judged again.
// A turn without a request id says that the row may not go after all.
func (e *Engine) reserve(ctx context.Context, seen testigo.Delivery) (d testigo.Delivery, turn testigo.Turn, err error) {
	err = e.change(ctx, seen, func(tx testigo.Tx, h testigo.Handoff, now testigo.Delivery) error {
		turn = testigo.Turn{}
		o, err := e.look(ctx, tx, now, h, tx.Now())
		switch {
		case err != nil:
			return err
		case o.ends:
			return e.finish(ctx, tx, h, now, o)
		case !o.clear():
			return e.delay(ctx, tx, now, o.state, o.detail, busyCheck)
		}
		first, err := e.before(ctx, tx, now)
		if err != nil {
			return err
		}
		if first != "" {
			return e.delay(ctx, tx, now, testigo.Busy, "behind "+first, busyCheck)
		}
		if err := e.beat(ctx, tx); err != nil {
			return err
		}
		if err := e.take(ctx, tx, &h, now.RequestID); err != nil {
			return err
		}
		was := now
		now.State, now.Attempts, now.Lease = testigo.Sending, now.Attempts+1, e.held()
		now.Detail, now.NextCheck, now.NotBefore = "offered to "+now.Recipient, tx.Now().Add(beatEvery), time.Time{}
		if err := e.move(ctx, tx, was, now); err != nil {
			return err
		}
		if turn, err = e.turn(ctx, tx, h, now); err != nil {
			return err
		}
		d, err = tx.Delivery(ctx, now.ID)
		return err
	})
	if err != nil {
		turn = testigo.Turn{}
	}
	return d, turn, err
}

// before names the row that must go before one: what holds the recipient's slot, or what stands before it in the queue and
// could go. A duplicate may have taken its place only a moment ago.
func (e *Engine) before(ctx context.Context, tx testigo.Tx, d testigo.Delivery) (string, error) {
	active, err := tx.Deliveries(ctx, testigo.DeliveryFilter{States: testigo.ActiveStates(), Recipient: d.Recipient, Limit: 1})
	if err != nil {
		return "", err
	}
	if len(active) > 0 {
		return active[0].ID, nil
	}
	rows, err := tx.Deliveries(ctx, testigo.DeliveryFilter{States: testigo.PendingStates(), Recipient: d.Recipient, Limit: queueShown})
	if err != nil {
		return "", err
	}
	for _, o := range rows {
		if o.ID == d.ID {
			break
		}
		h, err := tx.Handoff(ctx, o.ID)
		if err != nil {
			return "", err
		}
		if wait, err := e.look(ctx, tx, o, h, tx.Now()); err != nil {
			return "", err
		} else if wait.clear() {
			was := o
			o.NextCheck = tx.Now()
			return o.ID, e.move(ctx, tx, was, o)
		}
	}
	return "", nil
}

func (e *Engine) delay(ctx context.Context, tx testigo.Tx, d testigo.Delivery, state testigo.DeliveryState, detail string, check time.Duration) error {
	was := d
	if detail != "" {
		d.Detail = detail
	}
	d.State, d.NextCheck = state, tx.Now().Add(e.wait(check))
	return e.move(ctx, tx, was, d)
}

// turn makes what is written: the card, with the pins as they are at this moment, and the claim that the turn acts under.
func (e *Engine) turn(ctx context.Context, tx testigo.Tx, h testigo.Handoff, d testigo.Delivery) (testigo.Turn, error) {
	t := testigo.Turn{Agent: d.Recipient, HandoffID: d.ID, RequestID: d.RequestID, Attempt: len(d.Receipt.Previous) + d.Attempts,
		Claim: fmt.Sprintf("%s#%d", h.ID, h.Claim.Generation), Deadline: tx.Now().Add(leaseFor - leaseMargin), Lease: d.Lease}
	t.Env = []string{"TESTIGO_AGENT=" + t.Agent, "TESTIGO_CLAIM=" + t.Claim}
	c, err := newCard(ctx, tx, tx.Now(), h, t)
	t.Text = c.String()
	return t, err
}

// clip bounds what a provider's error may put into a row.
func clip(s string) string {
	r := []rune(s)
	if len(r) > 400 {
		return string(r[:400]) + "…"
	}
	return s
}
