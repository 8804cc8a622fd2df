package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/testigo/testigo"
)

// CheckIndex names what Reindex then repairs.
func TestCheckIndexAndReindex(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]string{
		"row without entry": "INSERT INTO fact_fts (fact_fts, rowid, filter, body, context) SELECT 'delete', seq, filter, body, context FROM fact_text WHERE seq = 2",
		"entry without row": "DELETE FROM fact_text WHERE seq = 2",
		"other words":       "UPDATE fact_text SET body = 'quite other words' WHERE seq = 2",
		"counters":          "UPDATE log SET docs = 7",
		"not current":       "UPDATE versions SET superseded_at = 1 WHERE seq = 2",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t, Options{})
			for i := range 3 {
				if err := put(s, "a", fmt.Sprintf("k%d", i)); err != nil {
					t.Fatal(err)
				}
			}
			if damage, err := s.CheckIndex(t.Context()); err != nil || len(damage) > 0 {
				t.Fatalf("before: %v %v", damage, err)
			}
			if _, err := s.db.Exec(harm); err != nil {
				t.Fatal(err)
			}
			damage, err := s.CheckIndex(t.Context())
			if err != nil || len(damage) == 0 || damage[0].Kind != testigo.IndexDiffers {
				t.Fatalf("found: %v %v", damage, err)
			}
			if err := s.Reindex(t.Context()); err != nil {
				t.Fatal(err)
			}
			damage, err = s.CheckIndex(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if name == "entry without row" || name == "not current" { // its text is gone; only package search can make it anew
				damage = slices.DeleteFunc(damage, func(d testigo.Damage) bool { return d.Detail == "a current version is not in the index" })
			}
			if len(damage) > 0 {
				t.Errorf("after: %v", damage)
			}
		})
	}
}

// X10: a fact remembers its newest version apart from the versions, and the log its size.
func TestX10TailIsRemembered(t *testing.T) {
	t.Parallel()
	s := newStore(t, Options{})
	for range 3 {
		if err := put(s, "a", "b"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.db.Exec("DELETE FROM versions WHERE number = 3"); err != nil {
		t.Fatal(err)
	}
	err := s.Read(t.Context(), func(r testigo.Reader) error {
		heads, err := r.Heads(t.Context(), testigo.Name{}, 10)
		if err != nil || len(heads) != 1 || heads[0].Number != 3 {
			t.Errorf("heads %v %v", heads, err)
		}
		log, err := r.Log(t.Context())
		if log.Size != 3 {
			t.Errorf("log %v", log)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Z09: after erasing and scrubbing, no word is in the raw files; before, it is.
func TestZ09ScrubLeavesNothing(t *testing.T) {
	t.Parallel()
	s := newStore(t, Options{})
	const secret = "quizzaciously"
	for i := range 200 {
		text := testigo.IndexText{Filter: "f", Body: fmt.Sprintf("%s%d some words", secret, i), Context: secret}
		if err := putText(s, "a", fmt.Sprintf("k%d", i), `"`+secret+`"`, text); err != nil {
			t.Fatal(err)
		}
	}
	report, err := s.Scrub(t.Context(), []string{secret, "never-there"})
	if err != nil || report.Clean || len(report.Found) == 0 || strings.Contains(fmt.Sprint(report), secret) {
		t.Errorf("while it is stored: %+v %v", report, err)
	}
	err = s.Write(t.Context(), func(tx testigo.Tx) error {
		leaves, err := tx.Leaves(t.Context(), 0, 1000)
		if err != nil {
			return err
		}
		for i, l := range leaves {
			e := testigo.Erasure{Leaf: int64(len(leaves) + i), VersionSeq: l.Version.Seq, Name: l.Version.Name, Number: 1, By: "person:x", At: tx.Now()}
			if err := tx.Erase(t.Context(), e); err != nil {
				return err
			}
		}
		return tx.SetLog(t.Context(), testigo.LogState{Size: int64(2 * len(leaves))})
	})
	if err != nil {
		t.Fatal(err)
	}
	report, err = s.Scrub(t.Context(), []string{strings.ToUpper(secret), secret})
	if err != nil || !report.Clean || report.Blocked != "" {
		t.Errorf("after erasing: %+v %v", report, err)
	}
	if damage, err := s.CheckIndex(t.Context()); err != nil || len(damage) > 0 {
		t.Errorf("index: %v %v", damage, err)
	}
}

// A reader in the way is told, and so is a search of the raw files that could not be made.
func TestScrubIsBlocked(t *testing.T) {
	t.Parallel()
	s := newStore(t, Options{})
	if err := put(s, "a", "b"); err != nil {
		t.Fatal(err)
	}
	other := reopen(t, s.path, Options{})
	err := other.Read(t.Context(), func(r testigo.Reader) error {
		if _, err := r.Log(t.Context()); err != nil {
			return err
		}
		if err := put(s, "a", "c"); err != nil {
			return err
		}
		report, err := s.Scrub(t.Context(), []string{"nothing"})
		if err != nil || report.Clean || !strings.Contains(report.Blocked, "reading") {
			t.Errorf("%+v %v", report, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"/nonexistent/program"}, {os.Args[0], "-test.run=^$"}} {
		s.o.ScanCommand = command
		report, err := s.Scrub(t.Context(), []string{"nothing"})
		if err != nil || report.Clean || report.Blocked == "" {
			t.Errorf("%v: %+v %v", command, report, err)
		}
	}
}

// Words are found across the borders of the pieces in which a file is read.
func TestScanFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	for _, at := range []int{0, 1, scanChunk - 3, scanChunk, scanChunk + 5, 3*scanChunk - 1} {
		content := append(bytes.Repeat([]byte{'.'}, at), "needle"...)
		if err := os.WriteFile(path, append(content, '.'), 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := scanFile(path, []string{"needle", "haystack"})
		if err != nil || a.Found != 1 || a.First != int64(at) {
			t.Errorf("at %d: %+v %v", at, a, err)
		}
	}
	var out bytes.Buffer
	if err := scanFiles([]string{path + "-not-there"}, strings.NewReader(`{"words":["x"]}`), &out); err != nil {
		t.Fatal(err)
	}
	if found, err := readAnswers(out.Bytes()); err != nil || len(found) > 0 {
		t.Errorf("%v %v", found, err)
	}
	if _, err := readAnswers(nil); err == nil {
		t.Error("an answer that was cut off passed")
	}
	if err := scanFiles(nil, strings.NewReader("no order"), io.Discard); err == nil {
		t.Error("no order, no error")
	}
}

// In a larger store a filter that most rows pass is checked on the rows found: the answer is the same.
func TestDenseFilters(t *testing.T) {
	t.Parallel()
	s := newStore(t, Options{})
	ctx := context.Background()
	const rows = filteringPays + 500
	w := newWords(5)
	err := s.Write(ctx, func(tx testigo.Tx) error {
		for i := range rows {
			v, text := sampleVersion(w, tx, int64(i))
			text.Filter = fmt.Sprintf("sall half%d ten%d", i%2, i%10)
			if err := tx.PutVersion(ctx, v, text); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, within := range [][][]string{{{"sall"}}, {{"half1"}}, {{"half0", "ten1"}, {"sall"}}, {{"ten1", "ten3"}}, {{"half1"}, {"ten2"}}} {
		err := s.Read(ctx, func(r testigo.Reader) error {
			v := r.(*view)
			q := testigo.SearchQuery{Terms: []string{"w20", "w55", "w300"}, Within: within, Limit: 50}
			got, err := v.Candidates(ctx, q)
			if err != nil {
				return err
			}
			plain, err := (&search{view: v, ctx: ctx, q: q, terms: q.Terms}).best(q.Terms, within, 50)
			if err != nil {
				return err
			}
			if !slices.Equal(seqs(got.List), seqs(plain)) {
				t.Errorf("%v: %d rows %v, want %d %v", within, len(got.List), seqs(got.List), len(plain), seqs(plain))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func seqs(list []testigo.Candidate) []int64 {
	var out []int64
	for _, c := range list {
		out = append(out, c.Version.Seq)
	}
	slices.Sort(out)
	return out
}

// In a very large store the most frequent words are left out when rarer ones give enough rows.
func TestRarestTerms(t *testing.T) {
	t.Parallel()
	v := &view{log: logRow{docs: 1_000_000}}
	s := &search{view: v, terms: []string{"often", "rare", "some", "most"}, freq: map[string]int{"often": 200_000, "rare": 5, "some": 30_000, "most": 700_000}}
	if got := s.rarest(50); !slices.Equal(got, []string{"rare", "some"}) {
		t.Errorf("got %v", got)
	}
	s.freq["some"] = 500 // too little for 50 candidates
	if got := s.rarest(50); !slices.Equal(got, []string{"rare", "some", "often"}) {
		t.Errorf("got %v", got)
	}
	v.log.docs = manyDocs
	if got := s.rarest(50); len(got) != 4 {
		t.Errorf("got %v", got)
	}
}

// A call whose context ends in the middle takes neither the writer's connection nor what was written before with it.
func TestCancelledCallsHarmNothing(t *testing.T) {
	t.Parallel()
	s := newStore(t, Options{})
	for i := range 20 {
		ctx, cancel := context.WithCancel(context.Background())
		err := s.Write(ctx, func(tx testigo.Tx) error {
			if _, err := putIn(tx, "a", "cancelled", `"x"`, testigo.IndexText{Filter: "f", Body: "x"}); err != nil {
				return err
			}
			cancel()
			_, err := tx.Agents(ctx)
			return err
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v", err)
		}
		if err := put(s, "a", fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if has(s, "a", "cancelled") {
		t.Error("a cancelled write is there")
	}
	checkWhole(t, s, 20)
}
