package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
	"github.com/testigo/testigo/sqlite"
	"github.com/testigo/testigo/storetest"
	"github.com/testigo/testigo/storetest/memstore"
)

// Sessions as data. Each archive in testdata begins with the fault rows it guards; each file in it is one connection of
// the agent that the file is named after, one after the other on the same store. Lines that begin with ">" go in; what
// comes back stands below them after "<". Ids, hashes and random session names are normalised, and h_1, h_2 … name the
// packets in the order they appear, in both directions. A line "$ withdraw h_1" is what a person does at a terminal
// meanwhile. -update rewrites the answers.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, file string, a *txtar.Archive) {
		if !regexp.MustCompile(`^# guards: `).Match(a.Comment) {
			t.Error("the first line does not say what it guards")
		}
		clock := storetest.NewClock()
		store := memstore.New(memstore.Options{Clock: clock.Now})
		n := &normal{}
		for i, f := range a.Files {
			p := start(t, store, clock, as(f.Name))
			got := play(p, string(f.Data), n, func() testigo.Store { return store.Again() })
			if got != string(f.Data) && !*update {
				t.Errorf("%s differs; got:\n%s", f.Name, got)
			}
			a.Files[i].Data = []byte(got)
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// The same sessions on a file, where each connection opens the store as another process would. Only what describes the
// store itself differs.
func TestTranscriptsOnSQLite(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ string, a *txtar.Archive) {
		clock := storetest.NewClock()
		path := filepath.Join(t.TempDir(), "testigo.db")
		open := func(ctx context.Context) (testigo.Store, error) {
			return sqlite.Open(ctx, path, sqlite.Options{Create: true, Clock: clock.Now})
		}
		onFile := func(o *Options) { o.Open = open }
		n := &normal{}
		for _, f := range a.Files {
			got := play(start(t, nil, clock, as(f.Name), onFile), string(f.Data), n, func() testigo.Store {
				s, err := open(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				return s
			})
			if alike(got) != alike(string(f.Data)) && !*update {
				t.Errorf("%s differs; got:\n%s", f.Name, got)
			}
		}
	})
}

// alike leaves out what may differ from store to store: what it is, and the last digits of a mean.
func alike(s string) string {
	return manyDigits.ReplaceAllString(aboutStore.ReplaceAllString(s, ""), "$1")
}

var manyDigits = regexp.MustCompile(`(0\.[0-9]{6})[0-9]+`)

var aboutStore = regexp.MustCompile(`\\?"store\\?":\{[^}]*\}`)

func each(t *testing.T, run func(t *testing.T, file string, a *txtar.Archive)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			run(t, file, a)
		})
	}
}

// play runs one connection and returns it with the answers that came. open opens its store for a person.
func play(p *peer, script string, n *normal, open func() testigo.Store) string {
	p.Helper()
	var out strings.Builder
	for l := range strings.Lines(script) {
		line, sent := strings.CutPrefix(strings.TrimSuffix(l, "\n"), ">")
		if !sent {
			if !strings.HasPrefix(l, "<") {
				out.WriteString(l)
			}
			if id, ok := strings.CutPrefix(l, "$ withdraw "); ok {
				p.withdraw(open(), n.restore(strings.TrimSpace(id)))
			}
			continue
		}
		out.WriteString(l)
		line = strings.TrimPrefix(line, " ")
		p.send(n.restore(line))
		if wantsAnswer(line) {
			fmt.Fprintf(&out, "< %s\n", n.tidy(p.receive()))
		}
	}
	p.end()
	for l := range p.lines {
		fmt.Fprintf(&out, "< %s\n", n.tidy(l))
	}
	return out.String()
}

func (p *peer) withdraw(s testigo.Store, id string) {
	p.Helper()
	defer s.Close()
	hand := handoff.New(memory.New(s).WithClock(p.clock.Now))
	if _, err := hand.Withdraw(p.Context(), memory.Caller{Agent: "person:owner"}, handoff.WithdrawParams{ID: id}); err != nil {
		p.Fatal(err)
	}
}

// wantsAnswer reports whether a line has an answer: a blank line and a notification have none.
func wantsAnswer(line string) bool {
	if strings.TrimSpace(line) == "" {
		return false
	}
	var m map[string]json.RawMessage
	if json.Unmarshal([]byte(line), &m) != nil {
		return true
	}
	_, id := m["id"]
	_, method := m["method"]
	return id || !method
}

// normal makes what is random the same in every run.
type normal struct{ ids []string }

var (
	packetID    = regexp.MustCompile(`h_[0-9a-f]{8}`)
	digest      = regexp.MustCompile(`[0-9a-f]{64}`)
	storeID     = regexp.MustCompile(`\b[0-9a-f]{32}\b`)
	schema      = regexp.MustCompile(`(\\?")schema\\?":\d+`)
	ownSession  = regexp.MustCompile(`mcp-[a-z2-7]{26}`)
	placeholder = regexp.MustCompile(`h_[0-9]\b`)
)

func (n *normal) tidy(s string) string {
	s = packetID.ReplaceAllStringFunc(s, func(id string) string {
		i := slices.Index(n.ids, id)
		if i < 0 {
			i, n.ids = len(n.ids), append(n.ids, id)
		}
		return fmt.Sprintf("h_%d", i+1)
	})
	s = digest.ReplaceAllString(s, "DIGEST")
	s = storeID.ReplaceAllString(s, "STORE")
	s = schema.ReplaceAllString(s, `${1}schema${1}:N`) // a migration is no change of an answer
	return ownSession.ReplaceAllString(s, "SESSION")
}

func (n *normal) restore(s string) string {
	return placeholder.ReplaceAllStringFunc(s, func(p string) string {
		i := int(p[2] - '1')
		if i < 0 || i >= len(n.ids) {
			return p
		}
		return n.ids[i]
	})
}
