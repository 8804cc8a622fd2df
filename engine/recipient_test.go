package engine_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/engine"
)

// rules are the acceptance list of the reference, section 10.1, by id.
type rules []struct {
	id  string
	run func(w *world)
}

func (list rules) test(t *testing.T) {
	t.Parallel()
	for _, r := range list {
		t.Run(r.id, func(t *testing.T) {
			t.Parallel()
			r.run(newWorld(t))
		})
	}
}

const (
	ann = "ann-session"
	bob = "bob-session"
	cay = "cay-session"
)

func TestExactRecipient(t *testing.T) {
	rules{
		{"E1", func(w *world) {
			id := w.send("ann", "bob", "hello")
			w.tick()
			d := w.want(id, testigo.Accepted)
			w.wantStarts(1)
			s := w.p.starts()[0]
			if s.Endpoint != bob || s.Agent != "bob" || len(w.p.prepared) != 1 || d.Attempts != 1 || d.Receipt.TurnID == "" ||
				d.Receipt.ClientUserMessageID != d.RequestID || d.Target.Endpoint != bob {
				w.Fatalf("%+v\n%+v", s, d)
			}
			if !strings.Contains(s.Text, "Exact recipient: bob\n") || !engine.Marker(s.Text, d.RequestID) {
				w.Fatal(s.Text)
			}
		}},
		{"E2", func(w *world) {
			id := w.send("ann", "bob", "hello")
			w.setting("enabled", false)
			w.tick()
			w.setting("enabled", true)
			w.setAgent("bob", func(a *testigo.Agent) { a.Endpoint = "elsewhere" })
			w.setAgent("cay", func(a *testigo.Agent) { a.Endpoint = bob })
			w.after(time.Minute)
			w.want(id, testigo.Unavailable)
			w.wantDetail(id, "elsewhere")
			w.wantStarts(0)
			w.setAgent("bob", func(a *testigo.Agent) { a.Endpoint = bob })
			w.after(time.Minute)
			w.want(id, testigo.Accepted)
		}},
		{"E3", func(w *world) {
			id, other := w.send("ann", "bob", "hello"), w.send("ann", "cay", "hello")
			w.setting("enabled", false)
			w.tick()
			w.setting("enabled", true)
			w.setAgent("bob", func(a *testigo.Agent) { a.Provider = "other" })
			w.write(func(tx testigo.Tx) error { return tx.RemoveAgent(w.ctx, "cay") })
			w.after(time.Minute)
			w.want(id, testigo.Unavailable)
			w.want(other, testigo.Unavailable)
			w.wantStarts(0)
		}},
		{"fault7_settings_are_part_of_the_target", func(w *world) {
			id := w.send("ann", "bob", "hello")
			w.setting("enabled", false)
			w.tick()
			w.setting("enabled", true)
			w.setAgent("bob", func(a *testigo.Agent) { a.Settings = []byte(`{"url":"http://elsewhere"}`) })
			w.after(time.Minute)
			w.want(id, testigo.Unavailable)
			next := w.send("ann", "bob", "to the new place")
			w.tick()
			if d := w.want(next, testigo.Accepted); string(d.Target.Settings) == "" {
				w.Fatal("a moved address is the old row's own obstacle, and the new one has today's target")
			}
		}},
	}.test(t)
}

func TestOneWritePerAttempt(t *testing.T) {
	lose := func(w *world) {
		w.p.start = func(t testigo.Target, tn testigo.Turn) (testigo.Started, error) {
			return testigo.Started{}, errors.New("connection reset")
		}
	}
	blind := func(w *world) {
		w.p.observe = func(testigo.Target, string, testigo.Receipt) (testigo.Observation, error) {
			return testigo.Observation{}, nil
		}
	}
	rules{
		{"E7", func(w *world) {
			lose(w)
			blind(w)
			id := w.send("ann", "bob", "hello")
			w.tick()
			if d := w.want(id, testigo.Uncertain); d.Attempts != 1 {
				w.Fatal(d.Attempts)
			}
			w.run(150*time.Minute, time.Minute)
			w.want(id, testigo.Uncertain)
			w.wantStarts(1)
		}},
		{"E8", func(w *world) {
			blind(w)
			for i, got := range []testigo.Started{{}, {TurnID: "t"}, {TurnID: "t", ClientUserMessageID: "another"}} {
				w.p.start = func(testigo.Target, testigo.Turn) (testigo.Started, error) { return got, nil }
				to := []string{"ann", "bob", "cay"}[i]
				from := []string{"bob", "cay", "ann"}[i]
				id := w.send(from, to, "hello")
				w.tick()
				w.want(id, testigo.Uncertain)
			}
			w.run(10*time.Minute, 10*time.Second)
			w.wantStarts(3)
		}},
		{"E9", func(w *world) {
			w.p.start = func(t testigo.Target, tn testigo.Turn) (testigo.Started, error) {
				_, _ = w.p.honestStart(t, tn)
				return testigo.Started{}, errors.New("lost")
			}
			id := w.send("ann", "bob", "hello")
			w.tick()
			w.want(id, testigo.Uncertain)
			w.after(10 * time.Second)
			if d := w.want(id, testigo.Running); d.Receipt.TurnID != "turn-1" {
				w.Fatal(d.Receipt.TurnID)
			}
			w.p.end(bob, testigo.TurnFinished)
			w.after(10 * time.Second)
			w.want(id, testigo.TurnEnded)
		}},
		{"E10", func(w *world) {
			// The engine dies after the reservation: its store fails from then on.
			id := w.send("ann", "bob", "hello")
			dying := &mortal{Store: w.store}
			w.p.start = func(testigo.Target, testigo.Turn) (testigo.Started, error) {
				dying.die()
				return testigo.Started{}, errors.New("dead")
			}
			blind(w)
			e := engine.New(dying, engine.Options{Providers: map[string]testigo.Provider{"script": w.p}, Clock: w.clock.Now, Parallel: 1})
			if _, err := e.Pass(w.ctx); err == nil {
				w.Fatal("a dead store answered")
			}
			w.after(20 * time.Second)
			w.want(id, testigo.Sending)
			w.after(35 * time.Second)
			w.want(id, testigo.Sending)
			w.after(10 * time.Second)
			w.want(id, testigo.Uncertain)
			w.run(2*time.Hour, time.Minute)
			w.wantStarts(1)
		}},
		{"E11", func(w *world) {
			if rep, err := w.e.Pass(w.ctx); err != nil || rep.Skipped {
				w.Fatal(rep, err)
			}
			w.send("ann", "bob", "hello")
			if rep, err := w.engine(nil).Pass(w.ctx); err != nil || !rep.Skipped || rep.Enrolled > 0 {
				w.Fatal(rep, err)
			}
		}},
		{"E12_E13", func(w *world) {
			// Two engines that both believe to hold the lease: the older one's clock of trust has run out, and its writes fail.
			first, second := w.send("ann", "bob", "one"), w.send("cay", "bob", "two")
			var rep engine.Report
			var err error
			w.p.prepare = func(testigo.Target) error {
				w.p.prepare = nil
				w.clock.move(20 * time.Second) // a closed lid
				rep, err = w.engine(nil).Pass(w.ctx)
				return nil
			}
			if _, err := w.e.Pass(w.ctx); testigo.CodeOf(err) != testigo.CodeGone {
				w.Fatal("the engine that slept should have lost its lease, got ", err)
			}
			if err != nil || rep.Sent != 1 {
				w.Fatal(rep, err)
			}
			w.wantStarts(1)
			w.want(first, testigo.Accepted)
			if d := w.want(second, testigo.Busy); d.Attempts != 0 || !strings.Contains(d.Detail, first) {
				w.Fatal(d.Attempts, d.Detail)
			}
			n := 0
			for _, s := range w.states(first) {
				if s == testigo.Sending {
					n++
				}
			}
			if n != 1 {
				w.Fatalf("%d SENDING events", n)
			}
		}},
	}.test(t)
}

func TestNeverInterrupt(t *testing.T) {
	rules{
		{"E14", func(w *world) {
			own := w.p.own(bob)
			id := w.send("ann", "bob", "hello")
			w.tick()
			w.want(id, testigo.Busy)
			if len(w.p.prepared) > 0 {
				w.Fatal("prepared while busy")
			}
			own.state = testigo.TurnFinished
			w.after(10 * time.Second)
			w.want(id, testigo.Accepted)
		}},
		{"E15", func(w *world) {
			for i, f := range []func(testigo.Target) (testigo.Activity, error){
				func(testigo.Target) (testigo.Activity, error) {
					return testigo.Activity{State: testigo.TurnUnknown}, nil
				},
				func(testigo.Target) (testigo.Activity, error) { return testigo.Activity{}, errors.New("no answer") },
				func(testigo.Target) (testigo.Activity, error) { return testigo.Activity{}, nil },
			} {
				w.p.activity = f
				id := w.send([]string{"bob", "cay", "ann"}[i], []string{"ann", "bob", "cay"}[i], "hello")
				w.tick()
				w.want(id, testigo.Unavailable)
			}
			w.wantStarts(0)
		}},
		{"E16", func(w *world) {
			w.p.prepare = func(testigo.Target) error { w.p.own(bob); return nil }
			id := w.send("ann", "bob", "hello")
			w.tick()
			if d := w.want(id, testigo.Busy); d.Attempts != 0 {
				w.Fatal(d.Attempts)
			}
			w.wantStarts(0)
		}},
		{"E17", func(w *world) {
			w.p.activity = func(testigo.Target) (testigo.Activity, error) {
				return testigo.Activity{State: testigo.TurnFinished}, nil
			}
			a, b := w.send("ann", "bob", "one"), w.send("ann", "bob", "two")
			w.run(time.Minute, 10*time.Second)
			w.want(a, testigo.Running)
			w.want(b, testigo.Busy)
			w.wantStarts(1)
			w.p.end(bob, testigo.TurnFinished)
			w.run(20*time.Second, 10*time.Second)
			w.want(a, testigo.TurnEnded)
			if !w.row(b).State.Active() {
				w.Fatal(w.row(b).State)
			}
		}},
		{"E18", func(w *world) {
			id := w.send("ann", "bob", "hello")
			w.tick()
			w.p.observe = func(testigo.Target, string, testigo.Receipt) (testigo.Observation, error) {
				return testigo.Observation{State: testigo.Failed, TurnID: "turn-1"}, nil
			}
			w.run(time.Hour, time.Minute)
			w.want(id, testigo.Running)
			w.wantStarts(1)
		}},
	}.test(t)
}
