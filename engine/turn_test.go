package engine_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/engine"
	"github.com/testigo/testigo/handoff"
)

func TestResend(t *testing.T) {
	rules{
		{"E22", func(w *world) {
			id := w.order("ann", "bob", "dig")
			w.tick()
			requests := map[string]bool{}
			for i, wait := range []time.Duration{time.Minute, 5 * time.Minute, 0} {
				d := w.want(id, testigo.Accepted)
				requests[d.RequestID] = true
				s := w.p.starts()[i]
				for r := range requests {
					if engine.Marker(s.Text, r) != (r == d.RequestID) {
						w.Fatal("the marker of attempt ", i, " is not its own")
					}
				}
				if len(d.Receipt.Previous) != i || s.Attempt != i+1 {
					w.Fatal(d.Receipt.Previous, s.Attempt)
				}
				w.p.end(bob, testigo.TurnFailed)
				w.after(2 * time.Second)
				w.want(id, testigo.Failed)
				w.wantStarts(i + 1)
				if wait > 0 {
					w.after(wait)
				}
			}
			if d := w.want(id, testigo.Failed); !d.Receipt.Final || len(requests) != 3 {
				w.Fatal(d.Receipt, requests)
			}
			w.wantDetail(id, "limit")
			w.run(time.Hour, time.Minute)
			w.wantStarts(3)
			if n := w.notices("ann"); len(n) != 1 {
				w.Fatal(n)
			}
			if h := w.handoff(id); h.State != testigo.Open || h.Claim.Generation != 3 {
				w.Fatal(h.State, h.Claim)
			}
		}},
		{"E23", func(w *world) {
			id := w.order("ann", "bob", "dig")
			w.tick()
			w.p.end(bob, testigo.TurnStopped)
			w.run(590*time.Second, 10*time.Second)
			w.wantStarts(1)
			w.run(30*time.Second, 10*time.Second)
			w.wantStarts(2)
			w.p.end(bob, testigo.TurnStopped)
			w.after(10 * time.Second)
			if d := w.want(id, testigo.Failed); !d.Receipt.Final {
				w.Fatal(d.Receipt)
			}
			w.run(time.Hour, time.Minute)
			w.wantStarts(2)
		}},
		{"E24", func(w *world) {
			id := w.order("ann", "bob", "dig")
			w.tick()
			w.p.end(bob, testigo.TurnStopped)
			w.p.observe = func(testigo.Target, string, testigo.Receipt) (testigo.Observation, error) {
				return testigo.Observation{State: testigo.Failed, TurnID: "turn-1"}, nil
			}
			w.after(5 * time.Second)
			if d := w.want(id, testigo.Failed); d.Receipt.TurnOutcome != "interrupted" {
				w.Fatal(d.Receipt.TurnOutcome)
			}
			w.after(2 * time.Minute)
			w.wantStarts(1)
		}},
		{"E25", func(w *world) {
			returned, closed, read := w.order("ann", "bob", "dig"), w.order("bob", "cay", "fill"), w.send("cay", "ann", "hello")
			w.tick()
			for _, s := range []string{ann, bob, cay} {
				w.p.end(s, testigo.TurnFailed)
			}
			w.after(10 * time.Second)
			for _, id := range []string{returned, closed, read} {
				if d := w.want(id, testigo.Failed); d.Receipt.Final {
					w.Fatal("final too early")
				}
			}
			w.must(w.hand.ReturnWork(w.ctx, w.as("bob"), handoff.ReturnParams{ID: w.claim(returned), Summary: "dug"}))
			w.must(w.hand.CloseWork(w.ctx, w.as("bob"), handoff.CloseParams{ID: closed, Outcome: testigo.CloseBlocked}))
			w.must(w.hand.ReadMessage(w.ctx, w.as("ann"), handoff.ReadParams{ID: read}))
			w.after(time.Minute)
			for _, id := range []string{returned, closed, read} {
				if d := w.want(id, testigo.Failed); !d.Receipt.Final {
					w.Fatal(id, d.Detail)
				}
			}
			w.run(time.Hour, time.Minute)
			for _, s := range w.p.starts() {
				if s.Attempt > 1 {
					w.Fatal("sent again: ", s.HandoffID)
				}
			}
		}},
		{"E26", func(w *world) {
			// Changed: the resend takes the claim with the next generation.
			id := w.order("ann", "bob", "dig")
			w.tick()
			w.must(w.hand.ReadMessage(w.ctx, w.as("bob"), handoff.ReadParams{ID: id}))
			w.must(w.hand.AcceptWork(w.ctx, w.as("bob"), handoff.AcceptParams{ID: w.claim(id)}))
			w.p.end(bob, testigo.TurnFailed)
			w.after(5 * time.Second)
			w.after(time.Minute)
			w.wantStarts(2)
			if c := w.p.starts()[1].Claim; !strings.HasSuffix(c, "#2") {
				w.Fatal(c)
			}
		}},
		{"E27", func(w *world) {
			w.p.start = func(testigo.Target, testigo.Turn) (testigo.Started, error) {
				return testigo.Started{}, errors.New("lost")
			}
			w.p.observe = func(testigo.Target, string, testigo.Receipt) (testigo.Observation, error) {
				return testigo.Observation{State: testigo.Failed}, nil
			}
			id := w.order("ann", "bob", "dig")
			w.tick()
			w.after(10 * time.Second)
			if d := w.want(id, testigo.Failed); !d.Receipt.Final {
				w.Fatal(d.Detail)
			}
			w.run(time.Hour, time.Minute)
			w.wantStarts(1)
		}},
		{"fault4_resend_needs_a_fresh_failure", func(w *world) {
			id := w.order("ann", "bob", "dig")
			w.tick()
			w.p.end(bob, testigo.TurnFailed)
			w.after(5 * time.Second)
			for _, o := range []testigo.Observation{{}, {State: testigo.Accepted}, {Absent: true}} {
				w.p.observe = func(testigo.Target, string, testigo.Receipt) (testigo.Observation, error) { return o, nil }
				w.run(10*time.Minute, time.Minute)
				w.want(id, testigo.Failed)
				w.wantStarts(1)
			}
			w.p.observe = func(testigo.Target, string, testigo.Receipt) (testigo.Observation, error) {
				return testigo.Observation{State: testigo.Running, TurnID: "turn-1"}, nil
			}
			w.run(2*time.Minute, time.Minute)
			w.want(id, testigo.Running)
		}},
		{"fault17_review_until_final", func(w *world) {
			id := w.order("ann", "bob", "dig")
			w.tick()
			w.p.end(bob, testigo.TurnFailed)
			w.after(5 * time.Second)
			w.after(72 * time.Hour)
			w.want(id, testigo.Accepted)
			w.wantStarts(2)
		}},
	}.test(t)
}

func TestUnobservable(t *testing.T) {
	rules{
		{"E54", func(w *world) {
			id := w.order("ann", "bob", "dig")
			w.tick()
			w.p.observe = func(testigo.Target, string, testigo.Receipt) (testigo.Observation, error) {
				return testigo.Observation{}, nil
			}
			w.run(9*time.Minute, 10*time.Second)
			w.want(id, testigo.Accepted)
			w.run(90*time.Second, 10*time.Second)
			w.want(id, testigo.Uncertain)
			w.wantDetail(id, "testigo release")
		}},
		{"E55_fault15", func(w *world) {
			id := w.order("ann", "bob", "dig")
			w.tick()
			n := 0
			w.p.observe = func(t testigo.Target, r string, _ testigo.Receipt) (testigo.Observation, error) {
				if n++; n%50 != 0 {
					return testigo.Observation{}, errors.New("no answer")
				}
				return w.p.honestObserve(t, r)
			}
			w.run(time.Hour, 10*time.Second)
			if s := w.row(id).State; s != testigo.Running && s != testigo.Accepted {
				w.Fatal(s)
			}
		}},
		{"E61", func(w *world) {
			id := w.order("ann", "bob", "dig")
			w.tick()
			w.after(2 * time.Second)
			if d := w.want(id, testigo.Running); d.NextCheck.Sub(w.clock.Now()) != 2*time.Second {
				w.Fatal(d.NextCheck)
			}
			w.after(2 * time.Minute)
			if d := w.row(id); d.NextCheck.Sub(w.clock.Now()) != 10*time.Second {
				w.Fatal(d.NextCheck)
			}
		}},
		{"E62", func(w *world) {
			id := w.send("ann", "bob", "hello")
			w.tick()
			w.want(id, testigo.Accepted)
			w.after(2 * time.Second)
			w.want(id, testigo.Running)
			w.p.end(bob, testigo.TurnFinished)
			w.after(2 * time.Second)
			w.want(id, testigo.TurnEnded)
			if h := w.handoff(id); h.State != testigo.Closed {
				w.Fatal(h.State)
			}
		}},
		{"E63", func(w *world) {
			w.p.start = func(testigo.Target, testigo.Turn) (testigo.Started, error) { panic("a bug") }
			w.p.observe = func(testigo.Target, string, testigo.Receipt) (testigo.Observation, error) {
				return testigo.Observation{}, nil
			}
			id := w.send("ann", "bob", "hello")
			if rep := w.tick(); rep.OK || len(rep.Errors) != 1 {
				w.Fatal(rep)
			}
			next := w.send("ann", "bob", "next")
			w.run(time.Hour, time.Minute)
			w.want(id, testigo.Uncertain)
			w.want(next, testigo.Busy)
		}},
		{"E64", func(w *world) {
			w.p.prepare = func(testigo.Target) error { panic("a bug") }
			id := w.send("ann", "bob", "hello")
			if rep := w.tick(); rep.OK {
				w.Fatal(rep)
			}
			if d := w.want(id, testigo.Unavailable); d.Attempts != 0 {
				w.Fatal(d.Attempts)
			}
			w.p.prepare = nil
			w.after(30 * time.Second)
			w.want(id, testigo.Accepted)
		}},
		{"fault11_in_band_proof", func(w *world) {
			w.p.start = func(testigo.Target, testigo.Turn) (testigo.Started, error) {
				return testigo.Started{}, errors.New("lost")
			}
			w.p.observe = func(testigo.Target, string, testigo.Receipt) (testigo.Observation, error) {
				return testigo.Observation{}, nil
			}
			id := w.order("ann", "bob", "dig")
			w.tick()
			w.want(id, testigo.Uncertain)
			w.clock.move(5 * time.Second)
			w.must(w.hand.ReadMessage(w.ctx, w.as("bob"), handoff.ReadParams{ID: id}))
			w.after(10 * time.Second)
			w.want(id, testigo.Running)
			w.must(w.hand.ReturnWork(w.ctx, w.as("bob"), handoff.ReturnParams{ID: w.claim(id), Summary: "dug"}))
			w.run(11*time.Minute, 10*time.Second)
			w.want(id, testigo.TurnEnded)
		}},
		{"fault18_a_long_turn_only_tells", func(w *world) {
			id := w.order("ann", "bob", "dig")
			w.tick()
			w.run(3*time.Hour, 5*time.Minute)
			w.want(id, testigo.Running)
			if n := w.notices("ann"); len(n) != 1 {
				w.Fatal(n)
			}
			if h := w.handoff(id); h.Claim.Lapsed(w.clock.Now()) {
				w.Fatal("the claim of a running turn lapsed")
			}
		}},
		{"no_end_is_reported", func(w *world) {
			w.p.start = func(t testigo.Target, tn testigo.Turn) (testigo.Started, error) {
				return testigo.Started{TurnID: "t", ClientUserMessageID: tn.RequestID, NoEnd: true}, nil
			}
			id, next := w.order("ann", "bob", "dig"), w.order("ann", "bob", "dig again")
			w.tick()
			w.after(time.Second)
			w.want(id, testigo.TurnEnded)
			w.want(next, testigo.TurnEnded)
			if h := w.handoff(id); h.State != testigo.Claimed || len(w.notices("ann")) > 0 {
				w.Fatal(h.State, w.notices("ann"))
			}
		}},
	}.test(t)
}

// claim is what a turn finds in TESTIGO_CLAIM.
func (w *world) claim(id string) string {
	w.Helper()
	for i := len(w.p.starts()) - 1; i >= 0; i-- {
		if s := w.p.starts()[i]; s.HandoffID == id {
			return s.Claim
		}
	}
	w.Fatal("no turn of ", id)
	return ""
}

// must takes the two results of a use case.
func (w *world) must(_ any, err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}
