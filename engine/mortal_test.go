package engine_test

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/testigo/testigo"
)

// mortal is a store as seen by a process that may be killed: from then on nothing of it is written or read.
type mortal struct {
	testigo.Store
	dead atomic.Bool
}

var errDead = errors.New("this process was killed")

func (m *mortal) die() { m.dead.Store(true) }

func (m *mortal) Read(ctx context.Context, fn func(testigo.Reader) error) error {
	if m.dead.Load() {
		return errDead
	}
	return m.Store.Read(ctx, fn)
}

func (m *mortal) Write(ctx context.Context, fn func(testigo.Tx) error) error {
	if m.dead.Load() {
		return errDead
	}
	return m.Store.Write(ctx, fn)
}
