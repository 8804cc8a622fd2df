package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"log/slog"
	mathrand "math/rand/v2"
	"sync"
	"time"

	"github.com/testigo/testigo"
)

// Options describe an engine. Zero fields have defaults.
type Options struct {
	// Providers by name. An agent whose provider is not here is unavailable.
	Providers map[string]testigo.Provider
	// Clock is the wall clock, never a monotonic one: a lease must run out while the machine sleeps.
	Clock func() time.Time
	// Owner is the process that holds the lease, Name its host and purpose for people.
	Owner testigo.Process
	Name  string
	// Parallel bounds how many recipients are served at once; 1 serves them in the caller's goroutine, in order.
	Parallel int
	Log      *slog.Logger
	// Speed divides every wait between attempts, for demonstrations. 0 is 1.
	Speed float64
	// MaxTurn is how long a turn may run before its sender is told. It ends nothing.
	MaxTurn time.Duration
	// Rand gives ids and jitter; nil seeds one from the system.
	Rand *mathrand.Rand
	// Outage says why a provider's targets should wait, or "". It must answer at once, from what it fetched before.
	Outage func(provider string) string
}

// Engine delivers the handoffs of one store.
type Engine struct {
	store testigo.Store
	o     Options

	// randMu guards Rand, which is used by several workers.
	randMu sync.Mutex

	mu sync.Mutex
	// generation of the lease this engine holds; 0 when it holds none.
	generation int64
	// refusals counts how often a row was put off in a row. It is lost with the process, and then starts over.
	refusals map[string]int
	// serving are the recipients a worker is busy with.
	serving map[string]bool

	slots chan struct{}
	loop  loop
}

// New returns an engine that has not started.
func New(store testigo.Store, o Options) *Engine {
	if o.Clock == nil {
		o.Clock = func() time.Time { return time.Now().UTC() }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Rand == nil {
		var seed [16]byte
		rand.Read(seed[:]) //nolint:errcheck // it never fails: crypto/rand ends the program instead
		o.Rand = mathrand.New(mathrand.NewPCG(binary.LittleEndian.Uint64(seed[:]), binary.LittleEndian.Uint64(seed[8:])))
	}
	o.Parallel = cmp.Or(o.Parallel, 8)
	o.Speed = cmp.Or(o.Speed, 1)
	o.MaxTurn = cmp.Or(o.MaxTurn, 2*time.Hour)
	e := &Engine{store: store, o: o, refusals: map[string]int{}, serving: map[string]bool{}, slots: make(chan struct{}, o.Parallel)}
	e.loop.init()
	return e
}

// wait scales a span by the engine's speed.
func (e *Engine) wait(d time.Duration) time.Duration { return time.Duration(float64(d) / e.o.Speed) }

// random returns 64 random bits.
func (e *Engine) random() uint64 {
	e.randMu.Lock()
	defer e.randMu.Unlock()
	return e.o.Rand.Uint64()
}

// provider returns the provider of a target, or one that knows nothing.
func (e *Engine) provider(t testigo.Target) testigo.Provider {
	if p, ok := e.o.Providers[t.Provider]; ok {
		return p
	}
	return noProvider{t.Provider}
}

// noProvider stands in for a provider this engine was not given.
type noProvider struct{ name string }

func (p noProvider) err() error {
	return testigo.Errorf(testigo.CodeUnreachable, "this engine has no provider %q", p.name)
}

func (p noProvider) Activity(context.Context, testigo.Target) (testigo.Activity, error) {
	return testigo.Activity{State: testigo.TurnUnknown}, p.err()
}
func (p noProvider) Prepare(context.Context, testigo.Target) error { return p.err() }
func (p noProvider) Start(context.Context, testigo.Target, testigo.Turn) (testigo.Started, error) {
	return testigo.Started{}, &testigo.Refusal{Kind: testigo.NotSent, Why: p.err().Error()}
}
func (p noProvider) Observe(context.Context, testigo.Target, string, testigo.Receipt) (testigo.Observation, error) {
	return testigo.Observation{}, p.err()
}
