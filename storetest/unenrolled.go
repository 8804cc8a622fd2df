package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/testigo/testigo"
)

func (f *fixture) unenrolled(now time.Time, limit int) (ids string) {
	f.Helper()
	for _, h := range read(f, func(r testigo.Reader) ([]testigo.Handoff, error) { return r.Unenrolled(f.ctx, now, limit) }) {
		ids += h.ID
	}
	return ids
}

// addressed gives an agent an address now.
func (f *fixture) addressed(name string, edits ...func(*testigo.Agent)) {
	f.Helper()
	a := testigo.Agent{Name: name, Provider: "codex", Endpoint: "thread", Settings: json.RawMessage(`{}`), AddressedAt: f.clock.Now()}
	for _, e := range edits {
		e(&a)
	}
	f.putAgent(a)
}

func unenrolled(s suite) {
	to := func(name string) func(*testigo.Handoff) { return func(h *testigo.Handoff) { h.To = name } }

	s.test("handoffs to agents with an address wait to be enrolled, oldest first", func(f *fixture) {
		f.addressed("executor")
		f.addressed("scout")
		now := f.clock.Now()
		equal(f, "of a new store", f.unenrolled(now, 10), "")
		f.clock.Advance(time.Minute)
		a := f.sent("a")
		f.sent("b", to("scout"), func(h *testigo.Handoff) { h.Kind = testigo.KindMessage })
		f.clock.Advance(-30 * time.Second) // the order is that of writing
		f.sent("c", func(h *testigo.Handoff) { h.Kind = testigo.KindWork })
		f.sent("d", to("scout"), func(h *testigo.Handoff) { h.ExpiresAt, h.Pins = time.Time{}, nil })
		for limit, want := range map[int]string{10: "abcd", 4: "abcd", 3: "abc", 1: "a", 0: ""} {
			equal(f, fmt.Sprint("up to ", limit), f.unenrolled(now, limit), want)
		}
		list := read(f, func(r testigo.Reader) ([]testigo.Handoff, error) { return r.Unenrolled(f.ctx, now, 1) })
		equal(f, "a whole handoff", list, []testigo.Handoff{a})
	})

	s.test("what was enrolled, read or taken does not wait", func(f *fixture) {
		f.addressed("executor")
		now := f.clock.Now()
		for _, id := range []string{"a", "b", "c", "d", "e", "g"} {
			f.sent(id)
		}
		f.enrolled("a")
		f.seen(f.handoff("b"))
		f.must(f.move(claimed(f.handoff("c"), "executor", 1), testigo.Open, 0))
		d := f.handoff("d")
		d.State, d.ClosedAt = testigo.Withdrawn, now
		f.must(f.move(d, testigo.Open, 0))
		equal(f, "the others", f.unenrolled(now, 10), "eg")

		// It does not come back when its delivery is over, nor what was put back after it was taken and never read.
		done := f.delivery("a")
		done.State = testigo.Cancelled
		f.must(f.deliver(done, testigo.Waiting, ""))
		back := f.handoff("c")
		back.State, back.Claim = testigo.Open, testigo.Claim{Generation: 1}
		f.must(f.move(back, testigo.Claimed, 1))
		equal(f, "put back", f.unenrolled(now, 10), "ceg")
		f.write(func(tx testigo.Tx) error {
			err := tx.PutDelivery(f.ctx, delivery(tx, "e"))
			list, lerr := tx.Unenrolled(f.ctx, now, 10)
			if len(list) != 2 {
				f.Errorf("in the transaction that enrols e: %d wait", len(list))
			}
			return errors.Join(err, lerr)
		})
		equal(f, "enrolled another", f.unenrolled(now, 10), "cg")
	})

	s.test("a transaction that fails enrols nothing", func(f *fixture) {
		f.addressed("executor")
		f.sent("a")
		err := f.store.Write(f.ctx, func(tx testigo.Tx) error {
			return errors.Join(tx.PutDelivery(f.ctx, delivery(tx, "a")), errOnPurpose)
		})
		if !errors.Is(err, errOnPurpose) {
			f.Error(err)
		}
		equal(f, "waiting", f.unenrolled(f.clock.Now(), 10), "a")
	})

	s.test("notifications, what nobody is addressed by, and what ran out are left alone", func(f *fixture) {
		f.addressed("executor")
		now := f.clock.Now()
		f.sent("a", func(h *testigo.Handoff) { h.Kind = testigo.KindNotification })
		f.sent("b", to(""))
		f.sent("c", to("never seen"))
		f.sent("d", to("Executor"))
		f.sent("e", func(h *testigo.Handoff) { h.ExpiresAt = now.Add(time.Minute) })
		f.sent("g", func(h *testigo.Handoff) { h.ExpiresAt = time.Time{} })
		equal(f, "before it runs out", f.unenrolled(now.Add(time.Minute-time.Millisecond), 10), "eg")
		equal(f, "when it runs out", f.unenrolled(now.Add(time.Minute), 10), "g")
		equal(f, "within the millisecond before", f.unenrolled(now.Add(time.Minute-1), 10), "eg")
	})

	s.test("only an address that was there first counts", func(f *fixture) {
		inbox := func(a *testigo.Agent) { a.Provider = testigo.ProviderInbox }
		now := f.clock.Now()
		f.addressed("inbox", inbox)
		f.addressed("none", func(a *testigo.Agent) { a.Provider = "" })
		f.addressed("undated", func(a *testigo.Agent) { a.AddressedAt = time.Time{} })
		f.addressed("paused", func(a *testigo.Agent) { a.Paused = true })
		f.addressed("later", func(a *testigo.Agent) { a.AddressedAt = now.Add(time.Millisecond) })
		f.addressed("same", func(a *testigo.Agent) { a.AddressedAt = now })
		for i, name := range []string{"inbox", "none", "undated", "paused", "later", "same"} {
			f.sent(string(rune('a'+i)), to(name))
		}
		equal(f, "waiting", f.unenrolled(now, 10), "df")
		f.clock.Advance(time.Second)
		f.addressed("inbox") // what was sent while it had none is its inbox's
		f.addressed("same")  // a new address takes over what is sent from now on
		f.addressed("paused", inbox)
		equal(f, "after addresses changed", f.unenrolled(now, 10), "")
		for i, name := range []string{"inbox", "same", "paused"} {
			f.sent(string(rune('p'+i)), to(name))
		}
		equal(f, "sent afterwards", f.unenrolled(now, 10), "pq")
		f.write(func(tx testigo.Tx) error { return tx.RemoveAgent(f.ctx, "same") })
		equal(f, "after an agent went", f.unenrolled(now, 10), "p")
	})
}
