package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
)

func TestRefusals(t *testing.T) {
	refuse := func(w *world, kind testigo.RefusalKind) {
		w.p.start = func(testigo.Target, testigo.Turn) (testigo.Started, error) {
			return testigo.Started{}, &testigo.Refusal{Kind: kind, Why: "not now"}
		}
	}
	rules{
		{"E19", func(w *world) {
			refuse(w, testigo.Refused)
			id := w.send("ann", "bob", "hello")
			w.tick()
			before := w.want(id, testigo.OwnerRejected)
			w.p.start = nil
			w.after(14 * time.Second)
			w.wantStarts(1)
			w.after(time.Second)
			if d := w.want(id, testigo.Accepted); d.Attempts != 2 || d.RequestID != before.RequestID {
				w.Fatal(d.Attempts, d.RequestID)
			}
		}},
		{"E20", func(w *world) {
			refuse(w, testigo.Refused)
			id := w.order("ann", "bob", "dig")
			w.tick()
			w.after(15 * time.Second)
			if d := w.want(id, testigo.Failed); !d.Receipt.Final || !d.Receipt.NotDelivered {
				w.Fatalf("%+v", d.Receipt)
			}
			w.wantDetail(id, "not delivered")
			w.run(time.Hour, time.Minute)
			w.wantStarts(2)
			if n := w.notices("ann"); len(n) != 1 {
				w.Fatal(n)
			}
			if w.handoff(id).State != testigo.Open {
				w.Fatal("the claim was not given back")
			}
		}},
		{"E21", func(w *world) {
			refuse(w, testigo.Refused)
			w.send("ann", "bob", "hello")
			next := w.send("ann", "bob", "next")
			w.tick()
			w.p.start = func(_ testigo.Target, tn testigo.Turn) (testigo.Started, error) {
				if tn.HandoffID == next {
					return w.p.honestStart(testigo.Target{Endpoint: bob}, tn)
				}
				return testigo.Started{}, &testigo.Refusal{Kind: testigo.Refused, Why: "no"}
			}
			w.run(30*time.Second, 5*time.Second)
			if !w.row(next).State.Active() {
				w.Fatal(w.row(next).State)
			}
		}},
		{"fault14_prepare_refuses_like_start", func(w *world) {
			w.p.prepare = func(testigo.Target) error { return &testigo.Refusal{Kind: testigo.Refused, Why: "active writer"} }
			id := w.send("ann", "bob", "hello")
			if rep := w.tick(); !rep.OK {
				w.Fatal(rep.Errors)
			}
			if d := w.want(id, testigo.OwnerRejected); d.Attempts != 1 {
				w.Fatal(d.Attempts)
			}
			w.after(15 * time.Second)
			w.want(id, testigo.Failed)
			w.wantStarts(0)
		}},
		{"fault16_back_off_counts_no_attempt", func(w *world) {
			for _, kind := range []testigo.RefusalKind{testigo.NotSent, testigo.RefusedBusy} {
				refuse(w, kind)
				id := w.send("ann", "bob", string(kind))
				w.tick()
				var waits []time.Duration
				for range 8 {
					d := w.row(id)
					if d.Attempts != 0 || d.State.Active() {
						w.Fatal(d.State, d.Attempts)
					}
					wait := d.NotBefore.Sub(w.clock.Now())
					waits = append(waits, wait)
					w.after(wait)
				}
				if waits[0] < 15*time.Second || waits[0] > 20*time.Second || waits[7] < 5*time.Minute || waits[7] > 400*time.Second || !slices.IsSorted(waits[:4]) {
					w.Fatal(waits)
				}
				w.p.start = nil
				w.run(8*time.Minute, 10*time.Second)
				w.p.end(bob, testigo.TurnFinished)
				w.after(10 * time.Second)
				w.want(id, testigo.TurnEnded)
			}
		}},
		{"fault16_retry_after_is_honoured", func(w *world) {
			w.p.start = func(testigo.Target, testigo.Turn) (testigo.Started, error) {
				return testigo.Started{}, &testigo.Refusal{Kind: testigo.RateLimited, Why: "slow down", RetryAfter: time.Hour}
			}
			id := w.send("ann", "bob", "hello")
			w.tick()
			if d := w.want(id, testigo.Waiting); d.NotBefore.Sub(w.clock.Now()) != time.Hour {
				w.Fatal(d.NotBefore)
			}
			other := w.send("ann", "bob", "passes the one that backs off")
			w.p.start = nil
			w.tick()
			w.want(other, testigo.Accepted)
		}},
		{"not_sent_until_expiry", func(w *world) {
			refuse(w, testigo.NotSent)
			id := w.send("ann", "bob", "hello", func(p *handoff.SendParams) {
				p.ExpiresAt = w.clock.Now().Add(time.Hour).Format(time.RFC3339)
			})
			w.run(2*time.Hour, time.Minute)
			w.want(id, testigo.Cancelled)
			if w.handoff(id).State != testigo.Expired || len(w.notices("ann")) != 1 {
				w.Fatal(w.handoff(id).State, w.notices("ann"))
			}
		}},
	}.test(t)
}
