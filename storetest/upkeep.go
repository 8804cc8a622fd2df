package storetest

import "github.com/testigo/testigo"

func upkeep(s suite) {
	s.test("the index matches the rows after every kind of change", func(f *fixture) {
		f.checkIndex()
		w := f.furnish()
		f.checkIndex()
		f.write(func(tx testigo.Tx) error { return w.change(f.ctx, tx) })
		f.checkIndex()
	})

	s.test("building the index anew changes no answer", func(f *fixture) {
		w := f.furnish()
		f.write(func(tx testigo.Tx) error { return w.change(f.ctx, tx) })
		before := f.observe(w)
		f.must(f.store.Reindex(f.ctx))
		equal(f, "the store", f.observe(w), before)
		f.checkIndex()
		f.remembered(w.names[0], body("afterwards"))
		equal(f, "a later word", f.found([]string{"afterwards"}), []string{w.names[0].Key})
	})

	s.test("upkeep of an empty store finds nothing to do", func(f *fixture) {
		f.must(f.store.Reindex(f.ctx))
		f.checkIndex()
		report, err := f.store.Scrub(f.ctx, []string{"word"})
		f.must(err)
		if !report.Clean || len(report.Found) > 0 {
			f.Errorf("%+v", report)
		}
	})
}

func (f *fixture) checkIndex() {
	f.Helper()
	findings, err := f.store.CheckIndex(f.ctx)
	f.must(err)
	if len(findings) > 0 {
		f.Errorf("the index differs: %+v", findings)
	}
}
