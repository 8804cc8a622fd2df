package storetest

import (
	"time"

	"github.com/testigo/testigo"
)

// outcome is an audit row about v.
func outcome(tx testigo.Tx, v testigo.Version, kind testigo.OutcomeKind, agent, ref string) testigo.Outcome {
	return testigo.Outcome{
		Seq: tx.NextSeq(), VersionSeq: v.Seq, Pin: testigo.Pin{Name: v.Name, Version: v.Number},
		Kind: kind, OutcomeRef: ref, Note: "as it went", Agent: agent, Session: "noon", HandoffID: "h_0badcafe",
		At: tx.Now(), Before: v.Confidence, After: kind.Move(v.Confidence),
	}
}

func opinions(s suite) {
	s.test("an opinion moves on its version and on no other", func(f *fixture) {
		n := fact("p", "a", "b")
		one := f.remembered(n)
		f.remembered(n)
		two := f.current(n)
		moved := testigo.OutcomeCounts{Success: 3, Unknown: 1}
		f.write(func(tx testigo.Tx) error { return tx.SetOpinion(f.ctx, one.Seq, 0.125, moved) })
		old := f.version(n, 1)
		if old.Confidence != 0.125 || old.Counts != moved {
			f.Errorf("the version has confidence %v and counts %+v", old.Confidence, old.Counts)
		}
		equal(f, "the other version", f.current(n), two)
		old.Confidence, old.Counts, old.SupersededAt = one.Confidence, one.Counts, time.Time{}
		equal(f, "the rest of the version", old, one)
	})

	s.test("a confirmation is kept", func(f *fixture) {
		n := fact("p", "a", "b")
		v := f.remembered(n)
		f.clock.Advance(time.Hour)
		f.write(func(tx testigo.Tx) error { return tx.SetConfirmed(f.ctx, v.Seq, "executor", tx.Now()) })
		v.ConfirmedBy, v.ConfirmedAt = "executor", f.clock.Now()
		equal(f, "the version", f.current(n), v)
	})

	s.test("opinions about nothing are not found", func(f *fixture) {
		refused := func(change func(tx testigo.Tx) error) {
			f.Helper()
			f.want(testigo.CodeNotFound, f.store.Write(f.ctx, change))
		}
		refused(func(tx testigo.Tx) error { return tx.SetOpinion(f.ctx, 77, 0.5, testigo.OutcomeCounts{}) })
		refused(func(tx testigo.Tx) error { return tx.SetConfirmed(f.ctx, 77, "scout", tx.Now()) })
		refused(func(tx testigo.Tx) error { return tx.PutIndexText(f.ctx, 77, testigo.IndexText{Body: "x"}) })
	})

	s.test("outcomes are listed oldest first and found by their reference", func(f *fixture) {
		v := f.remembered(fact("p", "a", "b"))
		w := f.remembered(fact("p", "a", "c"))
		var rows []testigo.Outcome
		f.write(func(tx testigo.Tx) error {
			for i, kind := range testigo.OutcomeKinds() {
				f.clock.Advance(-time.Second)
				rows = append(rows, outcome(tx, v, kind, "executor", string(kind)))
				if err := tx.PutOutcome(f.ctx, rows[i]); err != nil {
					return err
				}
			}
			return tx.PutOutcome(f.ctx, outcome(tx, w, testigo.Success, "executor", "success"))
		})
		list := func(limit int) []testigo.Outcome {
			return read(f, func(r testigo.Reader) ([]testigo.Outcome, error) { return r.OutcomesOf(f.ctx, v.Seq, limit) })
		}
		equal(f, "all outcomes", list(50), rows)
		equal(f, "the oldest two", list(2), rows[:2])
		got := read(f, func(r testigo.Reader) (testigo.Outcome, error) {
			return r.OutcomeBy(f.ctx, v.Seq, "executor", "failure")
		})
		equal(f, "by reference", got, rows[1])
		f.refused(testigo.CodeNotFound, func(r testigo.Reader) error {
			_, err := r.OutcomeBy(f.ctx, v.Seq, "scout", "failure")
			return err
		})
	})

	// An opinion given with a repeated write has no kind and no reference; an agent may have several about one version.
	s.test("several opinions of one agent about one version are kept", func(f *fixture) {
		v := f.remembered(fact("p", "a", "b"))
		for range 3 {
			f.write(func(tx testigo.Tx) error { return tx.PutOutcome(f.ctx, outcome(tx, v, "", "executor", "")) })
		}
		list := read(f, func(r testigo.Reader) ([]testigo.Outcome, error) { return r.OutcomesOf(f.ctx, v.Seq, 50) })
		if len(list) != 3 {
			f.Errorf("%d rows, want 3", len(list))
		}
	})
}
