package storetest

import (
	"github.com/testigo/testigo"
)

func (f *fixture) stats() testigo.Stats {
	f.Helper()
	return tidyStats(read(f, func(r testigo.Reader) (testigo.Stats, error) { return r.Stats(f.ctx) }))
}

// tidyStats drops the states that no handoff is in: listing them with zero is as good as leaving them out.
func tidyStats(s testigo.Stats) testigo.Stats {
	states := make(map[testigo.HandoffState]int)
	for state, n := range s.Handoffs {
		if n != 0 {
			states[state] = n
		}
	}
	s.Handoffs = states
	return s
}

func stats(s suite) {
	s.test("an empty store counts nothing", func(f *fixture) {
		equal(f, "stats", f.stats(), testigo.Stats{})
	})

	s.test("everything is counted", func(f *fixture) {
		f.remembered(fact("p", "listing/1", "a"), confidence(0.5))
		old := f.remembered(fact("p", "listing/2", "a"), confidence(0.9))
		f.remembered(fact("p", "listing/2", "a"), confidence(0.7), by("executor", "noon"))
		f.remembered(fact("p", "listing-2", "a"), confidence(0.2))
		f.remembered(fact("", "listing", "a"), confidence(1), by("executor", "noon"))
		f.forgotten(old)
		f.write(func(tx testigo.Tx) error {
			if err := tx.PutOutcome(f.ctx, outcome(tx, old, testigo.Failure, "executor", "run")); err != nil {
				return err
			}
			for _, id := range []string{"h_1", "h_2"} {
				if err := tx.PutHandoff(f.ctx, packet(tx, id)); err != nil {
					return err
				}
				if err := tx.PutEvent(f.ctx, testigo.Event{Seq: tx.NextSeq(), Subject: id, Kind: "written", Actor: "scout", At: tx.Now()}); err != nil {
					return err
				}
			}
			if err := tx.PutAgent(f.ctx, testigo.Agent{Name: "scout", Provider: "inbox", FirstSeen: tx.Now(), LastSeen: tx.Now()}); err != nil {
				return err
			}
			return tx.MoveHandoff(f.ctx, claimed(packet(tx, "h_2"), "executor", 1), testigo.Open, 0)
		})
		equal(f, "stats", f.stats(), testigo.Stats{
			Facts: 4, Versions: 5, Erased: 1, Outcomes: 1, AvgConfidence: (0.5 + 0.7 + 0.2 + 1) / 4,
			ByAgent: []testigo.AgentStats{
				{Agent: "executor", Versions: 2, AvgConfidence: 0.85},
				{Agent: "scout", Versions: 3, AvgConfidence: (0.5 + 0.9 + 0.2) / 3},
			},
			ByScope: []testigo.ScopeStats{
				{Project: "", Scope: "listing", Facts: 1, AvgConfidence: 1},
				{Project: "p", Scope: "listing", Facts: 2, AvgConfidence: 0.6},
				{Project: "p", Scope: "listing-2", Facts: 1, AvgConfidence: 0.2},
			},
			Handoffs: map[testigo.HandoffState]int{testigo.Open: 1, testigo.Claimed: 1},
			Agents:   1, Events: 2,
		})
	})
}
