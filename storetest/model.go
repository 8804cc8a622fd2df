package storetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/storetest/memstore"
)

// model runs random programs on the store and on package memstore and compares every answer after every transaction. The
// flag -rapid.checks says how many.
func model(s suite) {
	s.t.Run("random programs have the answers of the model", func(t *testing.T) {
		t.Parallel()
		root, runs := t.TempDir(), 0
		rapid.Check(t, func(rt *rapid.T) {
			runs++
			place := filepath.Join(root, fmt.Sprint(runs))
			if err := os.Mkdir(place, 0o700); err != nil {
				rt.Fatal(err)
			}
			clock := NewClock()
			store := s.open(t, Options{Place: place, Clock: clock.Now})
			rt.Cleanup(func() {
				if err := store.Close(); err != nil {
					t.Errorf("closing: %v", err)
				}
			})
			m := &machine{T: rt, ctx: context.Background(), clock: clock, store: store,
				model: memstore.New(memstore.Options{Clock: clock.Now}), world: smallWorld()}
			for range rapid.IntRange(1, 6).Draw(rt, "transactions") {
				m.transaction()
				m.compare(m.observations())
			}
		})
	})
}

// smallWorld is small on purpose: programs that touch the same few things find more.
func smallWorld() *world {
	return &world{
		names:  []testigo.Name{fact("p", "a", "b"), fact("", "a", "b"), fact("p", "a/b", "b"), fact("q", "c", "d")},
		agents: []string{"scout", "executor"}, sessions: []string{"morning", "noon"}, keys: []string{"k1", "k2"},
		ids: []string{"h_1a", "h_1b", "h_2a"}, terms: []string{"red", "green", "blue"}, filters: []string{"p1", "p2", "tred"},
		settings: []string{"paused", "hops"},
	}
}

// machine drives a store and its model through the same program.
type machine struct {
	*rapid.T
	*world
	ctx   context.Context
	clock *Clock
	store testigo.Store
	model testigo.Store
	// tx and twin are the open transactions of store and model.
	tx, twin testigo.Tx
}

// transaction runs one to five random steps; now and then it fails at the end and has to leave nothing.
func (m *machine) transaction() {
	m.clock.Advance(time.Duration(rapid.IntRange(-3000, 5000).Draw(m.T, "clock")) * time.Millisecond)
	m.times = append(m.times, m.clock.Now())
	steps := rapid.SliceOfN(rapid.SampledFrom(m.steps()), 1, 5).Draw(m.T, "steps")
	fails := rapid.IntRange(0, 5).Draw(m.T, "fails") == 0
	looks := rapid.Bool().Draw(m.T, "looks inside")
	err := m.store.Write(m.ctx, func(tx testigo.Tx) error {
		return m.model.Write(m.ctx, func(twin testigo.Tx) error {
			m.tx, m.twin = tx, twin
			if !tx.Now().Equal(twin.Now()) {
				m.Fatalf("now is %v, want %v", tx.Now(), twin.Now())
			}
			for _, s := range steps {
				s.run()
			}
			if looks {
				m.compare(m.inside())
			}
			if fails {
				return errOnPurpose
			}
			return nil
		})
	})
	if fails && err != errOnPurpose || !fails && err != nil { //nolint:errorlint // the contract says: as it is
		m.Fatalf("the transaction ended with %v", err)
	}
}

func (m *machine) inside() (got, want observation) {
	got, err := m.world.observe(m.ctx, m.tx)
	if err != nil {
		m.Fatal(err)
	}
	want, err = m.world.observe(m.ctx, m.twin)
	if err != nil {
		m.Fatal(err)
	}
	return got, want
}

func (m *machine) observations() (got, want observation) {
	look := func(s testigo.Store) (o observation) {
		if err := s.Read(m.ctx, func(r testigo.Reader) (err error) {
			o, err = m.world.observe(m.ctx, r)
			return err
		}); err != nil {
			m.Fatal(err)
		}
		return o
	}
	return look(m.store), look(m.model)
}

func (m *machine) compare(got, want observation) {
	if diff := cmp.Diff(want, got, sameness); diff != "" {
		m.Fatalf("the store differs from the model (-model +store):\n%s", diff)
	}
}

// both does the same to store and model; it has to end the same.
func (m *machine) both(what string, do func(tx testigo.Tx) error) {
	err, twin := do(m.tx), do(m.twin)
	if testigo.CodeOf(err) != testigo.CodeOf(twin) {
		m.Fatalf("%s: the store says %v, the model %v", what, err, twin)
	}
}

// seq takes the store's next number for both: gaps are the store's own affair.
func (m *machine) seq() int64 { return m.tx.NextSeq() }
