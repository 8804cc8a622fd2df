package storetest

import (
	"slices"
	"time"

	"github.com/testigo/testigo"
)

// packet is an open handoff with something in every field that a sender fills.
func packet(tx testigo.Tx, id string, edits ...func(*testigo.Handoff)) testigo.Handoff {
	now := tx.Now()
	h := testigo.Handoff{
		Seq: tx.NextSeq(), ID: id, Kind: testigo.KindPacket, State: testigo.Open, Project: "p",
		From: "scout", FromSession: "morning", To: "executor",
		Title: "two listings", Summary: "worth an application\nит 🙂", NextSteps: []string{"draft", ""}, OpenQuestions: []string{"enough?"},
		Tried: []string{"asking"}, Pins: []testigo.Pin{{Name: fact("p", "listing/482", "price"), Version: 2}, {Name: fact("", "a", "b"), Version: 1}},
		Workspace: &testigo.Workspace{Project: "p", Dir: "/w/p", Worktree: "/w/p", Remote: "example.org/p", Branch: "main", Commit: "4f2a9c1",
			Dirty: []testigo.DirtyFile{{Path: "a b.go", State: "modified", SHA256: "ab"}}, DirtyTotal: 1, Ahead: -1, Behind: 3, At: now},
		ContentHash: testigo.Hash{7}, Notify: "quiet", CreatedAt: now, ExpiresAt: now.Add(time.Hour), DueAt: now.Add(time.Minute),
		ReplyTo: "h_asked", Thread: "h_began", ReturnFor: "h_work", Round: 2,
	}
	for _, e := range edits {
		e(&h)
	}
	return h
}

// claimed is h held by an agent.
func claimed(h testigo.Handoff, agent string, generation int) testigo.Handoff {
	h.State = testigo.Claimed
	h.Claim = testigo.Claim{Agent: agent, Session: "noon", Generation: generation, At: h.CreatedAt, RenewedAt: h.CreatedAt}
	return h
}

// sent stores a packet in a transaction of its own.
func (f *fixture) sent(id string, edits ...func(*testigo.Handoff)) testigo.Handoff {
	f.Helper()
	var h testigo.Handoff
	f.write(func(tx testigo.Tx) error {
		h = packet(tx, id, edits...)
		return tx.PutHandoff(f.ctx, h)
	})
	return h
}

func (f *fixture) move(h testigo.Handoff, from testigo.HandoffState, gen int) error {
	return f.store.Write(f.ctx, func(tx testigo.Tx) error { return tx.MoveHandoff(f.ctx, h, from, gen) })
}

func handoffs(s suite) {
	s.test("a handoff comes back as it was given", func(f *fixture) {
		full := f.sent("h_1")
		equal(f, "a full one", f.handoff("h_1"), full)
		var bare testigo.Handoff
		f.write(func(tx testigo.Tx) error {
			bare = testigo.Handoff{Seq: tx.NextSeq(), ID: "h_2", Kind: testigo.KindMessage, State: testigo.Open, From: "scout", Title: "hello", CreatedAt: tx.Now()}
			return tx.PutHandoff(f.ctx, bare)
		})
		equal(f, "a bare one", f.handoff("h_2"), bare)
		f.refused(testigo.CodeNotFound, func(r testigo.Reader) error { _, err := r.Handoff(f.ctx, "h_3"); return err })
	})

	s.test("a taken id is a conflict, after which the transaction goes on", func(f *fixture) {
		first := f.sent("h_1")
		f.write(func(tx testigo.Tx) error {
			f.want(testigo.CodeConflict, tx.PutHandoff(f.ctx, packet(tx, "h_1", func(h *testigo.Handoff) { h.Title = "other" })))
			return tx.PutHandoff(f.ctx, packet(tx, "h_2"))
		})
		equal(f, "the first", f.handoff("h_1"), first)
		f.handoff("h_2")
	})

	s.test("a prefix is text, not a pattern", func(f *fixture) {
		for _, id := range []string{"h_12", "h_123", "h_13", "hx12", "H_12", "h_1", "imported-12"} {
			f.sent(id)
		}
		for _, c := range []struct {
			prefix string
			want   []string
		}{
			{"h_1", []string{"h_1", "h_12", "h_123", "h_13"}}, {"h_12", []string{"h_12", "h_123"}}, {"h_123", []string{"h_123"}},
			{"H", []string{"H_12"}}, {"h_2", nil}, {"h_1234", nil}, {"_", nil}, {"%", nil}, {"*", nil},
		} {
			got := f.prefixed(c.prefix, 100)
			slices.Sort(got)
			equal(f, "ids with "+c.prefix, got, c.want)
		}
		if got := f.prefixed("h_1", 2); len(got) != 2 {
			f.Errorf("limit 2 gave %d ids", len(got))
		}
	})

	s.test("a repeated handoff is recognised by sender, session, content and time", func(f *fixture) {
		start := f.clock.Now()
		f.sent("h_1")
		f.clock.Advance(time.Minute)
		f.sent("h_2")
		f.sent("h_3", func(h *testigo.Handoff) { h.FromSession = "noon" })
		f.sent("h_4", func(h *testigo.Handoff) { h.ContentHash = testigo.Hash{8} })
		f.sent("h_5", func(h *testigo.Handoff) { h.From = "executor" })
		recent := func(content testigo.Hash, since time.Time) string {
			var h testigo.Handoff
			err := f.store.Read(f.ctx, func(r testigo.Reader) (err error) {
				h, err = r.RecentHandoff(f.ctx, "scout", "morning", content, since)
				return err
			})
			if err != nil {
				f.want(testigo.CodeNotFound, err)
			}
			return h.ID
		}
		equal(f, "the newest", recent(testigo.Hash{7}, start), "h_2")
		equal(f, "since the very moment", recent(testigo.Hash{7}, start.Add(time.Minute)), "h_2")
		equal(f, "since later", recent(testigo.Hash{7}, start.Add(time.Minute+time.Millisecond)), "")
		equal(f, "other content", recent(testigo.Hash{9}, start), "")
		f.clock.Set(start.Add(30 * time.Second))
		f.sent("h_6")
		equal(f, "the newest by number", recent(testigo.Hash{7}, start), "h_6")
		equal(f, "the newest that is late enough", recent(testigo.Hash{7}, start.Add(45*time.Second)), "h_2")
	})
}

func (f *fixture) prefixed(prefix string, limit int) []string {
	f.Helper()
	return read(f, func(r testigo.Reader) ([]string, error) { return r.HandoffsByPrefix(f.ctx, prefix, limit) })
}
