package engine

import (
	"context"
	"time"

	"github.com/testigo/testigo"
)

// The lease of a store's engine. It is counted on the wall clock: a machine that slept has lost it.
const (
	// leaseFor is how long after its last heartbeat a lease runs out. With standbyEvery another engine has taken over within
	// 15 seconds.
	leaseFor = 12 * time.Second
	// leaseMargin is how long before its end the holder stops trusting it: a write to a session begins at once, but its first
	// byte may leave some seconds later.
	leaseMargin = 2 * time.Second
	// beatEvery is the pause between heartbeats.
	beatEvery = 5 * time.Second
)

// errLost is the error of a write after another engine took over.
var errLost = testigo.Errorf(testigo.CodeGone, "another engine holds the lease of this store")

// takeLease takes or renews the lease, and reports whether this engine holds it now.
func (e *Engine) takeLease(ctx context.Context) (held bool, err error) {
	err = e.store.Write(ctx, func(tx testigo.Tx) error {
		held = false
		l, err := tx.EngineLease(ctx)
		missing := testigo.CodeOf(err) == testigo.CodeNotFound
		if err != nil && !missing {
			return err
		}
		now := tx.Now()
		mine := !missing && l.Generation == e.held()
		if !missing && !mine && !free(l, now) {
			return nil
		}
		if !missing {
			if err := e.skipSleep(ctx, tx, l); err != nil {
				return err
			}
		}
		if !mine {
			l = testigo.Lease{Generation: l.Generation + 1, Holder: e.o.Owner, Name: e.o.Name, TakenAt: now}
		}
		held = true
		e.hold(l.Generation)
		return tx.PutLease(ctx, beat(l, now))
	})
	if !held || err != nil {
		e.hold(0)
	}
	return held && err == nil, err
}

// free reports whether nobody trusts a lease any more. A heartbeat from the future says that the clock was set back; its
// writer, if it lives, takes the lease again with its next one.
func free(l testigo.Lease, now time.Time) bool {
	return !now.Before(l.Until) || now.Before(l.RenewedAt.Add(-leaseFor))
}

// beat renews the lease in the transaction that reserves a write: the write then ends before the lease does.
func (e *Engine) beat(ctx context.Context, tx testigo.Tx) error {
	l, err := tx.EngineLease(ctx)
	if err != nil {
		return err
	}
	return tx.PutLease(ctx, beat(l, tx.Now()))
}

func beat(l testigo.Lease, now time.Time) testigo.Lease {
	l.RenewedAt, l.Until = now, now.Add(leaseFor)
	return l
}

// GiveBack ends the lease, so that another engine need not wait for it to run out.
func (e *Engine) GiveBack(ctx context.Context) error {
	gen := e.held()
	if gen == 0 {
		return nil
	}
	e.hold(0)
	return e.store.Write(ctx, func(tx testigo.Tx) error {
		l, err := tx.EngineLease(ctx)
		if err != nil || l.Generation != gen {
			return err
		}
		l.RenewedAt, l.Until = tx.Now(), tx.Now()
		return tx.PutLease(ctx, l)
	})
}

// write runs fn in a transaction that fails when the lease has passed, and beats when it is old: whatever an engine
// decided before it lost the lease is not written.
func (e *Engine) write(ctx context.Context, fn func(tx testigo.Tx) error) error {
	gen := e.held()
	if gen == 0 {
		return errLost
	}
	return e.store.Write(ctx, func(tx testigo.Tx) error {
		l, err := tx.EngineLease(ctx)
		switch {
		case err != nil:
			return err
		case l.Generation != gen || free(l, tx.Now()):
			return errLost
		case l.Until.Sub(tx.Now()) < leaseFor-beatEvery:
			if err := tx.PutLease(ctx, beat(l, tx.Now())); err != nil {
				return err
			}
		}
		return fn(tx)
	})
}

// skipSleep moves the spans that prove something by the time in which no engine was awake. An hour of a closed lid is not
// an hour of looking. An engine that gave its lease back said that it would be away; such a gap is not a sleep.
func (e *Engine) skipSleep(ctx context.Context, tx testigo.Tx, l testigo.Lease) error {
	gap := tx.Now().Sub(l.RenewedAt)
	switch {
	case l.Until.Equal(l.RenewedAt), gap >= 0 && gap <= leaseFor:
		return nil
	case gap > leaseFor:
		gap -= leaseFor
	}
	rows, err := tx.Deliveries(ctx, testigo.DeliveryFilter{States: testigo.ActiveStates()})
	if err != nil {
		return err
	}
	for _, d := range rows {
		if d.Receipt.FirstAbsentAt == nil && d.Receipt.UnobservedSince == nil {
			continue
		}
		d.Receipt.FirstAbsentAt = later(d.Receipt.FirstAbsentAt, gap)
		d.Receipt.UnobservedSince = later(d.Receipt.UnobservedSince, gap)
		if err := tx.MoveDelivery(ctx, d, d.State, ""); err != nil {
			return err
		}
	}
	return nil
}

func later(t *time.Time, by time.Duration) *time.Time {
	if t == nil {
		return nil
	}
	moved := t.Add(by)
	return &moved
}

func (e *Engine) held() int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.generation
}

func (e *Engine) hold(generation int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.generation = generation
}
