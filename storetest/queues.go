package storetest

import (
	"errors"
	"fmt"
	"time"

	"github.com/testigo/testigo"
)

func (f *fixture) queued(q testigo.DeliveryFilter) (ids string) {
	f.Helper()
	for _, d := range read(f, func(r testigo.Reader) ([]testigo.Delivery, error) { return r.Deliveries(f.ctx, q) }) {
		ids += d.ID
	}
	return ids
}

// lists checks what a filter lists, and that a limit cuts the same order off.
func (f *fixture) lists(q testigo.DeliveryFilter, want string) {
	f.Helper()
	if got := f.queued(q); got != want {
		f.Errorf("%+v lists %q, want %q", q, got, want)
	}
	for q.Limit = 1; q.Limit <= len(want); q.Limit++ {
		if got := f.queued(q); got != want[:q.Limit] {
			f.Errorf("%+v lists %q, want %q", q, got, want[:q.Limit])
		}
	}
}

func (f *fixture) nextDue() time.Time {
	f.Helper()
	return read(f, func(r testigo.Reader) (time.Time, error) { return r.NextDue(f.ctx) })
}

// alive are the states that an engine asks about.
func alive() []testigo.DeliveryState {
	return append(append(testigo.PendingStates(), testigo.ActiveStates()...), testigo.Failed)
}

func queues(s suite) {
	s.test("a queue goes by priority, highest first, then by place", func(f *fixture) {
		put := func(id string, priority int, place int64, edits ...func(*testigo.Delivery)) {
			f.enrolled(id, append(edits, func(d *testigo.Delivery) { d.Priority, d.Place = priority, place })...)
		}
		state := func(s testigo.DeliveryState) func(*testigo.Delivery) {
			return func(d *testigo.Delivery) { d.State = s }
		}
		to := func(name string) func(*testigo.Delivery) { return func(d *testigo.Delivery) { d.Recipient = name } }
		put("e", 0, 10)
		put("b", 2, 40, state(testigo.Held))
		put("a", 2, 30, state(testigo.Sending))
		put("g", -1, 5)
		put("d", 0, 9, state(testigo.Busy))
		put("c", 1, 50, state(testigo.Cancelled))
		put("x", 2, 35, to("Executor"), func(d *testigo.Delivery) { d.Sender = "rival" })
		put("f", 0, 11, state(testigo.Failed))
		put("h", -1, 6, state(testigo.Failed), func(d *testigo.Delivery) { d.Receipt.Final = true })
		all := testigo.DeliveryStates()
		for _, c := range []struct {
			filter testigo.DeliveryFilter
			want   string
		}{
			{testigo.DeliveryFilter{}, "axbcdefgh"},
			{testigo.DeliveryFilter{Recipient: "executor"}, "abcdefgh"},
			{testigo.DeliveryFilter{Recipient: "Executor"}, "x"},
			{testigo.DeliveryFilter{Recipient: "nobody"}, ""},
			{testigo.DeliveryFilter{Recipient: "executor", States: testigo.PendingStates()}, "bdeg"},
			{testigo.DeliveryFilter{Recipient: "executor", States: testigo.ActiveStates()}, "a"},
			{testigo.DeliveryFilter{Recipient: "executor", States: alive()}, "abdefgh"},
			{testigo.DeliveryFilter{Recipient: "executor", States: alive(), NotFinal: true}, "abdefg"},
			{testigo.DeliveryFilter{Recipient: "executor", States: []testigo.DeliveryState{testigo.Waiting}}, "eg"},
			{testigo.DeliveryFilter{Recipient: "executor", States: []testigo.DeliveryState{testigo.Cancelled, testigo.Waiting}}, "ceg"},
			{testigo.DeliveryFilter{Recipient: "executor", States: all, NotFinal: true}, "abcdefg"},
			{testigo.DeliveryFilter{Recipient: "executor", NotFinal: true, Sender: "scout"}, "abcdefg"},
			{testigo.DeliveryFilter{States: testigo.PendingStates()}, "xbdeg"},
			{testigo.DeliveryFilter{States: []testigo.DeliveryState{testigo.Failed}}, "fh"},
			{testigo.DeliveryFilter{States: []testigo.DeliveryState{testigo.Failed}, NotFinal: true}, "f"},
			{testigo.DeliveryFilter{States: []testigo.DeliveryState{"SHIPPED"}}, ""},
			{testigo.DeliveryFilter{NotFinal: true}, "axbcdefg"},
			{testigo.DeliveryFilter{Sender: "rival"}, "x"},
			{testigo.DeliveryFilter{Sender: "scout", States: testigo.ActiveStates()}, "a"},
			{testigo.DeliveryFilter{Sender: "rival", Recipient: "executor"}, ""},
		} {
			f.lists(c.filter, c.want)
		}
	})

	s.test("a resend keeps its place, and another priority moves a row", func(f *fixture) {
		for _, id := range []string{"a", "b", "c"} {
			f.enrolled(id)
		}
		queue := testigo.DeliveryFilter{Recipient: "executor", States: alive(), NotFinal: true}
		for _, step := range []struct {
			id      string
			to      testigo.DeliveryState
			edit    func(*testigo.Delivery)
			request string
			want    string
		}{
			{"a", testigo.Failed, func(*testigo.Delivery) {}, "", "abc"},
			{"a", testigo.Waiting, func(*testigo.Delivery) {}, "r-new", "abc"},
			{"c", testigo.Waiting, func(d *testigo.Delivery) { d.Priority = 2 }, "", "cab"},
			{"a", testigo.Failed, func(d *testigo.Delivery) { d.Receipt.Final = true }, "", "cb"},
			{"b", testigo.Cancelled, func(*testigo.Delivery) {}, "", "c"},
			{"c", testigo.Acknowledged, func(*testigo.Delivery) {}, "", ""},
			{"a", testigo.Waiting, func(d *testigo.Delivery) { d.Receipt.Final = false }, "", "a"},
		} {
			d := f.delivery(step.id)
			from := d.State
			d.State = step.to
			step.edit(&d)
			f.must(f.deliver(d, from, step.request))
			f.lists(queue, step.want)
		}
	})

	s.test("what waits on an original is found by it", func(f *fixture) {
		of := func(original string, state testigo.DeliveryState) func(*testigo.Delivery) {
			return func(d *testigo.Delivery) { d.DuplicateOf, d.State = original, state }
		}
		f.enrolled("a")
		f.enrolled("b", of("a", testigo.Duplicate))
		f.enrolled("c", of("A", testigo.Duplicate))
		f.enrolled("d", of("a", testigo.Cancelled))
		e := f.enrolled("e", of("a", testigo.Duplicate))
		waiting := testigo.DeliveryFilter{DuplicateOf: "a", States: []testigo.DeliveryState{testigo.Duplicate}}
		f.lists(waiting, "be")
		f.lists(testigo.DeliveryFilter{DuplicateOf: "a"}, "bde")
		f.lists(testigo.DeliveryFilter{DuplicateOf: "a", Recipient: "rival"}, "")
		f.lists(testigo.DeliveryFilter{DuplicateOf: "b"}, "")
		e.State, e.DuplicateOf = testigo.Waiting, ""
		f.must(f.deliver(e, testigo.Duplicate, ""))
		f.lists(waiting, "b")
	})

	s.test("what is due comes by its next check, then by place", func(f *fixture) {
		start := f.clock.Now()
		put := func(id string, after time.Duration, place int64, edits ...func(*testigo.Delivery)) {
			f.enrolled(id, append([]func(*testigo.Delivery){func(d *testigo.Delivery) {
				d.NextCheck, d.Place, d.Priority = start.Add(after), place, int(place)
			}}, edits...)...)
		}
		state := func(s testigo.DeliveryState) func(*testigo.Delivery) {
			return func(d *testigo.Delivery) { d.State = s }
		}
		put("d", 4*time.Second, 1)
		put("b", 2*time.Second, 3, state(testigo.Running))
		put("a", 2*time.Second, 2, state(testigo.Held), func(d *testigo.Delivery) { d.Recipient = "rival" })
		put("c", 3*time.Second, 9, state(testigo.Failed))
		put("x", time.Second, 0, state(testigo.Failed), func(d *testigo.Delivery) { d.Receipt.Final = true })
		put("y", time.Second, 1, state(testigo.TurnEnded))
		put("z", 0, 0, func(d *testigo.Delivery) { d.NextCheck = time.Time{} }) // no check is never due
		put("w", 2*time.Second, 7, state(testigo.Duplicate), func(d *testigo.Delivery) { d.DuplicateOf = "d" })
		due := func(after time.Duration, states ...testigo.DeliveryState) testigo.DeliveryFilter {
			return testigo.DeliveryFilter{DueBy: start.Add(after), States: states, NotFinal: true}
		}
		f.lists(due(time.Hour, alive()...), "abcd")
		f.lists(due(2*time.Second, alive()...), "ab")
		f.lists(due(2*time.Second-time.Millisecond, alive()...), "")
		f.lists(due(4*time.Second-1, alive()...), "abc")
		f.lists(due(time.Hour, testigo.ActiveStates()...), "b")
		f.lists(due(time.Hour), "yabwcd")
		q := due(time.Hour, alive()...)
		q.NotFinal = false
		f.lists(q, "xabcd")
		q.Recipient = "rival"
		f.lists(q, "a")
		q.NotFinal, q.Recipient = true, "executor"
		f.lists(q, "bcd")
		f.lists(testigo.DeliveryFilter{DueBy: start.Add(time.Hour), DuplicateOf: "d"}, "w")
		f.lists(testigo.DeliveryFilter{DueBy: start.Add(time.Hour), Sender: "scout", States: []testigo.DeliveryState{testigo.TurnEnded, testigo.Held}}, "ya")
	})

	s.test("the next due time is that of a row that an engine still looks at", func(f *fixture) {
		if got := f.nextDue(); !got.IsZero() {
			f.Errorf("an empty store is due at %v", got)
		}
		start := f.clock.Now()
		at := func(after time.Duration, state testigo.DeliveryState, final bool) func(*testigo.Delivery) {
			return func(d *testigo.Delivery) {
				d.State, d.NextCheck, d.Receipt.Final = state, start.Add(after), final
			}
		}
		for i, state := range []testigo.DeliveryState{testigo.TurnEnded, testigo.Acknowledged, testigo.Cancelled, testigo.Duplicate, testigo.Failed} {
			f.enrolled(fmt.Sprint("over", i), at(time.Second, state, true))
		}
		f.enrolled("never", func(d *testigo.Delivery) { d.NextCheck = time.Time{} })
		if got := f.nextDue(); !got.IsZero() {
			f.Errorf("finished rows are due at %v", got)
		}
		for i, state := range alive() {
			after := time.Hour - time.Duration(i)*time.Minute
			f.enrolled(string(state), at(after, state, false))
			if got := f.nextDue(); !got.Equal(start.Add(after)) {
				f.Errorf("with %s: due at %v, want %v", state, got, start.Add(after))
			}
		}
		d := f.delivery(string(testigo.Failed))
		d.Receipt.Final = true
		f.must(f.deliver(d, testigo.Failed, ""))
		if got := f.nextDue(); !got.Equal(f.delivery(string(testigo.Running)).NextCheck) || got.Location() != time.UTC {
			f.Errorf("after a failure was final: due at %v", got)
		}
	})

	s.test("lists inside a transaction see what it did", func(f *fixture) {
		f.enrolled("a")
		f.write(func(tx testigo.Tx) error {
			d, err := tx.Delivery(f.ctx, "a")
			d.State = testigo.Cancelled
			err = errors.Join(err, tx.MoveDelivery(f.ctx, d, testigo.Waiting, ""), tx.PutDelivery(f.ctx, delivery(tx, "b")))
			if err != nil {
				return err
			}
			list, err := tx.Deliveries(f.ctx, testigo.DeliveryFilter{Recipient: "executor", States: testigo.PendingStates()})
			if len(list) != 1 || list[0].ID != "b" {
				f.Errorf("the queue is %+v", list)
			}
			return err
		})
	})
}
