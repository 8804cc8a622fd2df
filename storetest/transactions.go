package storetest

import (
	"errors"
	"fmt"
	"time"

	"github.com/testigo/testigo"
)

var errOnPurpose = errors.New("on purpose")

func transactions(s suite) {
	s.test("a transaction that fails leaves nothing", func(f *fixture) {
		w := f.furnish()
		before, seq := f.observe(w), f.nextSeq()
		err := f.store.Write(f.ctx, func(tx testigo.Tx) error {
			if err := w.change(f.ctx, tx); err != nil {
				return err
			}
			return errOnPurpose
		})
		if err != errOnPurpose { //nolint:errorlint // the contract says: as it is
			f.Fatalf("got %v, want the function's own error as it is", err)
		}
		equal(f, "the store", f.observe(w), before)
		if got := f.nextSeq(); got != seq+1 {
			f.Errorf("sequence number %d follows %d: the failed transaction used some up", got, seq)
		}
		if findings, err := f.store.CheckIndex(f.ctx); err != nil || len(findings) > 0 {
			f.Errorf("the index: %+v, %v", findings, err)
		}
		f.write(func(tx testigo.Tx) error { return w.change(f.ctx, tx) })
	})

	s.test("a transaction that panics leaves nothing and holds up nobody", func(f *fixture) {
		w := f.furnish()
		before := f.observe(w)
		func() {
			defer func() {
				if got, _ := recover().(error); !errors.Is(got, errOnPurpose) {
					f.Errorf("recovered %v, want the function's own panic", got)
				}
			}()
			_ = f.store.Write(f.ctx, func(tx testigo.Tx) error {
				if err := w.change(f.ctx, tx); err != nil {
					return err
				}
				panic(errOnPurpose)
			})
		}()
		equal(f, "the store", f.observe(w), before)
		f.remembered(fact("p", "after", "panic"))
	})

	s.test("a transaction sees what it did", func(f *fixture) {
		w := f.furnish()
		var inside observation
		f.write(func(tx testigo.Tx) (err error) {
			if err := w.change(f.ctx, tx); err != nil {
				return err
			}
			inside, err = w.observe(f.ctx, tx)
			return err
		})
		equal(f, "the store afterwards", f.observe(w), inside)
	})

	s.test("functions run once and their errors come back as they are", func(f *fixture) {
		runs := 0
		err := f.store.Read(f.ctx, func(testigo.Reader) error { runs++; return errOnPurpose })
		if err != errOnPurpose { //nolint:errorlint // the contract says: as it is
			f.Errorf("Read gave %v", err)
		}
		own := testigo.Errorf(testigo.CodeRefused, "not in this situation").WithNext("recall a/b")
		err = f.store.Write(f.ctx, func(testigo.Tx) error { runs++; return own })
		if err != error(own) { //nolint:errorlint // the contract says: as it is
			f.Errorf("Write gave %v", err)
		}
		if runs != 2 {
			f.Errorf("two functions ran %d times", runs)
		}
	})

	s.test("a read keeps its snapshot while a writer commits", func(f *fixture) {
		w := f.furnish()
		other := f.another()
		var during observation
		err := f.store.Read(f.ctx, func(r testigo.Reader) error {
			first, err := w.observe(f.ctx, r)
			if err != nil {
				return err
			}
			for i, s := range []testigo.Store{f.store, other} {
				wrote := make(chan error)
				go func() {
					wrote <- s.Write(f.ctx, func(tx testigo.Tx) error {
						if i == 0 {
							return w.change(f.ctx, tx)
						}
						_, err := remember(f.ctx, tx, w.names[0], body("later"))
						return err
					})
				}()
				if err := <-wrote; err != nil {
					return fmt.Errorf("a writer beside a reader: %w", err)
				}
			}
			if during, err = w.observe(f.ctx, r); err != nil {
				return err
			}
			equal(f, "the snapshot", during, first)
			return nil
		})
		f.must(err)
		if v := f.current(w.names[0]); v.Number != 2 || len(f.found([]string{"later"})) != 1 {
			f.Error("a new read does not see what was committed")
		}
	})

	s.test("reading writes nothing", func(f *fixture) { // F08
		w := f.furnish()
		before, seq := f.observe(w), f.nextSeq()
		for range 1000 {
			f.current(w.names[0])
		}
		for range 20 {
			equal(f, "the store", f.observe(w), before)
		}
		if got := f.nextSeq(); got != seq+1 {
			f.Errorf("sequence number %d follows %d after reads only", got, seq)
		}
	})
}

// nextSeq takes a sequence number in a transaction that does nothing else.
func (f *fixture) nextSeq() (seq int64) {
	f.Helper()
	f.write(func(tx testigo.Tx) error { seq = tx.NextSeq(); return nil })
	return seq
}

func order(s suite) {
	s.test("a transaction has one time, in UTC and milliseconds", func(f *fixture) {
		local := time.Date(2026, 7, 1, 3, 4, 5, 678_999_999, time.FixedZone("far", -9*3600))
		f.clock.Set(local)
		f.write(func(tx testigo.Tx) error {
			first := tx.Now()
			f.clock.Advance(time.Hour)
			if got := tx.Now(); got != first {
				f.Errorf("%v became %v", first, got)
			}
			if want := local.UTC().Truncate(time.Millisecond); !first.Equal(want) || first.Location() != time.UTC {
				f.Errorf("now is %v, want %v", first, want)
			}
			return nil
		})
	})

	s.test("sequence numbers rise, whatever the clock does", func(f *fixture) { // E08
		other := f.another()
		last := int64(0)
		for i := range 20 {
			s := []testigo.Store{f.store, other}[i%2]
			f.must(s.Write(f.ctx, func(tx testigo.Tx) error {
				for range 3 {
					seq := tx.NextSeq()
					if seq <= last {
						f.Errorf("%d follows %d", seq, last)
					}
					last = seq
				}
				return nil
			}))
			f.clock.Advance(-time.Second)
		}
	})

	// E08: 1,000 messages within one second, the clock stepping back 5 s in the middle; no cursor skips one.
	s.test("a cursor skips nothing within one millisecond", func(f *fixture) {
		const total, batch = 1000, 50
		for sent := 0; sent < total; sent += batch {
			if sent == total/2 {
				f.clock.Advance(-5 * time.Second)
			}
			f.write(func(tx testigo.Tx) error {
				for i := range batch {
					e := testigo.Event{Seq: tx.NextSeq(), Subject: "inbox", Kind: fmt.Sprint("m", sent+i), Actor: "scout", At: tx.Now()}
					if err := tx.PutEvent(f.ctx, e); err != nil {
						return err
					}
				}
				return nil
			})
		}
		seen, after := 0, int64(0)
		for {
			page := read(f, func(r testigo.Reader) ([]testigo.Event, error) { return r.Events(f.ctx, "inbox", after, 7) })
			if len(page) == 0 {
				break
			}
			for _, e := range page {
				if want := fmt.Sprint("m", seen); e.Kind != want {
					f.Fatalf("%s came, want %s", e.Kind, want)
				}
				seen++
			}
			after = page[len(page)-1].Seq
		}
		if seen != total {
			f.Errorf("%d messages, want %d", seen, total)
		}
	})
}
