package storetest

import (
	"encoding/json"
	"time"

	"github.com/testigo/testigo"
)

func records(s suite) {
	s.test("a request's answer is kept per agent and key", func(f *fixture) {
		mine := testigo.Request{Agent: "scout", Key: "k 1", Tool: "remember", Content: testigo.Hash{1, 2},
			Result: json.RawMessage(`{"b":1.0, "a":[null]}`), VersionSeq: 7, At: f.clock.Now()}
		yours := testigo.Request{Agent: "executor", Key: "k 1", Tool: "handoff", At: f.clock.Now()}
		f.write(func(tx testigo.Tx) error {
			if err := tx.PutRequest(f.ctx, mine); err != nil {
				return err
			}
			return tx.PutRequest(f.ctx, yours)
		})
		for _, want := range []testigo.Request{mine, yours} {
			got := read(f, func(r testigo.Reader) (testigo.Request, error) { return r.Request(f.ctx, want.Agent, want.Key) })
			equal(f, "the request of "+want.Agent, got, want)
		}
		f.refused(testigo.CodeNotFound, func(r testigo.Reader) error { _, err := r.Request(f.ctx, "scout", "k 2"); return err })
		f.refused(testigo.CodeNotFound, func(r testigo.Reader) error { _, err := r.Request(f.ctx, "nobody", "k 1"); return err })
	})

	s.test("events of a subject are listed oldest first after a number", func(f *fixture) {
		var want []testigo.Event
		for _, kind := range []string{"written", "claimed", "closed"} {
			f.write(func(tx testigo.Tx) error {
				e := testigo.Event{Seq: tx.NextSeq(), Subject: "h_1", Kind: kind, Actor: "scout", Session: "morning",
					At: tx.Now(), Data: json.RawMessage(`{"n": 1.50}`)}
				want = append(want, e)
				if err := tx.PutEvent(f.ctx, e); err != nil {
					return err
				}
				return tx.PutEvent(f.ctx, testigo.Event{Seq: tx.NextSeq(), Subject: "h_10", Kind: kind, Actor: "scout", At: tx.Now()})
			})
			f.clock.Advance(-time.Second)
		}
		list := func(subject string, after int64, limit int) []testigo.Event {
			return read(f, func(r testigo.Reader) ([]testigo.Event, error) { return r.Events(f.ctx, subject, after, limit) })
		}
		equal(f, "all", list("h_1", 0, 10), want)
		equal(f, "the first", list("h_1", 0, 1), want[:1])
		equal(f, "the rest", list("h_1", want[0].Seq, 10), want[1:])
		equal(f, "none left", list("h_1", want[2].Seq, 10), nil)
		equal(f, "of nobody", list("h_", 0, 10), nil)
	})
}
