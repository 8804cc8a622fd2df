package storetest

import (
	"slices"

	"github.com/testigo/testigo"
)

// keys lists the keys of candidates in the order they came.
func keys(c testigo.Candidates) []string {
	var list []string
	for _, one := range c.List {
		list = append(list, one.Version.Name.Key)
	}
	return list
}

// found asks for terms inside groups and lists the keys in alphabetical order: ranking is the store's own affair.
func (f *fixture) found(terms []string, within ...[]string) []string {
	f.Helper()
	list := keys(f.search(testigo.SearchQuery{Terms: terms, Within: within, Limit: 100}))
	slices.Sort(list)
	return list
}

func search(s suite) {
	s.test("terms are alternatives, in body or context", func(f *fixture) {
		f.remembered(fact("p", "s", "a"), body("red apple"), around("tree"))
		f.remembered(fact("p", "s", "b"), body("green pear"), around("red tree"))
		f.remembered(fact("p", "s", "c"), body("blue plum"))
		f.remembered(fact("p", "s", "d"), filter("red"))
		f.remembered(fact("p", "s", "e"))
		equal(f, "one term", f.found([]string{"plum"}), []string{"c"})
		equal(f, "a term in body and context", f.found([]string{"red"}), []string{"a", "b"})
		equal(f, "several terms", f.found([]string{"apple", "plum", "nothing"}), []string{"a", "c"})
		equal(f, "a term twice", f.found([]string{"plum", "plum"}), []string{"c"})
		equal(f, "no such term", f.found([]string{"nothing"}), nil)
	})

	s.test("terms are compared as they are", func(f *fixture) {
		for _, term := range []string{"pol", "pol358", "358", "near", "not", "东京", "café", "cafe", "x1f642", "running"} {
			f.remembered(fact("p", "s", term), body("some "+term+" word"))
		}
		for _, term := range []string{"pol", "pol358", "358", "near", "not", "东京", "café", "cafe", "x1f642", "running"} {
			equal(f, term, f.found([]string{term}), []string{term})
		}
		for _, term := range []string{"po", "35", "东", "run", "358pol"} {
			equal(f, term, f.found([]string{term}), nil)
		}
	})

	s.test("every group must match, by one of its terms", func(f *fixture) {
		f.remembered(fact("p", "s", "a"), body("word"), filter("p1 s1 tred"))
		f.remembered(fact("p", "s", "b"), body("word"), filter("p1 s2 tred tblue"))
		f.remembered(fact("p", "s", "c"), body("word"), filter("p2 s1"))
		f.remembered(fact("p", "s", "d"), body("word p1 tred"), around("p1"))
		f.remembered(fact("p", "s", "e"), body("other"), filter("p1 s1"))
		for _, c := range []struct {
			within [][]string
			want   string
		}{
			{[][]string{{"p1"}}, "ab"},
			{[][]string{{"p1", "p2"}}, "abc"},
			{[][]string{{"p1"}, {"tred"}}, "ab"},
			{[][]string{{"p1", "p2"}, {"s1"}}, "ac"},
			{[][]string{{"p1"}, {"s2"}, {"tblue"}}, "b"},
			{[][]string{{"p2"}, {"tred"}}, ""},
			{[][]string{{"p"}}, ""},
			{nil, "abcd"},
		} {
			got := ""
			for _, key := range f.found([]string{"word"}, c.within...) {
				got += key
			}
			if got != c.want {
				f.Errorf("within %v: %q, want %q", c.within, got, c.want)
			}
		}
		equal(f, "groups without terms", f.found(nil, []string{"p1"}, []string{"s1"}), []string{"a", "e"})
	})

	s.test("only current versions are found, as they are now", func(f *fixture) {
		n := fact("p", "s", "a")
		f.remembered(n, body("old common"), filter("p1"))
		two := f.remembered(n, body("new common"), filter("p1"))
		equal(f, "the old word", f.found([]string{"old"}), nil)
		equal(f, "the common word", f.found([]string{"common"}, []string{"p1"}), []string{"a"})
		f.write(func(tx testigo.Tx) error {
			return tx.SetOpinion(f.ctx, two.Seq, 0.25, testigo.OutcomeCounts{Failure: 1})
		})
		c := f.search(testigo.SearchQuery{Terms: []string{"new"}, Limit: 10})
		two.Confidence, two.Counts = 0.25, testigo.OutcomeCounts{Failure: 1}
		equal(f, "the candidate", c.List, []testigo.Candidate{{Version: two, Text: testigo.IndexText{Body: "new common", Filter: "p1"}}})
	})

	s.test("without terms they come newest first and page by number", func(f *fixture) {
		for _, key := range []string{"a", "b", "c", "d", "e"} {
			f.remembered(fact("p", "s", key), filter("p1"))
		}
		f.remembered(fact("q", "s", "foreign"), filter("p2"))
		f.remembered(fact("p", "s", "b"), filter("p1"))
		q := testigo.SearchQuery{Within: [][]string{{"p1"}}, Limit: 2}
		var got []string
		for range 4 {
			c := f.search(q)
			if c.Total != 5 || c.More {
				f.Errorf("total %d (more: %v) before %d, want 5 of the whole search", c.Total, c.More, q.Before)
			}
			if len(c.List) == 0 {
				break
			}
			got = append(got, keys(c)...)
			q.Before = c.List[len(c.List)-1].Version.Seq
		}
		equal(f, "all pages", got, []string{"b", "e", "d", "c", "a"})
		equal(f, "without groups", keys(f.search(testigo.SearchQuery{Limit: 2})), []string{"b", "foreign"})
	})

	s.test("newest goes by number when the clock stepped backwards", func(f *fixture) {
		f.remembered(fact("p", "s", "first"))
		f.clock.Advance(-5e9)
		f.remembered(fact("p", "s", "second"))
		equal(f, "newest first", keys(f.search(testigo.SearchQuery{Limit: 5})), []string{"second", "first"})
	})

	s.test("with terms Before is ignored", func(f *fixture) {
		v := f.remembered(fact("p", "s", "a"), body("word"))
		c := f.search(testigo.SearchQuery{Terms: []string{"word"}, Before: v.Seq, Limit: 5})
		equal(f, "found", keys(c), []string{"a"})
	})

	s.test("confidence is kept at or above the least", func(f *fixture) {
		f.remembered(fact("p", "s", "low"), body("word"), confidence(0.4))
		f.remembered(fact("p", "s", "even"), body("word"), confidence(0.7))
		f.remembered(fact("p", "s", "high"), body("word"), confidence(0.9))
		for _, terms := range [][]string{{"word"}, nil} {
			c := f.search(testigo.SearchQuery{Terms: terms, MinConfidence: 0.7, Limit: 10})
			got := keys(c)
			slices.Sort(got)
			equal(f, "at least 0.7", got, []string{"even", "high"})
			if c.Total != 2 {
				f.Errorf("total %d, want 2", c.Total)
			}
		}
	})

	s.test("a new index text replaces the old one, of current versions only", func(f *fixture) {
		n := fact("p", "s", "a")
		one := f.remembered(n, body("old"), around("near"), filter("p1"))
		text := testigo.IndexText{Filter: "p2", Body: "fresh", Context: "around"}
		f.write(func(tx testigo.Tx) error { return tx.PutIndexText(f.ctx, one.Seq, text) })
		kept := read(f, func(r testigo.Reader) (testigo.IndexText, error) { return r.IndexTextOf(f.ctx, one.Seq) })
		equal(f, "the kept text", kept, text)
		equal(f, "old words", f.found([]string{"old", "near"}), nil)
		equal(f, "new words", f.found([]string{"around"}, []string{"p2"}), []string{"a"})

		f.remembered(n, body("newest"))
		f.refused(testigo.CodeNotFound, func(r testigo.Reader) error { _, err := r.IndexTextOf(f.ctx, one.Seq); return err })
		f.want(testigo.CodeNotFound, f.store.Write(f.ctx, func(tx testigo.Tx) error {
			return tx.PutIndexText(f.ctx, one.Seq, text)
		}))
		equal(f, "words of a superseded version", f.found([]string{"fresh"}), nil)
	})
}
