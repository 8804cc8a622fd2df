package storetest

import (
	"time"

	"github.com/testigo/testigo"
)

func history(s suite) {
	s.test("versions are listed oldest first, page by page", func(f *fixture) {
		n := fact("p", "a", "b")
		for range 5 {
			f.remembered(n)
			f.remembered(fact("p", "a", "other"))
		}
		equal(f, "all", numbers(f.versions(n, 0, 10)), []int{1, 2, 3, 4, 5})
		equal(f, "first page", numbers(f.versions(n, 0, 2)), []int{1, 2})
		equal(f, "second page", numbers(f.versions(n, 2, 2)), []int{3, 4})
		equal(f, "last page", numbers(f.versions(n, 4, 2)), []int{5})
		equal(f, "beyond", numbers(f.versions(n, 5, 2)), nil)
	})

	s.test("as of a time is the last version not created later", func(f *fixture) {
		n := fact("p", "a", "b")
		start := f.clock.Now()
		for range 3 {
			f.remembered(n)
			f.clock.Advance(time.Minute)
		}
		for _, c := range []struct {
			at   time.Duration
			want int
		}{{0, 1}, {time.Nanosecond, 1}, {time.Minute - time.Millisecond, 1}, {time.Minute, 2}, {119 * time.Second, 2}, {time.Hour, 3}} {
			f.asOf(n, start.Add(c.at), c.want)
		}
		f.asOf(n, start.Add(time.Minute).In(time.FixedZone("far", 9*3600)), 2)
		f.asOf(n, start.Add(-time.Millisecond), 0)
		f.asOf(fact("q", "a", "b"), start, 0)
	})

	// E08: the clock says when, the commit order says what came last.
	s.test("as of a time goes by commit order when the clock stepped backwards", func(f *fixture) {
		n := fact("p", "a", "b")
		start := f.clock.Now()
		f.clock.Set(start.Add(10 * time.Second))
		f.remembered(n)
		f.clock.Set(start.Add(5 * time.Second))
		f.remembered(n)
		f.clock.Set(start.Add(8 * time.Second))
		f.remembered(n)
		f.asOf(n, start.Add(4*time.Second), 0)
		f.asOf(n, start.Add(7*time.Second), 2)
		f.asOf(n, start.Add(8*time.Second), 3)
		f.asOf(n, start.Add(time.Minute), 3)
		equal(f, "numbers", numbers(f.versions(n, 0, 10)), []int{1, 2, 3})
		if v := f.version(n, 1); !v.SupersededAt.Equal(start.Add(5 * time.Second)) {
			f.Errorf("superseded at %v, want the successor's time", v.SupersededAt)
		}
	})
}

// asOf checks which version answers; 0 means none.
func (f *fixture) asOf(n testigo.Name, at time.Time, want int) {
	f.Helper()
	var got testigo.Version
	err := f.store.Read(f.ctx, func(r testigo.Reader) (err error) {
		got, err = r.VersionAsOf(f.ctx, n, at)
		return err
	})
	if want == 0 {
		f.want(testigo.CodeNotFound, err)
		return
	}
	f.must(err)
	if got.Number != want {
		f.Errorf("as of %v: version %d, want %d", at, got.Number, want)
	}
}
