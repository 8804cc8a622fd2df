package storetest

import (
	"fmt"
	"testing"

	"github.com/testigo/testigo"
)

func handles(s suite) {
	// C07: registrations answered OK were absent seconds later.
	s.test("what was acknowledged is visible through another handle", func(f *fixture) {
		other := f.another()
		for i := range 500 {
			a := testigo.Agent{Name: fmt.Sprint("agent-", i), Provider: testigo.ProviderInbox, FirstSeen: f.clock.Now(), LastSeen: f.clock.Now()}
			f.write(func(tx testigo.Tx) error { return tx.PutAgent(f.ctx, a) })
			got := readFrom(f, other, func(r testigo.Reader) (testigo.Agent, error) { return r.Agent(f.ctx, a.Name) })
			equal(f, "the agent", got, a)
		}
		all := readFrom(f, other, func(r testigo.Reader) ([]testigo.Agent, error) { return r.Agents(f.ctx) })
		if len(all) != 500 {
			f.Errorf("%d agents, want 500", len(all))
		}
	})

	s.test("another handle sees everything and writes on", func(f *fixture) {
		w := f.furnish()
		other := f.another()
		equal(f, "the store through another handle", w.mustObserve(f, other), f.observe(w))
		seq := f.nextSeq()
		f.must(other.Write(f.ctx, func(tx testigo.Tx) error {
			if got := tx.NextSeq(); got <= seq {
				f.Errorf("the other handle goes on with %d after %d", got, seq)
			}
			return w.change(f.ctx, tx)
		}))
		equal(f, "the store through the first handle", f.observe(w), w.mustObserve(f, other))
	})

	s.test("a store that was closed holds all when it is opened again", func(f *fixture) {
		w := f.furnish()
		f.write(func(tx testigo.Tx) error { return w.change(f.ctx, tx) })
		before, id, seq := f.observe(w), f.info().ID, f.nextSeq()
		f.must(f.store.Close())
		f.store = f.another()
		equal(f, "the store", f.observe(w), before)
		equal(f, "its id", f.info().ID, id)
		if got := f.nextSeq(); got <= seq {
			f.Errorf("sequence number %d follows %d", got, seq)
		}
	})

	s.test("closing one handle leaves the other open, and twice is fine", func(f *fixture) {
		other := f.another()
		f.must(other.Close())
		f.must(other.Close())
		f.remembered(fact("p", "a", "b"))
		err := other.Write(f.ctx, func(testigo.Tx) error { f.Error("ran on a closed handle"); return nil })
		if err == nil {
			f.Error("a closed handle took a transaction")
		}
		if err := other.Read(f.ctx, func(testigo.Reader) error { return nil }); err == nil {
			f.Error("a closed handle answered")
		}
	})

	s.test("a store describes itself", func(f *fixture) {
		info := f.info()
		if info.ID == "" || info.Location == "" || info.Backend == "" || info.Flat || info.ReadOnly || info.Bytes < 0 {
			f.Errorf("%+v", info)
		}
		other := newFixture(f.T, s.open, Options{})
		if got := other.info().ID; got == info.ID {
			f.Errorf("two stores have the id %s", got)
		}
	})

	s.t.Run("a flat store stays flat", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t, s.open, Options{Flat: true})
		if !f.info().Flat {
			f.Error("it was not made flat")
		}
		f.options.Flat = false
		f.store = f.another()
		if !f.info().Flat {
			f.Error("it is not flat when opened again")
		}
	})
}

func (f *fixture) info() testigo.StoreInfo {
	f.Helper()
	info, err := f.store.Info(f.ctx)
	f.must(err)
	return info
}
