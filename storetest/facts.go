package storetest

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/testigo/testigo"
)

func facts(s suite) {
	s.test("a version comes back as it was given", func(f *fixture) {
		n := fact("/home/ana/shop", "source/boards-example", "rate-limit")
		v := f.remembered(n, func(d *draft) {
			d.Value = json.RawMessage(`{"limit":38.10,"big":123456789012345678901234567890,"text":"日本 🙂 \u0000 \"quoted\" it's"}`)
			d.Tags = []string{"zeta", "alpha", "ünï"}
			d.Sources = []testigo.Source{
				{Path: "cmd/main.go", SHA256: strings.Repeat("ab", 32), Size: 1 << 40, ModTime: f.clock.Now().Add(-time.Hour)},
				{Commit: "4f2a9c1"},
			}
			d.Confidence = 0.815
			d.Counts = testigo.OutcomeCounts{Success: 1, MinorFailure: 2, Failure: 3, CriticalFailure: 4, Unknown: 5}
			d.Salt = []byte{0, 1, 2, 0xff, 0, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
		})
		equal(f, "the current version", f.current(n), v)
		equal(f, "version 1", f.version(n, 1), v)
		if got := f.current(n); !got.Current() || got.Erased() || got.CreatedAt.Location() != time.UTC {
			f.Fatalf("not current, erased, or not in UTC: %+v", got)
		}
	})

	s.test("values of the largest size keep every byte", func(f *fixture) {
		n := fact("", "big", "value")
		long := `"` + strings.Repeat("x", testigo.MaxValueBytes-2) + `"`
		f.remembered(n, value(long))
		if got := string(f.current(n).Value); got != long {
			f.Fatalf("%d bytes came back, want %d", len(got), len(long))
		}
	})

	s.test("a new version supersedes the one before and changes nothing else of it", func(f *fixture) {
		n := fact("p", "a", "b")
		one := f.remembered(n, value(`1`), by("scout", "morning"))
		f.clock.Advance(time.Minute)
		two := f.remembered(n, value(`2`), by("executor", "noon"))
		equal(f, "the current version", f.current(n), two)
		one.SupersededAt = two.CreatedAt
		equal(f, "the old version", f.version(n, 1), one)
	})

	s.test("a version that is not the next is a conflict and leaves nothing", func(f *fixture) {
		n := fact("p", "a", "b")
		put := func(number int) error {
			return f.store.Write(f.ctx, func(tx testigo.Tx) error {
				_, err := remember(f.ctx, tx, n, func(d *draft) { d.Number = number })
				return err
			})
		}
		f.want(testigo.CodeConflict, put(0))
		f.want(testigo.CodeConflict, put(2))
		f.must(put(1))
		f.want(testigo.CodeConflict, put(1))
		f.want(testigo.CodeConflict, put(3))
		equal(f, "numbers", numbers(f.versions(n, 0, 10)), []int{1})
	})

	s.test("what is not there is not found", func(f *fixture) {
		n := fact("p", "a", "b")
		f.remembered(n)
		ask := func(ask func(r testigo.Reader) error) { f.Helper(); f.refused(testigo.CodeNotFound, ask) }
		ask(func(r testigo.Reader) error { _, err := r.Current(f.ctx, fact("p", "a", "c")); return err })
		ask(func(r testigo.Reader) error { _, err := r.VersionOf(f.ctx, n, 2); return err })
		ask(func(r testigo.Reader) error { _, err := r.VersionOf(f.ctx, n, 0); return err })
		ask(func(r testigo.Reader) error { _, err := r.OutcomeBy(f.ctx, 1, "scout", "run"); return err })
		ask(func(r testigo.Reader) error { _, err := r.ErasureOf(f.ctx, 1); return err })
		ask(func(r testigo.Reader) error { _, err := r.IndexTextOf(f.ctx, 999); return err })
		equal(f, "versions of nothing", f.versions(fact("", "x", "y"), 0, 10), nil)
	})

	s.test("what a caller does to its copies does not reach the store", func(f *fixture) {
		n := fact("p", "a", "b")
		given := f.remembered(n, func(d *draft) {
			d.Value, d.Tags = json.RawMessage(`"kept"`), []string{"kept"}
		})
		copy(given.Value, `"lost"`)
		given.Tags[0], given.Salt[0] = "lost", 'X'
		got := f.current(n)
		copy(got.Value, `"lost"`)
		got.Tags[0] = "lost"
		if again := f.current(n); string(again.Value) != `"kept"` || again.Tags[0] != "kept" || again.Salt[0] != '0' {
			f.Fatalf("the store changed: %s %v %q", again.Value, again.Tags, again.Salt)
		}
	})

	s.test("neighbours are of one author, session and project, around a number", func(f *fixture) {
		var said []testigo.Version
		for _, key := range []string{"a", "b", "c", "d", "e"} {
			said = append(said, f.remembered(fact("p", "talk", key)))
			f.remembered(fact("p", "talk", key+"-other"), by("scout", "evening"))
			f.remembered(fact("p", "talk", key+"-somebody"), by("executor", "morning"))
			f.remembered(fact("q", "talk", key))
		}
		ask := func(after bool, limit int) (keys string) {
			list := read(f, func(r testigo.Reader) ([]testigo.Version, error) {
				return r.Neighbours(f.ctx, "scout", "morning", "p", said[2].Seq, after, limit)
			})
			for _, v := range list {
				keys += v.Name.Key
			}
			return keys
		}
		equal(f, "before", ask(false, 10), "ba")
		equal(f, "just before", ask(false, 1), "b")
		equal(f, "after", ask(true, 10), "de")
		equal(f, "just after", ask(true, 1), "d")

		// A superseded version was still said there.
		f.remembered(fact("p", "talk", "b"), by("executor", "noon"))
		equal(f, "before, with one superseded", ask(false, 10), "ba")
	})
}
