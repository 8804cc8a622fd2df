package handoff

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
	"github.com/testigo/testigo/proc"
)

// Caller is who is asking; see memory.Caller.
type Caller = memory.Caller

// Service runs the use cases on one store.
type Service struct {
	store  testigo.Store
	mem    *memory.Service
	random io.Reader
	// alive asks the operating system about a holder's process.
	alive func(testigo.Process) (alive, known bool)
}

// New returns a Service that shares a store with mem.
func New(mem *memory.Service) *Service {
	return &Service{store: mem.Store(), mem: mem, random: rand.Reader, alive: proc.Alive}
}

// WithLiveness replaces the question whether a process lives, for tests and simulations.
func (s *Service) WithLiveness(alive func(testigo.Process) (alive, known bool)) *Service {
	s.alive = alive
	return s
}

// event appends to a handoff's history.
func event(ctx context.Context, tx testigo.Tx, c Caller, id, kind string, data map[string]any) error {
	e := testigo.Event{Seq: tx.NextSeq(), Subject: id, Kind: kind, Actor: c.Agent, Session: c.Session, At: tx.Now()}
	if len(data) > 0 {
		b, err := json.Marshal(data)
		if err != nil {
			return err
		}
		e.Data = b
	}
	return tx.PutEvent(ctx, e)
}
