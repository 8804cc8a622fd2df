package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/testigo/testigo"
)

// columnsOf lists the tables of a store with their columns, without those of the index and of the migrations themselves.
func columnsOf(t *testing.T, db *sql.DB) map[string][]string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'fact_fts%' AND m.name NOT LIKE 'goose%' AND m.name NOT LIKE 'sqlite%'
		ORDER BY m.name, c.cid`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns := map[string][]string{}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		columns[table] = append(columns[table], column)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return columns
}

// contents reads the given columns of all rows.
func contents(t *testing.T, db *sql.DB, columns map[string][]string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for table, names := range columns {
		quoted := `quote("` + strings.Join(names, `") || '|' || quote("`) + `")`
		rows, err := db.QueryContext(t.Context(), "SELECT "+quoted+" FROM "+table)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var row string
			if err := rows.Scan(&row); err != nil {
				t.Fatal(err)
			}
			all[table] = append(all[table], row)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
		slices.Sort(all[table])
	}
	return all
}

func handoffOf(t *testing.T, s *Store, id string) (h testigo.Handoff) {
	t.Helper()
	if err := s.Read(t.Context(), func(r testigo.Reader) (err error) {
		h, err = r.Handoff(t.Context(), id)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return h
}

// idsOf lists what a filter selects, and fails when the count is another.
func idsOf(t *testing.T, s *Store, f testigo.HandoffFilter) (ids []string) {
	t.Helper()
	if err := s.Read(t.Context(), func(r testigo.Reader) error {
		list, err := r.Handoffs(t.Context(), f)
		for _, h := range list {
			ids = append(ids, h.ID)
		}
		n, cerr := r.CountHandoffs(t.Context(), f)
		if cerr == nil && n != len(ids) {
			t.Errorf("%+v lists %q and counts %d", f, ids, n)
		}
		return errors.Join(err, cerr)
	}); err != nil {
		t.Fatal(err)
	}
	return ids
}

// A store of schema 1 is migrated with all of its rows, and what it did not know is empty.
func TestSchema1IsMigrated(t *testing.T) {
	t.Parallel()
	path := newSchema1(t)
	old := openOlder(t, path)
	old.fill(t)
	columns := columnsOf(t, old.db)
	before := contents(t, old.db, columns)
	for table := range columns {
		if len(before[table]) == 0 {
			t.Errorf("table %s is empty: nothing is shown by keeping its rows", table)
		}
	}
	delete(columns, "store") // its schema is what changes
	delete(before, "store")
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}

	s := reopen(t, path, Options{})
	if diff := cmp.Diff(before, contents(t, s.db, columns)); diff != "" {
		t.Errorf("rows changed (-before +after):\n%s", diff)
	}
	info, err := s.Info(t.Context())
	if err != nil || info.Schema != 3 || info.ID != "a store of schema 1" {
		t.Errorf("info %+v, %v", info, err)
	}
	var breaks, schema int
	if err := s.db.QueryRowContext(t.Context(), "SELECT (SELECT * FROM pragma_user_version), schema FROM store").Scan(&breaks, &schema); err != nil || breaks != 1 || schema != 3 {
		t.Errorf("user_version %d, schema %d, %v", breaks, schema, err)
	}
	got := handoffOf(t, s, "h_held")
	want := testigo.Handoff{Seq: got.Seq, ID: "h_held", Kind: testigo.KindPacket, State: testigo.Claimed, Project: "p", From: "scout", FromSession: "s",
		To: "executor", Title: "title", Summary: "summary", NextSteps: []string{"step"}, Notify: "quiet",
		Pins:      []testigo.Pin{{Name: testigo.Name{Project: "p", Scope: "a", Key: "b"}, Version: 1}},
		CreatedAt: time.UnixMilli(1000).UTC(), DueAt: time.UnixMilli(6000).UTC(),
		Claim: testigo.Claim{Agent: "executor", Session: "s", Generation: 1, At: time.UnixMilli(2000).UTC(), RenewedAt: time.UnixMilli(2000).UTC(),
			Process: testigo.Process{PID: 42, Started: "881", Boot: "b00t"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a handoff (-want +got):\n%s", diff)
	}
	open := testigo.HandoffFilter{States: []testigo.HandoffState{testigo.Open, testigo.Claimed}, DueBefore: time.UnixMilli(6001)}
	if ids := idsOf(t, s, open); !slices.Equal(ids, []string{"h_due", "h_held"}) {
		t.Errorf("due: %q", ids)
	}
	if damage, err := s.CheckIndex(t.Context()); err != nil || len(indexDamage(damage)) > 0 {
		t.Errorf("index: %v %v", damage, err)
	}
	var answer string
	if err := s.db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&answer); err != nil || answer != "ok" {
		t.Errorf("integrity: %s %v", answer, err)
	}
}

// A program that had the store open before the migration goes on, does not undo what newer ones write, and what it writes
// is found by them.
func TestOlderProgramGoesOn(t *testing.T) {
	t.Parallel()
	path := newSchema1(t)
	old := openOlder(t, path)
	old.fill(t)
	s := reopen(t, path, Options{})

	ctx, at := t.Context(), time.UnixMilli(9000).UTC()
	agent := testigo.Agent{Name: "executor", Provider: "codex", Title: "E", Endpoint: "thread", Cwd: "/w", Settings: []byte(`{"a":1}`), Paused: true, AddressedAt: at}
	read := handoffOf(t, s, "h_due")
	read.ReadAt, read.Return = at, &testigo.Return{Summary: "done", By: "executor", At: at}
	err := s.Write(ctx, func(w testigo.Tx) error {
		if err := w.PutAgent(ctx, agent); err != nil {
			return err
		}
		h := testigo.Handoff{Seq: w.NextSeq(), ID: "h_new", Kind: testigo.KindMessage, State: testigo.Open, From: "scout", To: "executor",
			Thread: "h_new", CreatedAt: w.Now()}
		if err := w.PutHandoff(ctx, h); err != nil {
			return err
		}
		return w.MoveHandoff(ctx, read, testigo.Open, 0)
	})
	if err != nil {
		t.Fatal(err)
	}

	if n := old.waiting(t, "executor"); n != 2 {
		t.Errorf("the older program sees %d waiting, want h_due and h_new", n)
	}
	old.send(t, "h_late", "executor", time.UnixMilli(7000))
	old.claim(t, "h_due", "rival")
	old.run(t, "agent_put", "executor", "codex", 1000, 3000)
	if err := put(old.Store, "a", "b"); err != nil {
		t.Errorf("the older program: %v", err)
	}
	if !has(s, "a", "b") || !has(old.Store, "a", "c") {
		t.Error("facts are missing")
	}
	if info, _ := old.Info(ctx); info.Schema != 1 {
		t.Errorf("the older program believes in schema %d", info.Schema)
	}

	got := handoffOf(t, s, "h_due")
	if !got.ReadAt.Equal(at) || got.Return == nil || got.Return.Summary != "done" || got.Claim.Agent != "rival" {
		t.Errorf("after the older program claimed it: %+v", got)
	}
	claimed := testigo.HandoffFilter{States: []testigo.HandoffState{testigo.Open, testigo.Claimed}, DueBefore: time.UnixMilli(8000)}
	if ids := idsOf(t, s, claimed); !slices.Equal(ids, []string{"h_due", "h_held", "h_late"}) {
		t.Errorf("due: %q", ids)
	}
	unread := testigo.HandoffFilter{To: "executor", Unread: true, Newest: true}
	if ids := idsOf(t, s, unread); !slices.Equal(ids, []string{"h_late", "h_new", "h_held"}) {
		t.Errorf("unread: %q", ids)
	}
	agent.FirstSeen, agent.LastSeen = time.UnixMilli(1000).UTC(), time.UnixMilli(3000).UTC()
	if err := s.Read(ctx, func(r testigo.Reader) error {
		a, err := r.Agent(ctx, "executor")
		if diff := cmp.Diff(agent, a); diff != "" {
			t.Errorf("the agent (-want +got):\n%s", diff)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// Everything that programs of earlier schemas ask is still a question that the store understands.
func TestOlderStatementsAreValid(t *testing.T) {
	t.Parallel()
	s := newStore(t, Options{})
	for schema := 1; schema < latestMigration(); schema++ {
		texts, err := loadQueries(os.DirFS("testdata"), fmt.Sprint("schema", schema))
		if err != nil || len(texts) == 0 {
			t.Fatal(schema, err)
		}
		for name, text := range texts {
			switch strings.Fields(text)[0] {
			case "SELECT", "WITH", "INSERT", "UPDATE", "DELETE":
				rows, err := s.db.QueryContext(t.Context(), "EXPLAIN "+text, make([]any, 32)...)
				if err != nil {
					t.Errorf("schema %d: %s: %v", schema, name, err)
					continue
				}
				if err := errors.Join(rows.Err(), rows.Close()); err != nil {
					t.Errorf("schema %d: %s: %v", schema, name, err)
				}
			}
		}
	}
}

// A program that reads while another one migrates holds nobody up, and keeps what it saw.
func TestMigrationBesideReader(t *testing.T) {
	t.Parallel()
	path := newSchema1(t)
	old := openOlder(t, path)
	old.fill(t)
	err := old.Read(t.Context(), func(r testigo.Reader) error {
		before, err := r.Projects(t.Context())
		if err != nil {
			return err
		}
		s, err := Open(context.Background(), path, Options{})
		if err != nil {
			return fmt.Errorf("opening beside a reader: %w", err)
		}
		defer s.Close()
		if err := put(s, "a", "later"); err != nil {
			return err
		}
		after, err := r.Projects(t.Context())
		if err != nil || !slices.Equal(before, after) {
			t.Errorf("projects %q became %q, %v", before, after, err)
		}
		_, err = r.Current(t.Context(), testigo.Name{Project: "p", Scope: "a", Key: "later"})
		want(t, testigo.CodeNotFound, err)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
