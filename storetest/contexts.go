package storetest

import (
	"context"
	"errors"

	"github.com/testigo/testigo"
)

func contexts(s suite) {
	s.test("a call that was given up before it began does nothing", func(f *fixture) {
		ctx, cancel := context.WithCancel(f.ctx)
		cancel()
		run := func(testigo.Tx) error { f.Error("the function ran"); return nil }
		if err := f.store.Write(ctx, run); !errors.Is(err, context.Canceled) {
			f.Errorf("Write gave %v", err)
		}
		if err := f.store.Read(ctx, func(testigo.Reader) error { return nil }); !errors.Is(err, context.Canceled) {
			f.Errorf("Read gave %v", err)
		}
		f.remembered(fact("p", "a", "b"))
		f.current(fact("p", "a", "b"))
	})

	// Whether the end of the context or the commit comes first is the store's luck. The answer must be true.
	s.test("a transaction given up in the middle happens wholly or not at all", func(f *fixture) {
		for i := range 10 {
			w := f.furnish()
			before := f.observe(w)
			var inside observation
			ctx, cancel := context.WithCancel(f.ctx)
			err := f.store.Write(ctx, func(tx testigo.Tx) (err error) {
				if err := w.change(f.ctx, tx); err != nil {
					return err
				}
				inside, err = w.observe(f.ctx, tx)
				if i%2 == 0 {
					cancel()
				} else {
					go cancel()
				}
				return err
			})
			cancel()
			if err != nil {
				equal(f, "the store after an error", f.observe(w), before)
			} else {
				equal(f, "the store after success", f.observe(w), inside)
			}
		}
	})

	s.test("a read given up in the middle leaves the store usable", func(f *fixture) {
		n := fact("p", "a", "b")
		f.remembered(n)
		for range 10 {
			ctx, cancel := context.WithCancel(f.ctx)
			_ = f.store.Read(ctx, func(r testigo.Reader) error {
				cancel()
				_, err := r.Versions(ctx, n, 0, 10)
				return err
			})
			f.remembered(n)
		}
		f.current(n)
	})

	s.test("waiting for another writer can be given up", func(f *fixture) {
		n := fact("p", "a", "b")
		f.write(func(tx testigo.Tx) error {
			ctx, cancel := context.WithCancel(f.ctx)
			waited := make(chan error)
			go func() {
				waited <- f.store.Write(ctx, func(testigo.Tx) error {
					f.Error("a second writer ran beside the first")
					return nil
				})
			}()
			cancel()
			if err := <-waited; !errors.Is(err, context.Canceled) {
				f.Errorf("the waiting writer got %v", err)
			}
			_, err := remember(f.ctx, tx, n)
			return err
		})
		f.remembered(n)
		equal(f, "numbers", numbers(f.versions(n, 0, 10)), []int{1, 2})
	})
}
