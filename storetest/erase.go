package storetest

import (
	"encoding/json"

	"github.com/testigo/testigo"
)

func erase(s suite) {
	s.test("content goes and everything else stays", func(f *fixture) {
		n := fact("p", "a", "b")
		v := f.remembered(n, func(d *draft) {
			d.Tags, d.Sources = []string{"xylophone"}, []testigo.Source{{Path: "xylophone.go", SHA256: "ab"}}
		}, body("xylophone"), around("zither"), filter("p1"))
		e := f.forgotten(v)

		v.Value, v.Tags, v.Sources, v.Salt, v.ErasedAt = nil, nil, nil, nil, e.At
		equal(f, "the current version", f.current(n), v)
		equal(f, "version 1", f.version(n, 1), v)
		if got := f.current(n); !got.Erased() || !got.Current() || got.Hash != v.Hash {
			f.Errorf("not erased, not current or another hash: %+v", got)
		}
		equal(f, "the record", read(f, func(r testigo.Reader) (testigo.Erasure, error) { return r.ErasureOf(f.ctx, v.Seq) }), e)
		f.refused(testigo.CodeNotFound, func(r testigo.Reader) error { _, err := r.IndexTextOf(f.ctx, v.Seq); return err })
		equal(f, "found by its words", f.found([]string{"xylophone", "zither"}), nil)
		equal(f, "found by its filter", f.found(nil, []string{"p1"}), nil)
		equal(f, "found as newest", f.found(nil), nil)
	})

	s.test("a version can be erased after it was superseded", func(f *fixture) {
		n := fact("p", "a", "b")
		one := f.remembered(n, body("xylophone"))
		two := f.remembered(n, body("zither"))
		f.forgotten(one)
		if got := f.version(n, 1); !got.Erased() || len(got.Value) > 0 {
			f.Errorf("version 1 still has %s", got.Value)
		}
		equal(f, "the current version", f.current(n), two)
		equal(f, "its words", f.found([]string{"zither"}), []string{"b"})
	})

	s.test("an erased fact can be written again", func(f *fixture) {
		n := fact("p", "a", "b")
		f.forgotten(f.remembered(n, body("xylophone")))
		f.remembered(n, body("zither"))
		equal(f, "numbers", numbers(f.versions(n, 0, 10)), []int{1, 2})
		equal(f, "words", f.found([]string{"xylophone", "zither"}), []string{"b"})
	})

	s.test("copies in request results and outcome notes go, others stay", func(f *fixture) {
		v := f.remembered(fact("p", "a", "b"))
		w := f.remembered(fact("p", "a", "c"))
		f.write(func(tx testigo.Tx) error {
			for _, about := range []testigo.Version{v, w} {
				request := testigo.Request{Agent: "scout", Key: about.Name.Key, Tool: "remember", Result: json.RawMessage(`{"value":"copy"}`),
					Content: testigo.Hash{7}, VersionSeq: about.Seq, At: tx.Now()}
				if err := tx.PutRequest(f.ctx, request); err != nil {
					return err
				}
				if err := tx.PutOutcome(f.ctx, outcome(tx, about, testigo.Success, "executor", "run 7")); err != nil {
					return err
				}
			}
			return nil
		})
		f.forgotten(v)
		f.must(f.store.Read(f.ctx, func(r testigo.Reader) error {
			request, err := r.Request(f.ctx, "scout", "b")
			if err != nil { // the row stays, so that a retry does not write the value again
				return err
			}
			if len(request.Result) > 0 || !request.Content.IsZero() {
				f.Errorf("the answer is still there: %s, %s", request.Result, request.Content)
			}
			if request, err = r.Request(f.ctx, "scout", "c"); err != nil || len(request.Result) == 0 {
				f.Errorf("another fact's answer: %s, %v", request.Result, err)
			}
			for about, note := range map[int64]string{v.Seq: "", w.Seq: "as it went"} {
				o, err := r.OutcomeBy(f.ctx, about, "executor", "run 7")
				if err != nil || o.Note != note {
					f.Errorf("the outcome of %d has note %q (%v), want %q", about, o.Note, err, note)
				}
			}
			return nil
		}))
	})

	s.test("an erasure of nothing is not found", func(f *fixture) {
		f.want(testigo.CodeNotFound, f.store.Write(f.ctx, func(tx testigo.Tx) error {
			_, err := forget(f.ctx, tx, testigo.Version{Seq: 99, Name: fact("p", "a", "b"), Number: 1})
			return err
		}))
	})

	s.test("after a scrub the erased words are nowhere", func(f *fixture) {
		v := f.remembered(fact("p", "a", "b"), value(`"the quizzaciously kept word"`), body("quizzaciously"))
		f.remembered(fact("p", "a", "c"), value(`"a flibbertigibbet stays"`), body("flibbertigibbet"))
		f.forgotten(v)
		report, err := f.store.Scrub(f.ctx, []string{"quizzaciously"})
		f.must(err)
		if !report.Clean || len(report.Found) > 0 || report.Blocked != "" {
			f.Errorf("erased: %+v", report)
		}
		report, err = f.store.Scrub(f.ctx, []string{"quizzaciously", "flibbertigibbet"})
		f.must(err)
		if report.Clean || len(report.Found) == 0 {
			f.Errorf("with a word that is still there: %+v", report)
		}
		equal(f, "what stays", f.found([]string{"flibbertigibbet"}), []string{"c"})
	})
}

// forgotten is forget in a transaction of its own.
func (f *fixture) forgotten(v testigo.Version) testigo.Erasure {
	f.Helper()
	var e testigo.Erasure
	f.write(func(tx testigo.Tx) (err error) {
		e, err = forget(f.ctx, tx, v)
		return err
	})
	return e
}
