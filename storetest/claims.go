package storetest

import (
	"fmt"
	"time"

	"github.com/testigo/testigo"
)

func claims(s suite) {
	s.test("a move replaces what changes and nothing else", func(f *fixture) {
		h := f.sent("h_1")
		moved := h
		moved.State = testigo.Claimed // from which it can be put back, with every other field emptied
		moved.Claim = testigo.Claim{Agent: "executor", Session: "noon", Generation: 4, At: f.clock.Now(), RenewedAt: f.clock.Now().Add(time.Second),
			Process:    testigo.Process{PID: 42, Started: "881", Boot: "b00t"},
			StaleShown: []testigo.Pin{{Name: fact("p", "a", "b"), Version: 3}}}
		moved.ClosedAt, moved.ClosedBy = f.clock.Now().Add(time.Minute), "executor"
		moved.Outcome, moved.OutcomeRef = testigo.MinorFailure, "run 7"
		moved.ReadAt, moved.AcceptedAt = f.clock.Now().Add(-time.Second), f.clock.Now().Add(2*time.Second)
		moved.Return, moved.Closure = fullReturn(f.clock.Now()), fullClosure(f.clock.Now())
		sneaky := moved
		sneaky.Title, sneaky.Summary, sneaky.From, sneaky.To, sneaky.Project = "forged", "forged", "forged", "forged", "forged"
		sneaky.Pins, sneaky.Workspace, sneaky.ContentHash, sneaky.Seq = nil, nil, testigo.Hash{}, h.Seq+1000
		sneaky.Kind, sneaky.FromSession, sneaky.Notify, sneaky.Round = testigo.KindWork, "forged", "forged", 9
		sneaky.ReplyTo, sneaky.Thread, sneaky.ReturnFor = "forged", "forged", "forged"
		sneaky.NextSteps, sneaky.OpenQuestions, sneaky.Tried = nil, nil, nil
		sneaky.CreatedAt, sneaky.ExpiresAt, sneaky.DueAt = f.clock.Now().Add(time.Hour), time.Time{}, time.Time{}
		f.must(f.move(sneaky, testigo.Open, 0))
		equal(f, "the handoff", f.handoff("h_1"), moved)
		equal(f, "what is due", f.counted(testigo.HandoffFilter{DueBefore: h.DueAt.Add(time.Millisecond), Thread: h.Thread}), 1)

		put := moved
		put.State, put.Claim = testigo.Open, testigo.Claim{Generation: 4}
		put.ClosedAt, put.ClosedBy, put.Outcome, put.OutcomeRef = time.Time{}, "", "", ""
		put.ReadAt, put.AcceptedAt, put.Return, put.Closure = time.Time{}, time.Time{}, nil, nil
		f.must(f.move(put, testigo.Claimed, 4))
		equal(f, "the handoff put back", f.handoff("h_1"), put)
	})

	s.test("a move from another state or generation is gone", func(f *fixture) {
		h := f.sent("h_1")
		mine := claimed(h, "executor", 1)
		f.want(testigo.CodeGone, f.move(mine, testigo.Claimed, 0))
		f.want(testigo.CodeGone, f.move(mine, testigo.Open, 1))
		f.must(f.move(mine, testigo.Open, 0))
		f.want(testigo.CodeGone, f.move(mine, testigo.Open, 0))
		f.must(f.move(claimed(h, "rival", 2), testigo.Claimed, 1)) // a takeover

		late := mine
		late.State = testigo.Closed
		f.want(testigo.CodeGone, f.move(late, testigo.Claimed, 1))
		equal(f, "the handoff", f.handoff("h_1"), claimed(h, "rival", 2))

		never := h
		never.ID = "h_never"
		f.want(testigo.CodeGone, f.move(never, testigo.Open, 0))
	})

	s.test("a move that the table does not list is refused, whatever the row is", func(f *fixture) {
		h := f.sent("h_1")
		for _, from := range testigo.HandoffStates() {
			for _, to := range testigo.HandoffStates() {
				if from == to || testigo.CanMove(from, to) {
					continue
				}
				moved := h
				moved.State = to
				f.want(testigo.CodeInternal, f.move(moved, from, 0))
			}
		}
		equal(f, "the handoff", f.handoff("h_1"), h)
	})

	s.test("after a lost move the transaction goes on", func(f *fixture) {
		one, two := f.sent("h_1"), f.sent("h_2")
		f.must(f.move(claimed(one, "rival", 1), testigo.Open, 0))
		f.write(func(tx testigo.Tx) error {
			f.want(testigo.CodeGone, tx.MoveHandoff(f.ctx, claimed(one, "executor", 1), testigo.Open, 0))
			return tx.MoveHandoff(f.ctx, claimed(two, "executor", 1), testigo.Open, 0)
		})
		equal(f, "holders", []string{f.handoff("h_1").Claim.Agent, f.handoff("h_2").Claim.Agent}, []string{"rival", "executor"})
	})

	// Everybody looks first and acts in another transaction, as slow agents do; the condition decides.
	s.test("of many who claim at once one wins", func(f *fixture) {
		h := f.sent("h_1")
		stores := []testigo.Store{f.store, f.another()}
		errs := together(16, func(i int) error {
			s := stores[i%len(stores)]
			if err := s.Read(f.ctx, func(r testigo.Reader) error { _, err := r.Handoff(f.ctx, h.ID); return err }); err != nil {
				return err
			}
			return s.Write(f.ctx, func(tx testigo.Tx) error {
				return tx.MoveHandoff(f.ctx, claimed(h, fmt.Sprint("agent-", i), 1), testigo.Open, 0)
			})
		})
		winner := ""
		for i, err := range errs {
			if err != nil {
				f.want(testigo.CodeGone, err)
				continue
			}
			if winner != "" {
				f.Errorf("%s and agent-%d both won", winner, i)
			}
			winner = fmt.Sprint("agent-", i)
		}
		if got := f.handoff("h_1").Claim; winner == "" || got.Agent != winner || got.Generation != 1 {
			f.Errorf("the winner is %q, the holder %+v", winner, got)
		}
	})

	s.test("of many who pick from one queue nobody gets what another got", func(f *fixture) {
		const packets = 8
		for i := range packets {
			f.sent(fmt.Sprint("h_", i))
		}
		got := make([]string, 16)
		errs := together(len(got), func(i int) error {
			return f.store.Write(f.ctx, func(tx testigo.Tx) error {
				list, err := tx.Handoffs(f.ctx, testigo.HandoffFilter{States: []testigo.HandoffState{testigo.Open}, Limit: 1})
				if err != nil || len(list) == 0 {
					return err
				}
				got[i] = list[0].ID
				return tx.MoveHandoff(f.ctx, claimed(list[0], fmt.Sprint("agent-", i), 1), testigo.Open, 0)
			})
		})
		taken := map[string]bool{}
		for i, id := range got {
			f.must(errs[i])
			if id != "" && taken[id] {
				f.Errorf("%s was picked twice", id)
			}
			taken[id] = true
		}
		delete(taken, "")
		if len(taken) != packets {
			f.Errorf("%d packets were picked, want %d", len(taken), packets)
		}
	})
}
