package engine

import (
	"context"
	"sync"
	"time"

	"github.com/testigo/testigo"
)

const (
	// drainFor is how long Stop waits for what is under way. A supervisor keeps its turn longer than that.
	drainFor = 5 * time.Second
	// standbyEvery is how often an engine without the lease asks for it: with leaseFor it takes over within 15 seconds.
	standbyEvery = 2 * time.Second
)

// loop is the engine's background service.
type loop struct {
	mu      sync.Mutex
	started bool
	stopped bool
	// stop ends the loop and keeps workers from reserving; cut ends the provider calls that are under way.
	stop, cut context.CancelFunc
	done      chan struct{}
	wake      chan struct{}
	workers   sync.WaitGroup
}

func (l *loop) init() {
	l.wake = make(chan struct{}, 1)
	l.done = make(chan struct{})
}

// Start runs passes in the background until Stop. Starting twice, or after a stop, does nothing.
func (e *Engine) Start(ctx context.Context) {
	l := &e.loop
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.started || l.stopped {
		return
	}
	l.started = true
	hard, cut := context.WithCancel(context.WithoutCancel(ctx))
	soft, stop := context.WithCancel(ctx)
	l.stop, l.cut = stop, cut
	go func() {
		defer close(l.done)
		e.run(soft, hard)
	}()
}

// Started reports whether the service runs.
func (e *Engine) Started() bool {
	l := &e.loop
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.started && !l.stopped
}

// Stop drains: nothing new is written to a session, what is under way is recorded if it ends in time, and the lease is
// given back. It returns within five seconds and a little. Stopping twice, or before a start, is fine.
func (e *Engine) Stop() {
	l := &e.loop
	l.mu.Lock()
	first := l.started && !l.stopped
	l.stopped = true
	l.mu.Unlock()
	if !first {
		return
	}
	l.stop()
	drained := make(chan struct{})
	go func() {
		<-l.done
		l.workers.Wait()
		close(drained)
	}()
	limit := time.NewTimer(drainFor)
	defer limit.Stop()
	select {
	case <-drained:
	case <-limit.C:
		e.o.Log.Warn("stopped with calls under way; their deliveries are looked at by the next engine")
	}
	l.cut()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := e.GiveBack(ctx); err != nil {
		e.o.Log.Warn("the lease was not given back; it runs out by itself", "error", err)
	}
}

// Wake makes the service look at once, because something was sent.
func (e *Engine) Wake() {
	select {
	case e.loop.wake <- struct{}{}:
	default:
	}
}

// run makes a pass, then waits for the next due row, a heartbeat or a wake.
func (e *Engine) run(soft, hard context.Context) {
	for soft.Err() == nil {
		pause := e.round(soft, hard)
		timer := time.NewTimer(pause)
		select {
		case <-soft.Done():
		case <-timer.C:
		case <-e.loop.wake:
		}
		timer.Stop()
	}
}

// round starts workers for what is due, and says how long nothing will be. It does not wait for them: a slow provider
// keeps only its own recipient.
func (e *Engine) round(soft, hard context.Context) time.Duration {
	rep := Report{}
	jobs, err := e.plan(soft, &rep)
	switch {
	case err != nil:
		if soft.Err() == nil {
			e.o.Log.Error("the pass failed", "error", err)
		}
		return standbyEvery
	case rep.Skipped:
		return standbyEvery
	}
	began := false
	for _, j := range jobs {
		began = e.spawn(soft, hard, j) || began
	}
	var next time.Time
	err = e.store.Read(soft, func(r testigo.Reader) (err error) {
		next, err = r.NextDue(soft)
		return err
	})
	now := e.o.Clock()
	if err != nil || next.IsZero() || !next.After(now) && !began { // due, but its recipient is being served: its worker wakes us
		return beatEvery
	}
	return min(max(next.Sub(now), 10*time.Millisecond), beatEvery)
}

// spawn serves a recipient in a worker, if one is free and nobody serves it. Only a worker that served wakes the loop:
// otherwise a row that stays due behind a slow call would keep it spinning.
func (e *Engine) spawn(soft, hard context.Context, j job) bool {
	if e.isServing(j.recipient) {
		return false
	}
	select {
	case e.slots <- struct{}{}:
	default:
		return false
	}
	e.loop.workers.Add(1)
	go func() {
		defer e.loop.workers.Done()
		defer e.Wake()
		defer func() { <-e.slots }()
		part := Report{}
		err := e.do(stopping{hard, soft}, j, &part)
		if err != nil && soft.Err() == nil {
			e.o.Log.Error("a recipient could not be served", "recipient", j.recipient, "error", err)
		}
		for _, f := range part.Errors {
			e.o.Log.Error("a provider broke", "handoff", f.ID, "error", f.Error)
		}
	}()
	return true
}

// stopping is the context of a worker: calls go on while the engine drains, and nothing new is reserved.
type stopping struct {
	context.Context
	soft context.Context
}

// draining reports whether nothing new may be written to a session.
func draining(ctx context.Context) bool {
	if s, ok := ctx.(stopping); ok && s.soft.Err() != nil {
		return true
	}
	return ctx.Err() != nil
}
