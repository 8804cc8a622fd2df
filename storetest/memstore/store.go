package memstore

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"sync/atomic"
	"time"

	"github.com/testigo/testigo"
)

// Options describe a new store.
type Options struct {
	// Clock tells the time of transactions; nil means time.Now.
	Clock func() time.Time
	// Flat makes a store that calls itself flat. The rule itself is the use cases'.
	Flat bool
}

// Store is one handle on data in memory.
type Store struct {
	data   *data
	closed atomic.Bool
}

var _ testigo.Store = (*Store)(nil)

// schema is that of the database whose model this is.
const schema = 3

// data is what all handles share.
type data struct {
	id    string
	flat  bool
	clock func() time.Time
	// turn holds one token while a writer runs. A channel, unlike a mutex, can be given up when a context ends and counts
	// as blocked in a synctest bubble.
	turn chan struct{}
	head atomic.Pointer[state]
}

// New makes an empty store.
func New(o Options) *Store {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	var id [16]byte
	rand.Read(id[:]) //nolint:errcheck // it never fails: crypto/rand ends the program instead
	d := &data{id: hex.EncodeToString(id[:]), flat: o.Flat, clock: o.Clock, turn: make(chan struct{}, 1)}
	d.head.Store(newState())
	return &Store{data: d}
}

// Again opens a second handle on the same data, as another process would on a file. Closing one leaves the other open.
func (s *Store) Again() *Store { return &Store{data: s.data} }

// Read implements testigo.Store.
func (s *Store) Read(ctx context.Context, fn func(testigo.Reader) error) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	v := &view{state: s.data.head.Load()}
	defer v.end()
	return fn(v)
}

// Write implements testigo.Store.
func (s *Store) Write(ctx context.Context, fn func(testigo.Tx) error) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	select {
	case s.data.turn <- struct{}{}:
	case <-ctx.Done():
		return ended(ctx)
	}
	// Deferred, so that a panic or a test that ends itself inside fn gives the turn back and publishes nothing.
	defer func() { <-s.data.turn }()

	next := *s.data.head.Load()
	t := &tx{view: view{state: &next}, now: stamp(s.data.clock())}
	defer t.end()
	if err := fn(t); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ended(ctx)
	}
	s.data.head.Store(&next)
	return nil
}

// Info implements testigo.Store.
func (s *Store) Info(ctx context.Context) (testigo.StoreInfo, error) {
	if err := s.usable(ctx); err != nil {
		return testigo.StoreInfo{}, err
	}
	return testigo.StoreInfo{ID: s.data.id, Location: "memory", Backend: "memory", Schema: schema, Flat: s.data.flat}, nil
}

// Close implements testigo.Store. The data live as long as another handle does.
func (s *Store) Close() error {
	s.closed.Store(true)
	return nil
}

func (s *Store) usable(ctx context.Context) error {
	if s.closed.Load() {
		return testigo.Errorf(testigo.CodeUnreachable, "this store is closed")
	}
	if ctx.Err() != nil {
		return ended(ctx)
	}
	return nil
}

// ended is the error of a call whose context was over; errors.Is finds the reason.
func ended(ctx context.Context) error {
	e := testigo.Errorf(testigo.CodeInternal, "the call was given up: %s", ctx.Err())
	e.Err = ctx.Err()
	return e
}

// view reads one state.
type view struct {
	state *state
	over  atomic.Bool
}

var _ testigo.Reader = (*view)(nil)

func (v *view) end() { v.over.Store(true) }

// usable finds readers that escaped from their function: on a database they would fail, or worse, keep a snapshot open.
func (v *view) usable(ctx context.Context) error {
	if v.over.Load() {
		return testigo.Errorf(testigo.CodeInternal, "a reader or transaction was used after its function returned")
	}
	if ctx.Err() != nil {
		return ended(ctx)
	}
	return nil
}

func missing(format string, args ...any) error {
	return testigo.Errorf(testigo.CodeNotFound, format, args...)
}
