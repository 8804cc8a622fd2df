package mcp

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
)

// services are the use cases on the open store.
type services struct {
	mem  *memory.Service
	hand *handoff.Service
}

// opener opens the store in the background, once, and again at the next call when that failed. A host drops tools whose
// server answers late, so nothing but a tool call waits for it.
type opener struct {
	open  func(context.Context) (testigo.Store, error)
	ready func(context.Context, *services)
	now   func() time.Time
	log   *slog.Logger

	mu      sync.Mutex
	current *attempt
}

// attempt is one try; done closes when its result is there.
type attempt struct {
	done  chan struct{}
	store testigo.Store
	got   *services
	err   error
}

// start begins to open the store.
func (o *opener) start(ctx context.Context) *attempt {
	o.mu.Lock()
	defer o.mu.Unlock()
	if a := o.current; a != nil {
		select {
		case <-a.done:
			if a.err == nil {
				return a
			}
		default:
			return a
		}
	}
	a := &attempt{done: make(chan struct{})}
	o.current = a
	go func() {
		defer close(a.done)
		a.try(ctx, o)
	}()
	return a
}

func (a *attempt) try(ctx context.Context, o *opener) {
	defer func() {
		if p := recover(); p != nil {
			o.log.Error("opening the store panicked", "panic", p)
			a.err = testigo.Errorf(testigo.CodeInternal, "opening the store failed")
		}
	}()
	if a.store, a.err = o.open(ctx); a.err != nil {
		return
	}
	if ctx.Err() != nil { // the server ended meanwhile, and nobody else will close it
		a.err = errors.Join(ctx.Err(), a.store.Close())
		return
	}
	mem := memory.New(a.store)
	if o.now != nil {
		mem.WithClock(o.now)
	}
	a.got = &services{mem: mem, hand: handoff.New(mem)}
	o.ready(ctx, a.got)
}

// services waits for the store. ctx bounds the waiting, not the opening, which goes on for the next call.
func (o *opener) services(ctx, life context.Context) (*services, error) {
	a := o.start(life)
	select {
	case <-a.done:
		return a.got, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// opened returns the store if the last attempt to open it succeeds before ctx is done. It starts none.
func (o *opener) opened(ctx context.Context) (testigo.Store, *services) {
	o.mu.Lock()
	a := o.current
	o.mu.Unlock()
	if a == nil {
		return nil, nil
	}
	select {
	case <-a.done:
	case <-ctx.Done():
		return nil, nil
	}
	if a.err != nil {
		return nil, nil
	}
	return a.store, a.got
}
