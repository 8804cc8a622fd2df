package engine_test

import (
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/engine"
)

// The ids of section 10.1 of the delivery reference are the names of the rules in these tests. Those below have no test of
// that name, or one that differs from the reference on purpose (delivery.md, section 12):
//
//	E10       the run file decides at once; it belongs to the supervisor. The engine's own part, a minute, is tested.
//	E11       "skipped" by lease instead of by file lock
//	E12, E13  one test: two engines, of which one has lost the lease while it slept
//	E19, E20  waits as the reference; the kinds of refusal are ours (fault16_…)
//	E22       resends after one and five minutes, not in the same pass
//	E26       the resend takes the claim with the next generation
//	E36       and a duplicate is re-armed when its original ends undelivered (fault1_…)
//	E48       by the time at which an address was given, not by a setting
//	E49, E50  packets and work need a claim; a look at work stops nothing
//	E56       does not apply: no provider needs the engine as its host
//	E65       does not apply: no health file; Pass returns the report
//	E66       TestServiceDelivers
//	O9        with E31
//
// Faults of section 11.1 that are tested by number: 1 2 3 4 7 9 11 12 13 14 15 16 17 18 20 25 29 31 35 38 39. Of the rest, 5 6 19
// belong to the supervisor, 8 22 23 34 to the adapters, 10 is E26 and E50, 21 is the card (E4), 24 is O1–O10.
func TestTracking(t *testing.T) {
	rules{
		{"E43", func(w *world) { // a body that is changed after the write changes nothing for the turn that runs
			id := w.send("ann", "bob", "hello")
			w.p.sessions[bob] = &session{turns: []*turn{{id: "t", request: "r", state: testigo.TurnOpen}}}
			w.write(func(tx testigo.Tx) error {
				return tx.PutDelivery(w.ctx, testigo.Delivery{ID: id, Sender: "ann", Recipient: "bob", RequestID: "r", Place: 1, Version: 1,
					Target: testigo.Target{Provider: "script", Endpoint: bob}, State: testigo.Accepted, Attempts: 1,
					NextCheck: tx.Now(), CreatedAt: tx.Now(), UpdatedAt: tx.Now()})
			})
			w.tick()
			w.want(id, testigo.Running)
			w.p.end(bob, testigo.TurnFinished)
			w.after(10 * time.Second)
			w.want(id, testigo.TurnEnded)
		}},
		{"trust_ends_before_the_lease", func(w *world) { // the machine sleeps between the reservation and the write
			id := w.send("ann", "bob", "hello")
			asleep := time.Duration(0)
			w.e = w.engine(func(o *engine.Options) { o.Clock = func() time.Time { return w.clock.Now().Add(asleep) } })
			w.p.prepare = func(testigo.Target) error { asleep = 10 * time.Second; return nil }
			w.tick()
			w.wantStarts(0)
			if d := w.want(id, testigo.Waiting); d.Attempts != 0 || w.handoff(id).State != testigo.Open {
				w.Fatal(d.Attempts, w.handoff(id).State)
			}
		}},
	}.test(t)
}
