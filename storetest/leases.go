package storetest

import (
	"errors"
	"time"

	"github.com/testigo/testigo"
)

func (f *fixture) putLease(l testigo.Lease) error {
	return f.store.Write(f.ctx, func(tx testigo.Tx) error { return tx.PutLease(f.ctx, l) })
}

func (f *fixture) lease() testigo.Lease {
	f.Helper()
	return read(f, func(r testigo.Reader) (testigo.Lease, error) { return r.EngineLease(f.ctx) })
}

func leases(s suite) {
	s.test("a lease is renewed in its generation and taken over with the next one", func(f *fixture) {
		f.refused(testigo.CodeNotFound, func(r testigo.Reader) error { _, err := r.EngineLease(f.ctx); return err })
		at := f.clock.Now()
		l := testigo.Lease{Generation: 1, Holder: testigo.Process{PID: 42, Started: "881", Boot: "b00t"}, Name: "it's here 🙂",
			TakenAt: at, RenewedAt: at, Until: at.Add(15 * time.Second)}
		for _, wrong := range []int64{-1, 0, 2, 1 << 40} {
			other := l
			other.Generation = wrong
			f.want(testigo.CodeGone, f.putLease(other))
		}
		f.refused(testigo.CodeNotFound, func(r testigo.Reader) error { _, err := r.EngineLease(f.ctx); return err })
		f.must(f.putLease(l))
		equal(f, "taken", f.lease(), l)
		l.RenewedAt, l.Until = at.Add(time.Second), at.Add(time.Minute)
		f.must(f.putLease(l))
		equal(f, "renewed", f.lease(), l)
		next := testigo.Lease{Generation: 2, Holder: testigo.Process{PID: 43}, TakenAt: at.Add(time.Hour)}
		f.must(f.putLease(next))
		equal(f, "taken over", f.lease(), next)
		f.want(testigo.CodeGone, f.putLease(l)) // the old holder wakes up
		l.Generation = 4
		f.want(testigo.CodeGone, f.putLease(l))
		equal(f, "still the next one's", f.lease(), next)
	})

	s.test("times of a lease are kept in UTC and milliseconds", func(f *fixture) {
		odd := f.clock.Now().Add(1_999_999).In(time.FixedZone("far", 9*3600))
		f.must(f.putLease(testigo.Lease{Generation: 1, TakenAt: odd, RenewedAt: odd, Until: odd}))
		l := f.lease()
		for _, at := range []time.Time{l.TakenAt, l.RenewedAt, l.Until} {
			if !at.Equal(odd.Truncate(time.Millisecond)) || at.Location() != time.UTC {
				f.Errorf("%v came back as %v", odd, at)
			}
		}
	})

	s.test("a refused lease takes nothing else with it but what its caller gives up", func(f *fixture) {
		f.must(f.putLease(testigo.Lease{Generation: 1}))
		f.write(func(tx testigo.Tx) error {
			f.want(testigo.CodeGone, tx.PutLease(f.ctx, testigo.Lease{Generation: 3}))
			return tx.PutDelivery(f.ctx, delivery(tx, "h_1"))
		})
		f.delivery("h_1")
	})

	s.test("of sixteen who take over one gets the generation", func(f *fixture) {
		stores := []testigo.Store{f.store, f.another()}
		for before := range int64(2) {
			winners := 0
			for _, err := range together(16, func(i int) error {
				return stores[i%len(stores)].Write(f.ctx, func(tx testigo.Tx) error {
					l, err := tx.EngineLease(f.ctx)
					if err != nil && testigo.CodeOf(err) != testigo.CodeNotFound {
						return err
					}
					if l.Generation != before {
						return errOnPurpose
					}
					return tx.PutLease(f.ctx, testigo.Lease{Generation: before + 1, Holder: testigo.Process{PID: i + 1}})
				})
			}) {
				if err == nil {
					winners++
				} else if !errors.Is(err, errOnPurpose) {
					f.Error(err)
				}
			}
			if got := f.lease().Generation; winners != 1 || got != before+1 {
				f.Errorf("%d took over, and the lease is in generation %d", winners, got)
			}
		}
	})
}

func notices(s suite) {
	s.test("there is one notice for each handoff and kind", func(f *fixture) {
		noticed := func(handoff string, kind testigo.NoticeKind) bool {
			return read(f, func(r testigo.Reader) (bool, error) { return r.Noticed(f.ctx, handoff, kind) })
		}
		put := func(tx testigo.Tx, handoff string, kind testigo.NoticeKind) error {
			return tx.PutNotice(f.ctx, handoff, kind, tx.Now())
		}
		f.write(func(tx testigo.Tx) error {
			return errors.Join(put(tx, "h_1", testigo.NoticeStuck), put(tx, "h_2", testigo.NoticeEnded))
		})
		for _, c := range []struct {
			handoff string
			kind    testigo.NoticeKind
			want    bool
		}{
			{"h_1", testigo.NoticeStuck, true}, {"h_1", testigo.NoticeEnded, false}, {"h_2", testigo.NoticeEnded, true},
			{"H_1", testigo.NoticeStuck, false}, {"h_3", testigo.NoticeStuck, false}, {"h_1", "", false},
		} {
			if got := noticed(c.handoff, c.kind); got != c.want {
				f.Errorf("%s of %s: %v", c.kind, c.handoff, got)
			}
		}
		f.write(func(tx testigo.Tx) error {
			f.want(testigo.CodeConflict, put(tx, "h_1", testigo.NoticeStuck))
			return put(tx, "h_1", testigo.NoticeEnded) // the refusal does no harm to the transaction
		})
		if !noticed("h_1", testigo.NoticeEnded) {
			f.Error("the second kind was not noted")
		}
		err := f.store.Write(f.ctx, func(tx testigo.Tx) error {
			return errors.Join(put(tx, "h_3", testigo.NoticeHops), errOnPurpose)
		})
		if !errors.Is(err, errOnPurpose) || noticed("h_3", testigo.NoticeHops) {
			f.Errorf("a notice of a transaction that failed: %v", err)
		}
	})

	s.test("of sixteen who notice the same one writes it", func(f *fixture) {
		stores := []testigo.Store{f.store, f.another()}
		wrote := 0
		for _, err := range together(16, func(i int) error {
			return stores[i%len(stores)].Write(f.ctx, func(tx testigo.Tx) error {
				return tx.PutNotice(f.ctx, "h_1", testigo.NoticeOverdue, tx.Now())
			})
		}) {
			if err == nil {
				wrote++
			} else {
				f.want(testigo.CodeConflict, err)
			}
		}
		if wrote != 1 {
			f.Errorf("%d wrote the notice", wrote)
		}
	})
}
