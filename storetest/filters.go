package storetest

import (
	"slices"
	"strings"
	"time"

	"github.com/testigo/testigo"
)

func filters(s suite) {
	s.test("a filter selects by everything it names", func(f *fixture) {
		edit := func(project, from, to string) func(*testigo.Handoff) {
			return func(h *testigo.Handoff) { h.Project, h.From, h.To = project, from, to }
		}
		f.sent("a", edit("p", "scout", "executor"))
		f.sent("b", edit("q", "scout", ""))
		f.sent("c", edit("p", "executor", ""))
		f.clock.Advance(-time.Hour)
		d := f.sent("d", edit("q", "scout", "executor"))
		e := f.sent("e", edit("", "scout", ""))
		f.must(f.move(claimed(d, "executor", 1), testigo.Open, 0))
		e.State = testigo.Closed
		f.must(f.move(e, testigo.Open, 0))
		f.selecting([]selection{
			{func(*testigo.HandoffFilter) {}, "abcde"},
			{func(q *testigo.HandoffFilter) { q.States = []testigo.HandoffState{testigo.Open} }, "abc"},
			{func(q *testigo.HandoffFilter) {
				q.States = []testigo.HandoffState{testigo.Closed, testigo.Claimed}
			}, "de"},
			{func(q *testigo.HandoffFilter) { q.States = []testigo.HandoffState{testigo.Expired} }, ""},
			{func(q *testigo.HandoffFilter) { q.To = "executor" }, "ad"},
			{func(q *testigo.HandoffFilter) { q.Unaddressed = true }, "bce"},
			{func(q *testigo.HandoffFilter) { q.To, q.Unaddressed = "executor", true }, "abcde"},
			{func(q *testigo.HandoffFilter) { q.To, q.Unaddressed = "scout", true }, "bce"},
			{func(q *testigo.HandoffFilter) { q.Unaddressed, q.Projects = true, []string{"p"} }, "c"},
			{func(q *testigo.HandoffFilter) { q.Unaddressed, q.Projects = true, []string{"q", ""} }, "be"},
			{func(q *testigo.HandoffFilter) {
				q.To, q.Unaddressed, q.Projects = "executor", true, []string{"p"}
			}, "acd"},
			{func(q *testigo.HandoffFilter) { q.To, q.Projects = "executor", []string{"p"} }, "ad"},
			{func(q *testigo.HandoffFilter) { q.From = "scout" }, "abde"},
			{func(q *testigo.HandoffFilter) { q.HolderAgent = "executor" }, "d"},
			{func(q *testigo.HandoffFilter) { q.HolderAgent, q.HolderSession = "executor", "noon" }, "d"},
			{func(q *testigo.HandoffFilter) { q.HolderAgent, q.HolderSession = "executor", "night" }, ""},
			{func(q *testigo.HandoffFilter) { q.From, q.Unaddressed = "executor", true }, "c"},
		})
	})

	s.test("lists go by number, in pages; counts ignore the page", func(f *fixture) {
		var seqs []int64
		for _, id := range strings.Split("e d c b a", " ") {
			seqs = append(seqs, f.sent(id).Seq)
			f.clock.Advance(-time.Minute)
		}
		q := testigo.HandoffFilter{To: "executor", Limit: 2}
		equal(f, "first page", f.selected(q), "ed")
		q.AfterSeq = seqs[1]
		equal(f, "second page", f.selected(q), "cb")
		equal(f, "count", f.counted(q), 5)
		q.AfterSeq = seqs[3]
		equal(f, "last page", f.selected(q), "a")
		q.AfterSeq = seqs[4]
		equal(f, "beyond", f.selected(q), "")
	})
}

// selection is a filter with the ids, of one letter each, that it selects.
type selection struct {
	change func(*testigo.HandoffFilter)
	want   string
}

// selecting asks for lists in both orders, whole and page by page, and for counts.
func (f *fixture) selecting(cases []selection) {
	f.Helper()
	for _, c := range cases {
		q := testigo.HandoffFilter{}
		c.change(&q)
		if got := f.selected(q); got != c.want {
			f.Errorf("%+v selects %q, want %q", q, got, c.want)
		}
		if got := f.counted(q); got != len(c.want) {
			f.Errorf("%+v counts %d, want %d", q, got, len(c.want))
		}
		f.paged(q, c.want)
		q.Newest = true
		f.paged(q, reversed(c.want))
	}
}

// paged walks over what a filter selects, two at a time.
func (f *fixture) paged(q testigo.HandoffFilter, want string) {
	f.Helper()
	got := ""
	for q.Limit = 2; ; {
		page := f.listed(q)
		for _, h := range page {
			got += h.ID
			q.AfterSeq = h.Seq
		}
		if q.Newest {
			q.BeforeSeq, q.AfterSeq = q.AfterSeq, 0
		}
		if len(page) < q.Limit {
			break
		}
	}
	if got != want {
		f.Errorf("pages of %+v are %q, want %q", q, got, want)
	}
}

func reversed(ids string) string {
	letters := []byte(ids)
	slices.Reverse(letters)
	return string(letters)
}

func (f *fixture) listed(q testigo.HandoffFilter) []testigo.Handoff {
	f.Helper()
	return read(f, func(r testigo.Reader) ([]testigo.Handoff, error) { return r.Handoffs(f.ctx, q) })
}

// selected joins the ids of what a filter lists.
func (f *fixture) selected(q testigo.HandoffFilter) (ids string) {
	f.Helper()
	for _, h := range f.listed(q) {
		ids += h.ID
	}
	return ids
}

func (f *fixture) counted(q testigo.HandoffFilter) int {
	f.Helper()
	return read(f, func(r testigo.Reader) (int, error) { return r.CountHandoffs(f.ctx, q) })
}
