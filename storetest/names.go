package storetest

import (
	"slices"

	"github.com/testigo/testigo"
)

func names(s suite) {
	s.test("names that look alike are different facts", func(f *fixture) {
		alike := []testigo.Name{
			fact("", "a/b", "c"), fact("p", "a/b", "c"), fact("P", "a/b", "c"), fact("p", "a", "c"),
			fact("p", "a/B", "c"), fact("p", "a_b", "c"), fact("p", "a%", "c"), fact("p", "a/b", "C"),
			fact("p", "a/b", "release-1"), fact("p", "a/b", "release-10"), fact("q", "a/b", "release-1"),
			fact("p", "café", "c"), fact("p", "cafe", "c"), fact("p", "it's", `"x"`),
		}
		for i, n := range alike {
			f.remembered(n, confidence(float64(i)/100))
		}
		for i, n := range alike {
			if v := f.current(n); v.Number != 1 || v.Name != n || v.Confidence != float64(i)/100 {
				f.Errorf("%+v is %+v", n, v)
			}
		}
	})

	s.test("projects with facts are listed by name", func(f *fixture) {
		list := func() []string {
			return read(f, func(r testigo.Reader) ([]string, error) { return r.Projects(f.ctx) })
		}
		equal(f, "projects of an empty store", list(), nil)
		for _, p := range []string{"zoo", "/home/ana", "", "zoo", "Z"} {
			f.remembered(fact(p, "a", "b"))
		}
		equal(f, "projects", list(), []string{testigo.NoProject, "/home/ana", "Z", "zoo"})
	})

	s.test("facts of other projects are noticed", func(f *fixture) {
		others := func(projects ...string) bool {
			return read(f, func(r testigo.Reader) (bool, error) { return r.HasOtherProjects(f.ctx, projects) })
		}
		if others() {
			f.Error("an empty store has other projects")
		}
		f.remembered(fact("p", "a", "b"))
		f.remembered(fact("", "a", "b"))
		for _, c := range []struct {
			projects []string
			want     bool
		}{{nil, true}, {[]string{"p"}, true}, {[]string{""}, true}, {[]string{"p", ""}, false}, {[]string{"", "p", "q"}, false}} {
			if got := others(c.projects...); got != c.want {
				f.Errorf("outside %q: %v", c.projects, got)
			}
		}
	})

	s.test("near names share scope or key and stay inside the projects", func(f *fixture) {
		inside := []testigo.Name{
			fact("p", "listing/482", "assessment"), fact("p", "listing/553", "assessment"),
			fact("", "listing/482", "price"), fact("p", "listing/482", "assesment"),
		}
		for _, n := range inside {
			f.remembered(n)
			f.remembered(n)
		}
		f.remembered(fact("q", "listing/482", "assessment"))
		near := func(limit int) []testigo.Name {
			return read(f, func(r testigo.Reader) ([]testigo.Name, error) {
				return r.NamesNear(f.ctx, []string{"p", ""}, "listing/482", "assessment", limit)
			})
		}
		got := near(50)
		for _, n := range inside {
			if !slices.Contains(got, n) {
				f.Errorf("%+v is missing in %+v", n, got)
			}
		}
		if len(got) != len(inside) {
			f.Errorf("foreign or repeated names: %+v", got)
		}
		if got := near(2); len(got) != 2 {
			f.Errorf("limit 2 gave %d names", len(got))
		}
	})

	s.test("heads remember every fact's newest version, page by page", func(f *fixture) {
		want := map[testigo.Name]testigo.Head{}
		for _, n := range []testigo.Name{fact("p", "b", "k"), fact("", "b", "k"), fact("p", "a", "z"), fact("p", "a/b", "a"), fact("p", "a-b", "a")} {
			f.remembered(n)
			v := f.remembered(n)
			want[n] = testigo.Head{Name: n, Number: 2, Hash: v.Hash}
		}
		got := map[testigo.Name]testigo.Head{}
		var after testigo.Name
		for range len(want) + 1 {
			page := read(f, func(r testigo.Reader) ([]testigo.Head, error) { return r.Heads(f.ctx, after, 2) })
			if len(page) == 0 {
				break
			}
			if len(page) > 2 {
				f.Fatalf("a page of %d heads, want at most 2", len(page))
			}
			for _, h := range page {
				if _, again := got[h.Name]; again {
					f.Fatalf("%+v came twice", h.Name)
				}
				got[h.Name], after = h, h.Name
			}
		}
		equal(f, "heads", got, want)
	})
}
