package storetest

import (
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/testigo/testigo"
)

func concurrency(s suite) {
	// C02: seven parallel calls once left two facts.
	s.test("fifty writers at once leave fifty versions in the order of their commits", func(f *fixture) {
		const writers = 50
		n := fact("p", "a", "b")
		stores := []testigo.Store{f.store, f.another()}
		var mu sync.Mutex
		var ran []string
		errs := together(writers, func(i int) error {
			return stores[i%len(stores)].Write(f.ctx, func(tx testigo.Tx) error {
				mine := fmt.Sprint(i)
				mu.Lock()
				ran = append(ran, mine)
				mu.Unlock()
				_, err := remember(f.ctx, tx, n, value(mine))
				return err
			})
		})
		for _, err := range errs {
			f.must(err)
		}
		list := f.versions(n, 0, 2*writers)
		var wrote []string
		prev := testigo.Version{Leaf: -1}
		for _, v := range list {
			wrote = append(wrote, string(v.Value))
			if v.Number != prev.Number+1 || v.Seq <= prev.Seq || v.Leaf != prev.Leaf+1 || v.PrevHash != prev.Hash {
				f.Errorf("version %d (number %d, leaf %d) does not follow version %d", v.Number, v.Seq, v.Leaf, prev.Number)
			}
			if v.Current() != (v.Number == writers) {
				f.Errorf("version %d is current: %v", v.Number, v.Current())
			}
			prev = v
		}
		equal(f, "the order", wrote, ran)
		if size := f.log().Size; size != writers {
			f.Errorf("the log has %d leaves, want %d", size, writers)
		}
	})

	s.test("writers never overlap", func(f *fixture) {
		stores := []testigo.Store{f.store, f.another()}
		var inside atomic.Int32
		for _, err := range together(16, func(i int) error {
			return stores[i%len(stores)].Write(f.ctx, func(tx testigo.Tx) error {
				if n := inside.Add(1); n != 1 {
					f.Errorf("%d writers at once", n)
				}
				defer inside.Add(-1)
				_, err := remember(f.ctx, tx, fact("p", "a", fmt.Sprint(i)))
				return err
			})
		}) {
			f.must(err)
		}
	})

	// The writer keeps two facts equal; a reader that sees them differ saw half a transaction.
	s.test("readers beside writers see whole transactions", func(f *fixture) {
		a, b := fact("p", "pair", "a"), fact("p", "pair", "b")
		both := func(i int) error {
			return f.store.Write(f.ctx, func(tx testigo.Tx) error {
				for _, n := range []testigo.Name{a, b} {
					if _, err := remember(f.ctx, tx, n, func(d *draft) { d.Value = json.RawMessage(fmt.Sprint(i)) }, body("pair")); err != nil {
						return err
					}
				}
				return nil
			})
		}
		f.must(both(0))
		stores := []testigo.Store{f.store, f.another()}
		for _, err := range together(8, func(i int) error {
			for k := range 10 {
				if i < 2 {
					if err := both(i*10 + k); err != nil {
						return err
					}
					continue
				}
				if err := stores[i%len(stores)].Read(f.ctx, func(r testigo.Reader) error { return samePair(f, r, a, b) }); err != nil {
					return err
				}
			}
			return nil
		}) {
			f.must(err)
		}
	})
}

func samePair(f *fixture, r testigo.Reader, a, b testigo.Name) error {
	one, err := r.Current(f.ctx, a)
	if err != nil {
		return err
	}
	two, err := r.Current(f.ctx, b)
	if err != nil {
		return err
	}
	c, err := r.Candidates(f.ctx, testigo.SearchQuery{Terms: []string{"pair"}, Limit: 10})
	if err != nil {
		return err
	}
	if string(one.Value) != string(two.Value) || one.Number != two.Number || len(c.List) != 2 || c.Docs != 2 {
		return fmt.Errorf("half a transaction: %s in version %d, %s in version %d, %d found", one.Value, one.Number, two.Value, two.Number, len(c.List))
	}
	for _, found := range c.List {
		if string(found.Version.Value) != string(one.Value) {
			return fmt.Errorf("found %s, want %s", found.Version.Value, one.Value)
		}
	}
	return nil
}
