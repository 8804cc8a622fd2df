package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/testigo/testigo"
)

func inbox(s suite) {
	s.test("unread, kinds and recipient select together, in both orders", func(f *fixture) {
		edit := func(kind testigo.HandoffKind, to string) func(*testigo.Handoff) {
			return func(h *testigo.Handoff) { h.Kind, h.To = kind, to }
		}
		f.sent("a", edit(testigo.KindMessage, "executor"))
		f.sent("b", edit(testigo.KindWork, "executor"))
		f.clock.Advance(-time.Hour) // orders go by number
		c := f.sent("c", edit(testigo.KindMessage, "executor"))
		f.sent("d", edit(testigo.KindNotification, "executor"))
		f.sent("e", edit(testigo.KindMessage, "scout"))
		g := f.sent("g", edit(testigo.KindMessage, ""))
		h := f.sent("h", edit(testigo.KindMessage, "executor"))
		f.sent("i", edit(testigo.KindPacket, ""))
		f.seen(c)
		f.seen(g)
		h.State = testigo.Expired
		f.must(f.move(h, testigo.Open, 0))
		mail := []testigo.HandoffKind{testigo.KindMessage, testigo.KindNotification}
		f.selecting([]selection{
			{func(q *testigo.HandoffFilter) { q.Unread = true }, "abdehi"},
			{func(q *testigo.HandoffFilter) { q.Kinds = mail }, "acdegh"},
			{func(q *testigo.HandoffFilter) { q.Kinds = []testigo.HandoffKind{testigo.KindWork} }, "b"},
			{func(q *testigo.HandoffFilter) { q.Kinds = []testigo.HandoffKind{"unheard of"} }, ""},
			{func(q *testigo.HandoffFilter) { q.To = "executor" }, "abcdh"},
			{func(q *testigo.HandoffFilter) { q.To, q.Unread = "executor", true }, "abdh"},
			{func(q *testigo.HandoffFilter) { q.To, q.Unread, q.Kinds = "executor", true, mail }, "adh"},
			{func(q *testigo.HandoffFilter) {
				q.To, q.Unread, q.Kinds, q.States = "executor", true, mail, []testigo.HandoffState{testigo.Open}
			}, "ad"},
			{func(q *testigo.HandoffFilter) { q.To, q.States = "executor", []testigo.HandoffState{testigo.Open} }, "abcd"},
			{func(q *testigo.HandoffFilter) {
				q.To, q.States = "executor", []testigo.HandoffState{testigo.Open, testigo.Expired}
			}, "abcdh"},
			{func(q *testigo.HandoffFilter) { q.Unaddressed, q.Unread = true, true }, "i"},
			{func(q *testigo.HandoffFilter) { q.To, q.Unaddressed, q.Unread = "scout", true, true }, "ei"},
			{func(q *testigo.HandoffFilter) { q.To, q.Unaddressed = "executor", true }, "abcdghi"},
			{func(q *testigo.HandoffFilter) { q.To, q.Unread = "nobody", true }, ""},
			{func(q *testigo.HandoffFilter) { q.From, q.Unread = "scout", true }, "abdehi"},
		})
	})

	s.test("pages keep between both bounds; counts know no page", func(f *fixture) {
		var seqs []int64
		for _, id := range strings.Split("a b c d e f", " ") {
			seqs = append(seqs, f.sent(id).Seq)
		}
		for _, base := range []testigo.HandoffFilter{
			{}, {To: "executor"}, {To: "executor", Unread: true}, {To: "executor", Unaddressed: true}, {From: "scout"},
			{Thread: "h_began"}, {ReturnFor: "h_work"}, {States: testigo.HandoffStates()},
			{To: "executor", States: testigo.HandoffStates()},
			{States: testigo.HandoffStates(), DueBefore: f.clock.Now().Add(time.Hour)}, {DueBefore: f.clock.Now().Add(time.Hour)},
		} {
			for _, c := range []struct {
				after, before int64
				limit         int
				newest        bool
				want          string
			}{
				{0, 0, 0, false, "abcdef"}, {0, 0, 0, true, "fedcba"}, {0, 0, 2, true, "fe"}, {0, seqs[4], 2, true, "dc"},
				{0, seqs[2], 2, true, "ba"}, {0, seqs[0], 2, true, ""}, {0, seqs[5] + 1000, 2, true, "fe"},
				{seqs[1], 0, 2, false, "cd"}, {seqs[5], 0, 2, false, ""}, {seqs[1], seqs[4], 0, false, "cd"}, {seqs[1], seqs[4], 0, true, "dc"},
				{0, seqs[2], 0, false, "ab"}, {seqs[3], 0, 0, true, "fe"}, {seqs[3], 0, 1, true, "f"}, {seqs[3], seqs[3], 0, true, ""},
			} {
				q := base
				q.AfterSeq, q.BeforeSeq, q.Limit, q.Newest = c.after, c.before, c.limit, c.newest
				if got := f.selected(q); got != c.want {
					f.Errorf("%+v selects %q, want %q", q, got, c.want)
				}
				if got := f.counted(q); got != len(seqs) {
					f.Errorf("%+v counts %d, want %d", q, got, len(seqs))
				}
			}
		}
	})

	s.test("what arrives between two pages moves none of those that wait", func(f *fixture) {
		for i := range 6 {
			f.sent(fmt.Sprint(i))
		}
		q := testigo.HandoffFilter{To: "executor", Unread: true, Newest: true, Limit: 2}
		first := f.listed(q)
		f.sent("late")
		f.seen(first[0])
		q.BeforeSeq = first[1].Seq
		equal(f, "the second page", f.selected(q), "32")
	})

	s.test("a read mark changes nothing else and can be taken back", func(f *fixture) {
		h := f.sent("h_1")
		mine := testigo.HandoffFilter{To: "executor", Unread: true}
		equal(f, "unread", f.counted(mine), 1)
		h = f.seen(h)
		equal(f, "the handoff", f.handoff("h_1"), h)
		equal(f, "unread", f.counted(mine), 0)

		taken := claimed(h, "executor", 1)
		taken.AcceptedAt = f.clock.Now().Add(time.Second)
		f.must(f.move(taken, testigo.Open, 0))
		equal(f, "the handoff that was taken", f.handoff("h_1"), taken)
		equal(f, "unread", f.counted(mine), 0)

		late := h
		late.ReadAt = h.ReadAt.Add(time.Hour)
		f.want(testigo.CodeGone, f.move(late, testigo.Open, 0))
		equal(f, "after a late mark", f.handoff("h_1"), taken)

		taken.ReadAt = time.Time{}
		f.must(f.move(taken, testigo.Claimed, 1))
		equal(f, "unread again", f.selected(mine), "h_1")
	})

	s.test("a handoff may be written as read", func(f *fixture) {
		h := f.sent("h_1", func(h *testigo.Handoff) {
			h.ReadAt, h.AcceptedAt = h.CreatedAt.Add(time.Second), h.CreatedAt.Add(2*time.Second)
		})
		equal(f, "the handoff", f.handoff("h_1"), h)
		equal(f, "unread", f.counted(testigo.HandoffFilter{To: "executor", Unread: true}), 0)
	})
}

// seen marks an open handoff as read.
func (f *fixture) seen(h testigo.Handoff) testigo.Handoff {
	f.Helper()
	h.ReadAt = f.clock.Now()
	f.must(f.move(h, testigo.Open, 0))
	return h
}
