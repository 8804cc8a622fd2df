package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/engine"
	"github.com/testigo/testigo/handoff"
)

func due(minutes int) func(*handoff.SendParams) {
	return func(p *handoff.SendParams) { p.DueMinutes = minutes }
}

func TestOutageAndDeadlines(t *testing.T) {
	rules{
		{"E31_O9", func(w *world) {
			why := "openai: Codex API is down"
			w.e = w.engine(func(o *engine.Options) { o.Outage = func(string) string { return why } })
			id := w.send("ann", "bob", "hello")
			w.tick()
			if d := w.want(id, testigo.Waiting); d.Attempts != 0 || d.Detail != why || len(w.p.prepared) > 0 {
				w.Fatal(d)
			}
			why = ""
			w.after(time.Minute)
			w.want(id, testigo.Accepted)
		}},
		{"E32", func(w *world) {
			id := w.order("ann", "bob", "dig", due(10))
			w.tick()
			w.run(100*time.Minute, time.Minute)
			n := w.notices("ann")
			if len(n) != 1 || !strings.Contains(n[0], "service:deadline: "+id) || !strings.Contains(n[0], "overdue") {
				w.Fatal(n)
			}
			w.wantStarts(1)
		}},
		{"E33", func(w *world) {
			id := w.order("ann", "bob", "dig", due(10))
			w.tick()
			w.must(w.hand.ReturnWork(w.ctx, w.as("bob"), handoff.ReturnParams{ID: w.claim(id), Summary: "dug"}))
			w.run(time.Hour, time.Minute)
			if n := w.notices("ann"); len(n) != 0 {
				w.Fatal(n)
			}
		}},
		{"E34", func(w *world) {
			w.allow(engine.ServiceDeadline, "ann", false)
			w.order("ann", "bob", "dig", due(10))
			w.run(time.Hour, time.Minute)
			w.allow(engine.ServiceDeadline, "ann", true)
			w.run(time.Hour, time.Minute)
			if n := w.notices("ann"); len(n) != 0 || !w.last.OK {
				w.Fatal(n, w.last)
			}
		}},
		{"fault12_stuck_is_told_once", func(w *world) {
			w.allow("ann", "bob", true)
			w.send("ann", "bob", "hello")
			w.setAgent("bob", func(a *testigo.Agent) { a.Paused = true })
			w.run(23*time.Hour, time.Hour)
			if n := w.notices("ann"); len(n) != 0 {
				w.Fatal(n)
			}
			w.run(48*time.Hour, time.Hour)
			if n := w.notices("ann"); len(n) != 1 || !strings.Contains(n[0], "paused") {
				w.Fatal(n)
			}
		}},
		{"turn_ended_without_a_return", func(w *world) {
			id := w.order("ann", "bob", "dig")
			w.tick()
			w.p.end(bob, testigo.TurnFinished)
			w.after(2 * time.Second)
			w.want(id, testigo.TurnEnded)
			if h := w.handoff(id); h.State != testigo.Open || h.Claim.Held() {
				w.Fatal(h.State, h.Claim)
			}
			if n := w.notices("ann"); len(n) != 1 || !strings.Contains(n[0], "without a return") {
				w.Fatal(n)
			}
			if r := w.must1(w.hand.Resume(w.ctx, w.as("bob"), handoff.ResumeParams{})); r.Claim != id+"#2" {
				w.Fatal(r)
			}
		}},
	}.test(t)
}

func TestHolds(t *testing.T) {
	rules{
		{"E42", func(w *world) {
			id := w.send("ann", "bob", "hello")
			w.write(func(tx testigo.Tx) error { // as if the body had been changed since
				return tx.PutDelivery(w.ctx, testigo.Delivery{ID: id, Sender: "ann", Recipient: "bob", RequestID: "r", Place: 1, Version: 1,
					State: testigo.Waiting, NextCheck: tx.Now(), CreatedAt: tx.Now(), UpdatedAt: tx.Now()})
			})
			w.tick()
			w.want(id, testigo.Failed)
			w.run(time.Hour, time.Minute)
			w.wantStarts(0)
		}},
		{"E44", func(w *world) {
			w.setting("enabled", false)
			id := w.send("ann", "bob", "hello")
			w.tick()
			w.want(id, testigo.Held)
			w.setting("enabled", true)
			w.after(30 * time.Second)
			w.want(id, testigo.Accepted)
		}},
		{"E45", func(w *world) {
			id := w.send("ann", "bob", "hello")
			w.allow("ann", "bob", false)
			w.tick()
			w.want(id, testigo.Held)
			other := w.send("cay", "bob", "passes what is blocked")
			w.tick()
			w.want(other, testigo.Accepted)
			w.p.end(bob, testigo.TurnFinished)
			w.after(5 * time.Second)
			w.allow("ann", "bob", true)
			w.after(30 * time.Second)
			w.want(id, testigo.Accepted)
		}},
		{"E46", func(w *world) {
			id := w.send("ann", "bob", "hello")
			w.setting(handoff.SettingConnections, "explicit")
			w.tick()
			w.want(id, testigo.Held)
			w.allow("ann", "bob", true)
			w.after(30 * time.Second)
			w.want(id, testigo.Accepted)
		}},
		{"E47", func(w *world) {
			w.p.prepare = func(testigo.Target) error { w.allow("ann", "bob", false); return nil }
			id := w.send("ann", "bob", "hello")
			w.tick()
			if d := w.want(id, testigo.Held); d.Attempts != 0 {
				w.Fatal(d.Attempts)
			}
			w.wantStarts(0)
		}},
		{"fault25_a_return_always_goes_to_its_sender", func(w *world) {
			w.setting(handoff.SettingConnections, "explicit")
			w.allow("ann", "bob", true)
			id := w.order("ann", "bob", "dig")
			res, err := w.hand.ReturnWork(w.ctx, w.as("bob"), handoff.ReturnParams{ID: id, Summary: "dug"})
			w.must(nil, err)
			w.tick()
			w.want(res.ReturnMessageID, testigo.Accepted)
		}},
		{"fault9_closed_work_is_not_delivered", func(w *world) {
			w.p.own(bob)
			id, gone := w.order("ann", "bob", "dig"), w.order("ann", "bob", "fill")
			w.tick()
			w.must(w.hand.CloseWork(w.ctx, w.as("ann"), handoff.CloseParams{ID: id, Outcome: testigo.CloseBlocked}))
			w.must(w.hand.Withdraw(w.ctx, w.as("ann"), handoff.WithdrawParams{ID: gone}))
			w.p.end(bob, testigo.TurnFinished)
			w.run(2*time.Minute, 10*time.Second)
			w.want(id, testigo.Cancelled)
			w.want(gone, testigo.Cancelled)
			w.wantStarts(0)
		}},
	}.test(t)
}

func TestEnrolment(t *testing.T) {
	rules{
		{"E48", func(w *world) { // an address enrols what is sent after it was given
			w.setAgent("old", func(a *testigo.Agent) { a.Provider = testigo.ProviderInbox })
			w.send("ann", "old", "before")
			w.clock.move(time.Minute)
			w.setAgent("old", func(a *testigo.Agent) { a.Provider, a.AddressedAt = "script", w.clock.Now() })
			w.tick()
			w.wantStarts(0)
			w.send("ann", "old", "after")
			w.tick()
			w.wantStarts(1)
		}},
		{"E49", func(w *world) {
			w.send("ann", "bob", "psst", func(p *handoff.SendParams) { p.Notification = true })
			id := w.send("ann", "cay", "hello")
			w.must(w.hand.ReadMessage(w.ctx, w.as("cay"), handoff.ReadParams{ID: id}))
			w.tick()
			w.wantStarts(0)
		}},
		{"E50", func(w *world) { // changed: work needs a claim, not a look
			w.p.own(bob)
			id, looked, taken := w.send("ann", "bob", "hello"), w.order("ann", "bob", "dig"), w.order("ann", "bob", "fill")
			w.tick()
			w.must(w.hand.ReadMessage(w.ctx, w.as("bob"), handoff.ReadParams{ID: id}))
			w.must(w.hand.ReadMessage(w.ctx, w.as("bob"), handoff.ReadParams{ID: looked}))
			w.must(w.hand.AcceptWork(w.ctx, w.as("bob"), handoff.AcceptParams{ID: taken}))
			w.p.end(bob, testigo.TurnFinished)
			w.run(2*time.Minute, 10*time.Second)
			w.want(id, testigo.Acknowledged)
			w.want(taken, testigo.Acknowledged)
			if !w.row(looked).State.Active() {
				w.Fatal(w.row(looked).State)
			}
		}},
		{"E51", func(w *world) {
			w.setAgent("dead", func(a *testigo.Agent) { a.Provider = testigo.ProviderInbox })
			for i := range 100 {
				w.send("ann", "dead", fmt.Sprint("hello ", i))
			}
			id := w.send("ann", "bob", "hello")
			w.tick()
			w.want(id, testigo.Accepted)
		}},
		{"fault29_hops", func(w *world) {
			// ann and bob answer each other inside their turns, for ever.
			names := [2]string{"ann", "bob"}
			w.send("ann", "bob", "ping")
			for i := 1; i < 40; i++ {
				me, other := names[i%2], names[(i+1)%2]
				w.tick()
				if n := len(w.p.starts()); n != i {
					if n != testigo.MaxHops+1 {
						w.Fatalf("%d turns", n)
					}
					if n := append(w.notices("ann"), w.notices("bob")...); len(n) != 1 || !strings.Contains(n[0], "hop 17") {
						w.Fatal(n)
					}
					return
				}
				w.send(me, other, fmt.Sprint("pong ", i)) // in its turn
				w.p.end(me+"-session", testigo.TurnFinished)
				w.clock.move(5 * time.Second)
			}
			w.Fatal("it never ended")
		}},
		{"to_oneself_is_never_pushed", func(w *world) {
			res, err := w.hand.Handoff(w.ctx, w.as("bob"), handoff.Params{Title: "t", Summary: "s", ToAgent: "bob"})
			w.must(nil, err)
			w.tick()
			w.want(res.ID, testigo.Cancelled)
			if w.handoff(res.ID).State != testigo.Open {
				w.Fatal("it does not wait")
			}
		}},
	}.test(t)
}

func TestReleaseAndFairness(t *testing.T) {
	rules{
		{"E52_fault2", func(w *world) {
			id, next := w.order("ann", "bob", "dig"), w.order("ann", "bob", "fill")
			w.p.start = func(t testigo.Target, tn testigo.Turn) (testigo.Started, error) {
				w.p.start = nil // released while the write is slow
				res, err := w.e.Release(w.ctx, w.as("person:op"), engine.ReleaseParams{ID: id, Note: "stuck"})
				if err != nil || res.Warning == "" {
					w.Error(res, err)
				}
				return testigo.Started{TurnID: "t", ClientUserMessageID: tn.RequestID}, nil
			}
			w.tick()
			if d := w.want(id, testigo.Cancelled); d.Receipt.ReleasedFrom != testigo.Sending || !d.Receipt.Final || !strings.Contains(d.Detail, "stuck") {
				w.Fatal(d)
			}
			w.run(time.Hour, time.Minute)
			w.want(id, testigo.Cancelled)
			if !w.row(next).State.Active() {
				w.Fatal(w.row(next))
			}
		}},
		{"E53", func(w *world) {
			id := w.send("ann", "bob", "hello")
			w.tick()
			w.p.end(bob, testigo.TurnFinished)
			w.after(5 * time.Second)
			for _, id := range []string{id, "h_00000000"} {
				if _, err := w.e.Release(w.ctx, w.as("person:op"), engine.ReleaseParams{ID: id}); err == nil {
					w.Fatal("released ", id)
				}
			}
		}},
		{"E57", func(w *world) { // E56 does not apply: turns belong to supervisors, not to engines
			id := w.send("ann", "bob", "hello")
			w.tick()
			w.want(id, testigo.Accepted)
		}},
		{"E58", func(w *world) {
			w.p.own(bob)
			for i := range 40 {
				w.send("ann", "bob", fmt.Sprint("hello ", i))
			}
			id := w.send("ann", "cay", "hello")
			w.tick()
			w.want(id, testigo.Accepted)
		}},
		{"E59", func(w *world) {
			w.p.own(bob)
			id := w.send("ann", "bob", "hello")
			w.tick()
			n, check := len(w.states(id)), w.row(id).NextCheck
			w.after(10 * time.Second)
			if len(w.states(id)) != n || !w.row(id).NextCheck.After(check) {
				w.Fatal(w.states(id))
			}
		}},
		{"E60", func(w *world) {
			w.send("ann", "bob", "one")
			next := w.send("ann", "bob", "two")
			w.tick()
			w.p.end(bob, testigo.TurnFinished)
			w.run(4*time.Second, 2*time.Second)
			if !w.row(next).State.Active() {
				w.Fatal(w.row(next))
			}
		}},
		{"fault13_first_in_first_out", func(w *world) {
			own := w.p.own(bob)
			var ids []string
			for i := range 6 {
				ids = append(ids, w.order("ann", "bob", fmt.Sprint("job ", i)))
				w.after(7 * time.Second)
			}
			own.state = testigo.TurnFinished
			w.after(9 * time.Second)
			newest := w.order("ann", "bob", "the newest")
			for range 60 {
				w.after(3 * time.Second)
				w.p.end(bob, testigo.TurnFinished)
			}
			var got []string
			for _, s := range w.p.starts() {
				got = append(got, s.HandoffID)
			}
			if want := append(ids, newest); fmt.Sprint(got) != fmt.Sprint(want) {
				w.Fatalf("%v\n%v", got, want)
			}
		}},
	}.test(t)
}

func (w *world) must1(r handoff.ResumeResult, err error) handoff.ResumeResult {
	w.Helper()
	w.must(nil, err)
	return r
}
