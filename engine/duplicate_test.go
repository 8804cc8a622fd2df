package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/engine"
	"github.com/testigo/testigo/handoff"
)

func TestDuplicates(t *testing.T) {
	rules{
		{"E35", func(w *world) {
			first := w.send("ann", "bob", "hello")
			w.tick()
			second := w.send("ann", "bob", "hello")
			w.tick()
			if d := w.want(second, testigo.Duplicate); d.DuplicateOf != first || !strings.Contains(d.Detail, first) {
				w.Fatal(d)
			}
		}},
		{"E36", func(w *world) {
			w.send("ann", "bob", "hello")
			w.tick()
			w.p.end(bob, testigo.TurnFinished)
			w.after(5 * time.Second)
			second := w.send("ann", "bob", "hello")
			w.tick()
			w.want(second, testigo.Accepted)
		}},
		{"fault1_duplicates_take_over_in_a_chain", func(w *world) {
			first := w.send("ann", "bob", "hello")
			w.p.activity = func(testigo.Target) (testigo.Activity, error) {
				return testigo.Activity{State: testigo.TurnUnknown}, nil
			}
			w.tick()
			second, third := w.send("ann", "bob", "hello"), w.send("ann", "bob", "hello")
			w.tick()
			w.must(w.e.Release(w.ctx, w.as("person:op"), engine.ReleaseParams{ID: first}))
			w.want(second, testigo.Waiting)
			if d := w.want(third, testigo.Duplicate); d.DuplicateOf != second {
				w.Fatal(d.DuplicateOf)
			}
			w.p.activity = nil
			w.after(time.Minute)
			w.want(second, testigo.Accepted)
			w.wantStarts(1)
		}},
		{"a_withdrawn_original_takes_its_duplicates_along", func(w *world) {
			first := w.send("ann", "bob", "hello")
			w.setting("enabled", false)
			w.tick()
			second := w.send("ann", "bob", "hello")
			w.tick()
			w.must(w.hand.Withdraw(w.ctx, w.as("ann"), handoff.WithdrawParams{ID: first}))
			w.setting("enabled", true)
			w.run(time.Hour, time.Minute)
			w.want(first, testigo.Cancelled)
			w.want(second, testigo.Duplicate)
			w.wantStarts(0)
		}},
		{"E37", func(w *world) {
			for _, title := range []string{"a", "b"} {
				id := w.order("ann", "bob", title)
				w.must(w.hand.ReturnWork(w.ctx, w.as("bob"), handoff.ReturnParams{ID: id, Summary: "done"}))
			}
			w.tick()
			w.p.end(ann, testigo.TurnFinished)
			w.run(20*time.Second, 5*time.Second)
			w.wantStarts(2)
		}},
		{"E38", func(w *world) {
			a, b := w.order("ann", "bob", "dig"), w.order("ann", "bob", "dig")
			w.tick()
			w.want(a, testigo.Accepted)
			w.want(b, testigo.Busy)
		}},
		{"E39", func(w *world) {
			w.order("ann", "bob", "dig")
			w.tick()
			plain := w.send("ann", "bob", "do dig")
			w.tick()
			w.want(plain, testigo.Busy)
		}},
		{"E40", func(w *world) {
			w.send("ann", "bob", "hello")
			w.tick()
			other := w.send("ann", "cay", "hello")
			w.tick()
			w.want(other, testigo.Accepted)
		}},
		{"E41", func(w *world) {
			key := func(p *handoff.SendParams) { p.Key = "k" }
			if a, b := w.send("ann", "bob", "hello", key), w.send("ann", "bob", "hello", key); a != b {
				w.Fatal(a, b)
			}
			w.tick()
			w.wantStarts(1)
		}},
	}.test(t)
}
