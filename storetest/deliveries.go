package storetest

import (
	"encoding/json"
	"time"

	"github.com/testigo/testigo"
)

// delivery is one that waits, with something in every field that an enrolment fills.
func delivery(tx testigo.Tx, id string, edits ...func(*testigo.Delivery)) testigo.Delivery {
	now := tx.Now()
	d := testigo.Delivery{
		ID: id, Sender: "scout", Recipient: "executor", Place: tx.NextSeq(), Priority: 1, RequestID: "r-" + id, BodyHash: testigo.Hash{9},
		Target: testigo.Target{Provider: "codex", Endpoint: "thread/1", Cwd: "/w/it 🙂", Settings: json.RawMessage(`{"n":1.50}`)},
		State:  testigo.Waiting, Version: 1, CreatedAt: now, UpdatedAt: now, NextCheck: now.Add(time.Second), Detail: "behind another",
	}
	for _, e := range edits {
		e(&d)
	}
	return d
}

// fullReceipt is a receipt with something in every field.
func fullReceipt(at time.Time) testigo.Receipt {
	then := []time.Time{at, at.Add(time.Second), at.Add(2 * time.Second), at.Add(3 * time.Second)}
	return testigo.Receipt{
		TurnID: "turn-1", ClientUserMessageID: "r-1", AcceptedAt: &then[0], ObservedTurnID: "turn-2", TurnOutcome: "interrupted",
		Rejection: "no: \"busy\" <it>\n🙂", RejectedBefore: true, NotDelivered: true, Final: true, Resends: 2, ResentAfter: "failed",
		Previous:    []testigo.PastRequest{{RequestID: "r-0", TurnID: "turn-0"}, {RequestID: "r-00"}},
		AbsentScans: 3, FirstAbsentAt: &then[1], UnobservedSince: &then[2], ReleasedFrom: testigo.Held, ReleasedAt: &then[3],
		Evidence: "thread/read", Provider: json.RawMessage(`{"sandbox":"<&>","n":1.50}`),
	}
}

// enrolled stores a delivery in a transaction of its own.
func (f *fixture) enrolled(id string, edits ...func(*testigo.Delivery)) testigo.Delivery {
	f.Helper()
	var d testigo.Delivery
	f.write(func(tx testigo.Tx) error {
		d = delivery(tx, id, edits...)
		return tx.PutDelivery(f.ctx, d)
	})
	return d
}

func (f *fixture) deliver(d testigo.Delivery, from testigo.DeliveryState, newRequest string) error {
	return f.store.Write(f.ctx, func(tx testigo.Tx) error { return tx.MoveDelivery(f.ctx, d, from, newRequest) })
}

func (f *fixture) delivery(id string) testigo.Delivery {
	f.Helper()
	return read(f, func(r testigo.Reader) (testigo.Delivery, error) { return r.Delivery(f.ctx, id) })
}

func deliveries(s suite) {
	s.test("a delivery comes back as it was given", func(f *fixture) {
		full := f.enrolled("h_1", func(d *testigo.Delivery) {
			d.State, d.Attempts, d.Version, d.Lease, d.DuplicateOf = testigo.Failed, 2, 7, 1<<40, "h_0"
			d.NotBefore, d.Receipt = d.CreatedAt.Add(time.Minute), fullReceipt(d.CreatedAt)
		})
		equal(f, "a full one", f.delivery("h_1"), full)
		bare := testigo.Delivery{ID: "h_2", Recipient: "executor", State: testigo.Waiting}
		f.write(func(tx testigo.Tx) error { return tx.PutDelivery(f.ctx, bare) })
		equal(f, "a bare one", f.delivery("h_2"), bare)
		f.refused(testigo.CodeNotFound, func(r testigo.Reader) error { _, err := r.Delivery(f.ctx, "h_"); return err })
		f.refused(testigo.CodeNotFound, func(r testigo.Reader) error { _, err := r.Delivery(f.ctx, "H_1"); return err })
	})

	s.test("a handoff has one delivery", func(f *fixture) {
		first := f.enrolled("h_1")
		f.write(func(tx testigo.Tx) error {
			second := delivery(tx, "h_1", func(d *testigo.Delivery) { d.Recipient = "rival" })
			f.want(testigo.CodeConflict, tx.PutDelivery(f.ctx, second))
			return tx.PutDelivery(f.ctx, delivery(tx, "h_2")) // the refusal does no harm to the transaction
		})
		equal(f, "the first", f.delivery("h_1"), first)
		f.delivery("h_2")
	})

	s.test("times are kept in UTC and milliseconds, in the receipt too", func(f *fixture) {
		odd := f.clock.Now().Add(1_999_999).In(time.FixedZone("far", 9*3600))
		f.enrolled("h_1", func(d *testigo.Delivery) {
			d.CreatedAt, d.UpdatedAt, d.NextCheck, d.NotBefore = odd, odd, odd, odd
			d.Receipt = testigo.Receipt{AcceptedAt: &odd, FirstAbsentAt: &odd, UnobservedSince: &odd, ReleasedAt: &odd}
		})
		d, want := f.delivery("h_1"), odd.Truncate(time.Millisecond)
		r := d.Receipt
		for i, at := range []time.Time{d.CreatedAt, d.UpdatedAt, d.NextCheck, d.NotBefore, *r.AcceptedAt, *r.FirstAbsentAt, *r.UnobservedSince, *r.ReleasedAt} {
			if !at.Equal(want) || at.Location() != time.UTC {
				f.Errorf("time %d is %v, want %v in UTC", i, at, want)
			}
		}
	})

	s.test("what was given and what came back is the caller's own", func(f *fixture) {
		at := f.clock.Now()
		d := f.enrolled("h_1", func(d *testigo.Delivery) { d.Receipt = fullReceipt(at) })
		want := d
		want.Target.Settings, want.Receipt = json.RawMessage(`{"n":1.50}`), fullReceipt(at)
		for range 2 {
			d.Target.Settings[2], d.Receipt.Provider[2] = 'x', 'x'
			d.Receipt.Previous[0].TurnID, *d.Receipt.AcceptedAt, *d.Receipt.ReleasedAt = "forged", time.Time{}, time.Time{}
			d = f.delivery("h_1")
			equal(f, "the delivery", d, want)
		}
	})

	s.test("deliveries are counted by state, all of them", func(f *fixture) {
		count := func() map[testigo.DeliveryState]int {
			return read(f, func(r testigo.Reader) (map[testigo.DeliveryState]int, error) { return r.CountDeliveries(f.ctx) })
		}
		equal(f, "of a new store", count(), nil)
		for i, state := range testigo.DeliveryStates() {
			for k := range 1 + i%3 {
				f.enrolled(string(state)+string(rune('a'+k)), func(d *testigo.Delivery) { d.State = state })
			}
		}
		want := map[testigo.DeliveryState]int{}
		for i, state := range testigo.DeliveryStates() {
			want[state] = 1 + i%3
		}
		equal(f, "counts", count(), want)
		d := f.delivery(string(testigo.Waiting) + "a")
		d.State = testigo.Sending
		f.must(f.deliver(d, testigo.Waiting, ""))
		want[testigo.Waiting]--
		want[testigo.Sending]++
		if want[testigo.Waiting] == 0 {
			delete(want, testigo.Waiting)
		}
		equal(f, "counts after a move", count(), want)
	})
}

func moves(s suite) {
	s.test("a move replaces what changes, keeps what was frozen, and raises the version", func(f *fixture) {
		d := f.enrolled("h_1", func(d *testigo.Delivery) { d.Version = 4 })
		f.clock.Advance(time.Minute)
		later := f.clock.Now()
		want := d
		want.State, want.Priority, want.Attempts, want.Lease = testigo.Sending, 3, 1, 9
		want.UpdatedAt, want.NextCheck, want.NotBefore = later, later.Add(time.Minute), later.Add(time.Second)
		want.Detail, want.Receipt, want.DuplicateOf = "written", fullReceipt(later), "h_0"
		given := want
		given.Sender, given.Recipient, given.Place, given.BodyHash = "forger", "forged", 999, testigo.Hash{1}
		given.Target, given.CreatedAt = testigo.Target{Provider: "forged"}, later
		f.must(f.deliver(given, testigo.Waiting, ""))
		want.Version = 5
		equal(f, "after the move", f.delivery("h_1"), want)

		want.NextCheck, want.NotBefore, want.Receipt, want.DuplicateOf, want.Detail = time.Time{}, time.Time{}, testigo.Receipt{}, "", ""
		f.must(f.deliver(want, testigo.Sending, ""))
		want.Version = 6
		equal(f, "emptied", f.delivery("h_1"), want)
	})

	s.test("a move names state, request and version of the row it saw", func(f *fixture) {
		d := f.enrolled("h_1")
		next := d
		next.State, next.Detail = testigo.Sending, "written"
		for what, edit := range map[string]func(*testigo.Delivery){
			"another id":      func(d *testigo.Delivery) { d.ID = "h_2" },
			"another request": func(d *testigo.Delivery) { d.RequestID = "r-old" },
			"no request":      func(d *testigo.Delivery) { d.RequestID = "" },
			"an old version":  func(d *testigo.Delivery) { d.Version-- },
			"a later version": func(d *testigo.Delivery) { d.Version++ },
		} {
			other := next
			edit(&other)
			if err := f.deliver(other, testigo.Waiting, "r-new"); testigo.CodeOf(err) != testigo.CodeGone {
				f.Errorf("%s: got %v, want gone", what, err)
			}
		}
		f.want(testigo.CodeGone, f.deliver(next, testigo.Busy, ""))
		equal(f, "the delivery", f.delivery("h_1"), d)
		f.write(func(tx testigo.Tx) error { // a refusal does no harm to the transaction
			f.want(testigo.CodeGone, tx.MoveDelivery(f.ctx, next, testigo.Held, ""))
			return tx.MoveDelivery(f.ctx, next, testigo.Waiting, "")
		})
		f.want(testigo.CodeGone, f.deliver(next, testigo.Waiting, ""))
		next.Version++
		equal(f, "moved once", f.delivery("h_1"), next)
	})

	s.test("only listed moves are made, and a state may be kept", func(f *fixture) {
		for _, from := range testigo.DeliveryStates() {
			for _, to := range testigo.DeliveryStates() {
				d := f.enrolled(string(from+to), func(d *testigo.Delivery) { d.State = from })
				next := d
				next.State, next.Detail = to, "moved"
				err := f.deliver(next, from, "")
				if testigo.CanDeliver(from, to) {
					f.must(err)
					next.Version++
					equal(f, "moved", f.delivery(d.ID), next)
					continue
				}
				f.want(testigo.CodeInternal, err)
				equal(f, "not moved", f.delivery(d.ID), d)
			}
		}
		f.write(func(tx testigo.Tx) error { // whoever goes on after an illegal move loses nothing else
			d := delivery(tx, "h_1", func(d *testigo.Delivery) { d.State = testigo.Cancelled })
			if err := tx.PutDelivery(f.ctx, d); err != nil {
				return err
			}
			d.State = testigo.Sending
			f.want(testigo.CodeInternal, tx.MoveDelivery(f.ctx, d, testigo.Cancelled, ""))
			return nil
		})
		if got := f.delivery("h_1").State; got != testigo.Cancelled {
			f.Errorf("it is %s", got)
		}
		d := f.delivery("h_1")
		d.State = "SHIPPED"
		f.want(testigo.CodeInternal, f.deliver(d, testigo.Cancelled, ""))
	})

	s.test("a resend has a new request id, and the old one moves nothing any more", func(f *fixture) {
		d := f.enrolled("h_1", func(d *testigo.Delivery) { d.State, d.Attempts = testigo.Failed, 2 })
		next := d
		next.State, next.Attempts, next.Receipt.Resends = testigo.Waiting, 0, 1
		next.Receipt.Previous = []testigo.PastRequest{{RequestID: d.RequestID}}
		f.must(f.deliver(next, testigo.Failed, "r-new"))
		next.RequestID, next.Version = "r-new", d.Version+1
		equal(f, "the resend", f.delivery("h_1"), next)
		late := next
		late.RequestID, late.State = d.RequestID, testigo.Sending
		f.want(testigo.CodeGone, f.deliver(late, testigo.Waiting, ""))
		late.RequestID = "r-new"
		f.must(f.deliver(late, testigo.Waiting, ""))
	})

	s.test("of sixteen who move the same row one wins", func(f *fixture) {
		stores := []testigo.Store{f.store, f.another()}
		d := f.enrolled("h_1")
		for round, kept := range []bool{false, true} { // by the state, and by the version alone
			from, next := d.State, d
			if next.State = testigo.Sending; kept {
				from = testigo.Sending
			}
			errs := together(16, func(i int) error {
				return stores[i%len(stores)].Write(f.ctx, func(tx testigo.Tx) error {
					mine := next
					mine.Attempts, mine.Lease = round+1, int64(i)
					return tx.MoveDelivery(f.ctx, mine, from, "")
				})
			})
			winner := int64(-1)
			for i, err := range errs {
				switch {
				case err == nil && winner < 0:
					winner = int64(i)
				case err == nil:
					f.Errorf("%d and %d both won", winner, i)
				default:
					f.want(testigo.CodeGone, err)
				}
			}
			d = f.delivery("h_1")
			if d.Lease != winner || d.Version != int64(round)+2 {
				f.Errorf("the row says %d won in version %d, want %d", d.Lease, d.Version, winner)
			}
		}
	})
}
