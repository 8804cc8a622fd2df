package storetest

import (
	"time"

	"github.com/testigo/testigo"
)

func touched(s suite) {
	s.test("a session's touches come newest first, one per fact", func(f *fixture) {
		put := func(agent, session string, pins ...testigo.Pin) {
			f.write(func(tx testigo.Tx) error {
				var list []testigo.Touch
				for _, p := range pins {
					list = append(list, testigo.Touch{Pin: p, At: tx.Now()})
				}
				return tx.PutTouched(f.ctx, agent, session, list)
			})
			f.clock.Advance(-time.Second) // the order is that of the calls, whatever the clock says
		}
		list := func(agent, session string, limit int) (refs []string) {
			touches := read(f, func(r testigo.Reader) ([]testigo.Touch, error) { return r.Touched(f.ctx, agent, session, limit) })
			for _, t := range touches {
				refs = append(refs, t.Pin.Name.Project+":"+t.Pin.String())
			}
			return refs
		}
		pin := func(project, key string, version int) testigo.Pin {
			return testigo.Pin{Name: fact(project, "s", key), Version: version}
		}
		put("scout", "morning", pin("p", "a", 1), pin("p", "b", 1))
		put("scout", "morning", pin("p", "c", 1))
		put("scout", "noon", pin("p", "z", 1))
		put("executor", "morning", pin("p", "y", 1))
		put("scout", "morning", pin("p", "a", 2), pin("q", "a", 7))
		equal(f, "touched", list("scout", "morning", 10), []string{"q:s/a@7", "p:s/a@2", "p:s/c@1", "p:s/b@1"})
		equal(f, "the newest two", list("scout", "morning", 2), []string{"q:s/a@7", "p:s/a@2"})
		equal(f, "another session", list("scout", "noon", 10), []string{"p:s/z@1"})
		equal(f, "another agent", list("executor", "morning", 10), []string{"p:s/y@1"})
		equal(f, "nobody", list("executor", "noon", 10), nil)

		// The version is the one last seen, even when that is an older one.
		put("scout", "morning", pin("p", "a", 1))
		equal(f, "the newest", list("scout", "morning", 1), []string{"p:s/a@1"})
	})

	s.test("the time of a touch is kept", func(f *fixture) {
		want := []testigo.Touch{{Pin: testigo.Pin{Name: fact("p", "s", "a"), Version: 3}, At: f.clock.Now().Add(-time.Hour)}}
		f.write(func(tx testigo.Tx) error { return tx.PutTouched(f.ctx, "scout", "morning", want) })
		got := read(f, func(r testigo.Reader) ([]testigo.Touch, error) { return r.Touched(f.ctx, "scout", "morning", 10) })
		equal(f, "touched", got, want)
	})
}
