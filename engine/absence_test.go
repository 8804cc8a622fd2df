package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/testigo/testigo"
)

func TestProvenAbsent(t *testing.T) {
	lost := func(w *world) {
		w.p.start = func(testigo.Target, testigo.Turn) (testigo.Started, error) {
			return testigo.Started{}, errors.New("lost")
		}
	}
	rules{
		{"E28", func(w *world) {
			lost(w)
			id := w.order("ann", "bob", "dig")
			w.tick()
			w.run(16*time.Minute, 10*time.Second)
			if d := w.want(id, testigo.Uncertain); d.Receipt.AbsentScans < 3 {
				w.Fatal(d.Receipt.AbsentScans)
			}
			w.run(50*time.Minute, 10*time.Second)
			if d := w.want(id, testigo.Cancelled); !d.Receipt.NotDelivered {
				w.Fatalf("%+v", d.Receipt)
			}
			w.run(2*time.Hour, time.Minute)
			w.wantStarts(1)
			if n := w.notices("ann"); len(n) != 1 {
				w.Fatal(n)
			}
		}},
		{"E29", func(w *world) {
			lost(w)
			id := w.order("ann", "bob", "dig")
			w.tick()
			w.after(10 * time.Second)
			w.after(2 * time.Hour)
			if d := w.want(id, testigo.Uncertain); d.Receipt.AbsentScans != 2 {
				w.Fatal(d.Receipt.AbsentScans)
			}
		}},
		{"E30", func(w *world) {
			lost(w)
			id := w.order("ann", "bob", "dig")
			w.tick()
			for _, o := range []testigo.Observation{{}, {Absent: true, Candidate: "a turn that mentions it"}, {Absent: true, TurnID: "t"}} {
				w.p.observe = func(testigo.Target, string, testigo.Receipt) (testigo.Observation, error) { return o, nil }
				w.run(5*time.Hour, time.Minute)
				w.want(id, testigo.Uncertain)
			}
		}},
		{"fault3_only_scans_in_a_row_count", func(w *world) {
			lost(w)
			n := 0
			w.p.observe = func(testigo.Target, string, testigo.Receipt) (testigo.Observation, error) {
				if n++; n%3 == 0 {
					return testigo.Observation{}, errors.New("half a scan")
				}
				return testigo.Observation{Absent: true}, nil
			}
			id := w.order("ann", "bob", "dig")
			w.tick()
			w.run(6*time.Hour, time.Minute)
			w.want(id, testigo.Uncertain)
		}},
		{"fault3_lost_after_acceptance", func(w *world) {
			id := w.order("ann", "bob", "dig")
			w.tick()
			w.after(5 * time.Second)
			w.want(id, testigo.Running)
			w.p.observe = func(testigo.Target, string, testigo.Receipt) (testigo.Observation, error) {
				return testigo.Observation{Absent: true}, nil
			}
			w.run(90*time.Minute, 10*time.Second)
			if d := w.want(id, testigo.Failed); !d.Receipt.Final || d.Receipt.NotDelivered {
				w.Fatalf("%+v", d.Receipt)
			}
			w.wantDetail(id, "lost after acceptance")
		}},
		{"fault39_sleep_is_no_scan", func(w *world) {
			lost(w)
			id := w.order("ann", "bob", "dig")
			pass := func() {
				if rep, err := w.e.Pass(w.ctx); err != nil || rep.Skipped {
					w.Fatal(rep, err)
				}
			}
			pass()
			for range 120 { // two scans in twenty minutes of being awake
				w.clock.move(10 * time.Second)
				pass()
			}
			w.clock.move(8 * time.Hour) // the lid is closed, the engine keeps its lease
			pass()
			for range 60 {
				w.clock.move(10 * time.Second)
				pass()
			}
			if d := w.want(id, testigo.Uncertain); d.Receipt.AbsentScans < 3 {
				w.Fatal(d.Receipt.AbsentScans)
			}
			for range 240 {
				w.clock.move(10 * time.Second)
				pass()
			}
			w.want(id, testigo.Cancelled)
		}},
	}.test(t)
}
