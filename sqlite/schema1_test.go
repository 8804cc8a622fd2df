package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/testigo/testigo"
)

func newSchema1(t *testing.T) (path string) {
	t.Helper()
	return newSchema(t, 1)
}

// newSchema makes an empty store as programs of an earlier schema did, with their migrations alone.
func newSchema(t *testing.T, schema int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "testigo.db")
	if err := makeFile(path); err != nil {
		t.Fatal(err)
	}
	db, err := openDB(dsn(path, "mode=rw", 1000))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, mark := range []string{fmt.Sprint("PRAGMA application_id = ", applicationID), "PRAGMA journal_mode = WAL"} {
		if _, err := db.ExecContext(t.Context(), mark); err != nil {
			t.Fatal(err)
		}
	}
	p, err := newProvider(db)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(t.Context(), int64(schema)); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), fmt.Sprintf("INSERT INTO store VALUES (1, 'a store of schema %d', 0, 1000, %d)", schema, schema)); err != nil {
		t.Fatal(err)
	}
	return path
}

// older is a running program of an earlier schema: its statements, kept word for word in testdata, were prepared when it
// opened the store. What did not change since it does with today's code, which finds those statements by name.
type older struct {
	*Store
	queries map[string]string
}

func openOlder(t *testing.T, path string) *older {
	t.Helper()
	return openOlderAs(t, path, "schema1")
}

func openOlderAs(t *testing.T, path, schema string) *older {
	t.Helper()
	texts, err := loadQueries(os.DirFS("testdata"), schema)
	if err != nil {
		t.Fatal(err)
	}
	s := &Store{path: path, o: Options{Clock: time.Now, LockWait: defaultLockWait, SnapshotAge: defaultSnapshotAge},
		token: make(chan struct{}, 1), gate: newTurnstile(path), reading: make(chan struct{}, maxReaders), bell: bell{path: path + ".wake"}}
	if s.file, s.release, err = admit(path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing the older program: %v", err)
		}
	})
	if s.db, err = openDB(dsn(path, "mode=rw", 1000)); err != nil {
		t.Fatal(err)
	}
	for range 2 { // one becomes the writer
		k, err := s.newReader()
		if err != nil {
			t.Fatal(err)
		}
		s.idle = append(s.idle, k)
		for name, text := range texts {
			if k.stmts[name], err = k.c.PrepareContext(t.Context(), text); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	if _, err := s.readMeta(s.idle[0]); err != nil {
		t.Fatal(err)
	}
	return &older{Store: s, queries: texts}
}

// run runs one of the older program's statements in a transaction, which has to succeed.
func (p *older) run(t *testing.T, name string, args ...any) {
	t.Helper()
	err := p.Write(t.Context(), func(w testigo.Tx) error {
		_, err := w.(*tx).exec(name, args...)
		return err
	})
	if err != nil {
		t.Fatalf("the older program: %s: %v", name, err)
	}
}

// send writes a handoff with a due time and a pin.
func (p *older) send(t *testing.T, id, to string, due time.Time) {
	t.Helper()
	err := p.Write(t.Context(), func(w testigo.Tx) error {
		x, seq := w.(*tx), w.NextSeq()
		_, err := x.exec("handoff_insert", seq, id, "packet", "open", "p", "scout", "s", to, make([]byte, 32), 1000, "", "", 0,
			nil, nil, 0, "", "", nil, nil, "", "", "")
		if err != nil {
			return err
		}
		if _, err := x.exec("packet_insert", seq, "title", "summary", `["step"]`, nil, nil, nil, "quiet", nil, millis(due)); err != nil {
			return err
		}
		_, err = x.exec("pin_insert", seq, 0, "p", "a", "b", 1)
		return err
	})
	if err != nil {
		t.Fatalf("the older program: %v", err)
	}
}

// claim makes an agent the holder of an open handoff.
func (p *older) claim(t *testing.T, id, holder string) {
	t.Helper()
	p.run(t, "handoff_move", id, "open", 0, "claimed", holder, "s", 1, 2000, 2000, 42, "881", "b00t", nil, nil, "", "", "")
}

// waiting counts what the older program finds open for an agent.
func (p *older) waiting(t *testing.T, to string) (n int) {
	t.Helper()
	args := []any{`["open"]`, to, 0, "", "", "", "", 0}
	err := p.Read(t.Context(), func(r testigo.Reader) error {
		k, listed := r.(*view).k, 0
		err := k.each(t.Context(), "handoffs_to", append(args, 100), func(*sql.Rows) error { listed++; return nil })
		if err != nil {
			return err
		}
		if err := k.row("count_to", args, &n); err != nil {
			return err
		}
		if listed != n {
			t.Errorf("the older program lists %d and counts %d", listed, n)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("the older program: %v", err)
	}
	return n
}

// fill puts at least one row into every table of schema 1.
func (p *older) fill(t *testing.T) {
	t.Helper()
	ctx := context.Background()
	for _, key := range []string{"b", "b", "c"} {
		if err := put(p.Store, "a", key); err != nil {
			t.Fatal(err)
		}
	}
	p.send(t, "h_due", "executor", time.UnixMilli(5000))
	p.send(t, "h_free", "", time.Time{})
	p.send(t, "h_held", "executor", time.UnixMilli(6000))
	p.claim(t, "h_held", "executor")
	p.run(t, "agent_put", "executor", "inbox", 1000, 2000)
	err := p.Write(ctx, func(w testigo.Tx) error {
		n := testigo.Name{Project: "p", Scope: "a", Key: "b"}
		v, err := w.VersionOf(ctx, n, 1)
		if err != nil {
			return err
		}
		log, err := w.Log(ctx)
		if err != nil {
			return err
		}
		e := testigo.Erasure{Leaf: log.Size, VersionSeq: v.Seq, Name: n, Number: 1, Target: v.Hash, By: "person:keeper", At: w.Now()}
		if err := w.Erase(ctx, e); err != nil {
			return err
		}
		log.Size++
		if err := w.SetLog(ctx, log); err != nil {
			return err
		}
		if err := w.PutOutcome(ctx, testigo.Outcome{Seq: w.NextSeq(), VersionSeq: v.Seq, Kind: testigo.Success, Agent: "scout", At: w.Now()}); err != nil {
			return err
		}
		if err := w.PutTouched(ctx, "scout", "s", []testigo.Touch{{Pin: testigo.Pin{Name: n, Version: 2}, At: w.Now()}}); err != nil {
			return err
		}
		if err := w.PutRequest(ctx, testigo.Request{Agent: "scout", Key: "k", Tool: "remember", Result: []byte(`{}`), At: w.Now()}); err != nil {
			return err
		}
		return w.PutEvent(ctx, testigo.Event{Seq: w.NextSeq(), Subject: "h_due", Kind: "written", Actor: "scout", At: w.Now()})
	})
	if err != nil {
		t.Fatal(err)
	}
}
