package storetest

import (
	"fmt"
	"math"

	"github.com/testigo/testigo"
)

func counts(s suite) {
	s.test("a limit cuts the list and not the total", func(f *fixture) {
		for i := range 7 {
			f.remembered(fact("p", "s", fmt.Sprint("k", i)), body("word"))
		}
		for _, terms := range [][]string{{"word"}, nil} {
			c := f.search(testigo.SearchQuery{Terms: terms, Limit: 3})
			if len(c.List) != 3 || c.Total != 7 || c.More {
				f.Errorf("terms %v: %d of %d, more: %v; want 3 of 7", terms, len(c.List), c.Total, c.More)
			}
		}
	})

	s.test("an empty store has nothing to find", func(f *fixture) {
		for _, terms := range [][]string{{"word"}, nil} {
			c := f.search(testigo.SearchQuery{Terms: terms, Limit: 3})
			if len(c.List) != 0 || c.Total != 0 || c.More || c.Docs != 0 || c.AvgBody != 0 || c.AvgContext != 0 {
				f.Errorf("terms %v: %+v", terms, c)
			}
		}
	})

	s.test("frequencies and lengths are those of all indexed versions", func(f *fixture) {
		f.remembered(fact("p", "s", "a"), body("one two three"), around("two"), filter("p1"))
		f.remembered(fact("p", "s", "b"), body("two two"), filter("p1"))
		f.remembered(fact("q", "s", "c"), body("four"), around("one six seven"), filter("p2 one"))
		f.remembered(fact("q", "s", "d"), body("gone"))
		f.remembered(fact("q", "s", "d"), body("five six"))
		c := f.search(testigo.SearchQuery{Terms: []string{"one", "two", "gone", "absent"}, Within: [][]string{{"p1"}}, Limit: 10})
		if c.Docs != 4 || c.Total != 2 {
			f.Errorf("%d documents, %d matches; want 4 and 2", c.Docs, c.Total)
		}
		for term, want := range map[string]int{"one": 2, "two": 2, "gone": 0, "absent": 0} {
			if c.DocFreq[term] != want {
				f.Errorf("%q is in %d documents, want %d", term, c.DocFreq[term], want)
			}
		}
		if math.Abs(c.AvgBody-2) > 0.02 || math.Abs(c.AvgContext-1) > 0.02 {
			f.Errorf("average lengths %v and %v, want 2 and 1", c.AvgBody, c.AvgContext)
		}
	})

	s.test("matches are counted exactly up to the limit of counting", func(f *fixture) {
		add := func(from, to int) {
			f.write(func(tx testigo.Tx) error {
				for i := from; i < to; i++ {
					if _, err := remember(f.ctx, tx, fact("p", "s", fmt.Sprint("k", i)), body("word"), filter("p1")); err != nil {
						return err
					}
				}
				return nil
			})
		}
		check := func(more bool) {
			f.Helper()
			for _, terms := range [][]string{{"word"}, nil} {
				c := f.search(testigo.SearchQuery{Terms: terms, Within: [][]string{{"p1"}}, Limit: 5})
				if c.Total != testigo.CountLimit || c.More != more || len(c.List) != 5 {
					f.Errorf("terms %v: %d of %d, more: %v; want 5 of %d, more: %v", terms, len(c.List), c.Total, c.More, testigo.CountLimit, more)
				}
			}
		}
		add(0, testigo.CountLimit)
		check(false)
		add(testigo.CountLimit, testigo.CountLimit+1)
		check(true)
	})
}
