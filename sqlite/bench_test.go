package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/testigo/testigo"
)

// words are synthetic English: the frequency of the k-th word falls as 1/k.
type words struct {
	r    *rand.Rand
	zipf *rand.Zipf
}

func newWords(seed uint64) *words {
	r := rand.New(rand.NewPCG(seed, 1))
	return &words{r: r, zipf: rand.NewZipf(r, 1.07, 8, 50_000)}
}

func (w *words) word() string { return fmt.Sprintf("w%d", w.zipf.Uint64()) }

// queryWord is a word that occurs in one row of ten or fewer: the rest are stop words, which queries drop.
func (w *words) queryWord() string {
	for {
		if k := w.zipf.Uint64(); k >= 150 {
			return fmt.Sprintf("w%d", k)
		}
	}
}

func (w *words) text(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = w.word()
	}
	return strings.Join(list, " ")
}

// sampleVersion is a fact of 200 to 400 bytes, in one of 50 scopes.
func sampleVersion(w *words, tx testigo.Tx, i int64) (testigo.Version, testigo.IndexText) {
	scope := fmt.Sprintf("topic%d", i%50)
	body := w.text(30 + w.r.IntN(25))
	value, _ := json.Marshal(body)
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(i))
	h := testigo.Hash(sha256.Sum256(b[:]))
	v := testigo.Version{Seq: tx.NextSeq(), Name: testigo.Name{Project: "p", Scope: scope, Key: fmt.Sprintf("k%d", i)}, Number: 1,
		Value: value, Confidence: 0.7, Author: "scout", Session: fmt.Sprintf("s%d", i/100), CreatedAt: tx.Now(),
		Salt: make([]byte, testigo.SaltBytes), BodyHash: h, Hash: h, Leaf: i}
	return v, testigo.IndexText{Filter: "sall s" + scope, Body: scope + " " + v.Name.Key + " " + body, Context: w.text(60)}
}

// filled is a store of n facts, made once and kept in TESTIGO_BENCH_DIR for the next run.
func filled(tb testing.TB, n int64) *Store {
	tb.Helper()
	dir := os.Getenv("TESTIGO_BENCH_DIR")
	if dir == "" {
		dir = tb.TempDir()
	}
	ctx := context.Background()
	s, err := Open(ctx, filepath.Join(dir, fmt.Sprintf("bench-%d.db", n)), Options{Create: true})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { s.Close() })
	w := newWords(1)
	for more := true; more; {
		err := s.Write(ctx, func(t testigo.Tx) error {
			log, err := t.Log(ctx)
			if err != nil {
				return err
			}
			for end := min(log.Size+1000, n); log.Size < end; log.Size++ {
				v, text := sampleVersion(w, t, log.Size)
				if err := t.PutVersion(ctx, v, text); err != nil {
					return err
				}
			}
			more = log.Size < n
			return t.SetLog(ctx, log)
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
	return s
}

func BenchmarkOpen(b *testing.B) {
	s := filled(b, 10_000)
	path := s.path
	s.Close()
	for b.Loop() {
		s, err := Open(b.Context(), path, Options{Role: OneShot})
		if err != nil {
			b.Fatal(err)
		}
		err = s.Read(b.Context(), func(r testigo.Reader) error {
			_, err := r.Current(b.Context(), testigo.Name{Project: "p", Scope: "topic7", Key: "k7"})
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}

func BenchmarkRead(b *testing.B) {
	s := filled(b, 10_000)
	ctx := context.Background()
	i := 0
	for b.Loop() {
		i++
		n := testigo.Name{Project: "p", Scope: fmt.Sprintf("topic%d", i*7%10_000%50), Key: fmt.Sprintf("k%d", i*7%10_000)}
		err := s.Read(ctx, func(r testigo.Reader) error {
			_, err := r.Current(ctx, n)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRemember does what remember does in its transaction.
func BenchmarkRemember(b *testing.B) {
	ctx := context.Background()
	s, err := Open(ctx, filepath.Join(b.TempDir(), "t.db"), Options{Create: true})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	w := newWords(2)
	for b.Loop() {
		err := s.Write(ctx, func(t testigo.Tx) error {
			log, err := t.Log(ctx)
			if err != nil {
				return err
			}
			v, text := sampleVersion(w, t, log.Size)
			if _, err := t.Current(ctx, v.Name); testigo.CodeOf(err) != testigo.CodeNotFound {
				return err
			}
			if _, err := t.Neighbours(ctx, v.Author, v.Session, "p", v.Seq, false, 2); err != nil {
				return err
			}
			if err := t.PutVersion(ctx, v, text); err != nil {
				return err
			}
			log.Size++
			log.Frontier = []testigo.Hash{v.Hash, v.Hash, v.Hash}
			if err := t.SetLog(ctx, log); err != nil {
				return err
			}
			if err := t.PutTouched(ctx, v.Author, v.Session, []testigo.Touch{{Pin: testigo.Pin{Name: v.Name, Version: 1}, At: t.Now()}}); err != nil {
				return err
			}
			return t.PutAgent(ctx, testigo.Agent{Name: "scout", Provider: "inbox", FirstSeen: t.Now(), LastSeen: t.Now()})
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// bareQuery is the least that a ranked search costs: the row ids of the best ten.
const bareQuery = `SELECT rowid FROM fact_fts WHERE fact_fts MATCH ?1 ORDER BY rank LIMIT 10`

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int64{10_000, 100_000, 1_000_000} {
		for _, within := range [][][]string{nil, {{"sall"}}, {{"stopic7"}}} {
			b.Run(fmt.Sprintf("%d/%v", n, within), func(b *testing.B) { benchSearch(b, n, within) })
		}
	}
}

func benchSearch(b *testing.B, n int64, within [][]string) {
	if n > 10_000 && os.Getenv("TESTIGO_BENCH_DIR") == "" {
		b.Skip("large stores want TESTIGO_BENCH_DIR, a folder to keep them in")
	}
	s := filled(b, n)
	ctx := context.Background()
	var whole, cold, bare time.Duration
	w := newWords(77)
	k, err := s.newReader()
	if err != nil {
		b.Fatal(err)
	}
	defer k.close()
	for b.Loop() {
		terms := make([]string, 3+w.r.IntN(4))
		for i := range terms {
			terms[i] = w.queryWord()
		}
		q := testigo.SearchQuery{Terms: terms, Within: within, Limit: 50}
		look := func() time.Duration {
			start := time.Now()
			err := s.Read(ctx, func(r testigo.Reader) error {
				_, err := r.Candidates(ctx, q)
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
			return time.Since(start)
		}
		match := (&search{}).match(distinct(terms), within)
		start := time.Now()
		rows, err := k.c.QueryContext(ctx, bareQuery, match)
		if err != nil {
			b.Fatal(err)
		}
		for rows.Next() {
		}
		rows.Close()
		bare += time.Since(start)
		cold += look()
		whole += look()
	}
	per := float64(b.N) * float64(time.Millisecond)
	b.ReportMetric(float64(bare)/per, "bare-ms")
	b.ReportMetric(float64(whole)/per, "warm-ms")
	b.ReportMetric(float64(cold)/per, "cold-ms")
	b.ReportMetric(float64(whole)/float64(bare), "warm/bare")
	b.ReportMetric(float64(cold)/float64(bare), "cold/bare")
}

// BenchmarkProcesses lets 16 processes write to one store and reports the longest wait of all.
func BenchmarkProcesses(b *testing.B) {
	const processes, writes = 16, 150
	for b.Loop() {
		path := filepath.Join(b.TempDir(), "t.db")
		longest, start := 0, time.Now()
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i := range processes {
			wg.Go(func() {
				self, _ := os.Executable()
				cmd := exec.Command(self)
				cmd.Env = append(os.Environ(), childJob+"=write", childArgs+"="+fmt.Sprintf("%s\np%d\n%d", path, i, writes))
				out, err := cmd.Output()
				if err != nil {
					b.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				for line := range strings.FieldsSeq(string(out)) {
					n, _ := strconv.Atoi(line)
					longest = max(longest, n)
				}
			})
		}
		wg.Wait()
		b.ReportMetric(processes*writes/time.Since(start).Seconds(), "writes/s")
		b.ReportMetric(float64(longest)/1000, "longest-ms")
	}
}
