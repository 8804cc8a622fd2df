package sqlite

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

// rich makes a store with facts of whole hashes, an outcome and a handoff, as the use cases write them.
func rich(t *testing.T) *Store {
	t.Helper()
	s := newStore(t, Options{LockWait: time.Second})
	m := memory.New(s)
	c := memory.Caller{Agent: "scout", Session: "s", Seen: &memory.Seen{}}
	for i := range 12 {
		p := memory.RememberParams{Key: fmt.Sprintf("listing/k%d", i%6), Value: fmt.Appendf(nil, "%d", i), Tags: []string{"price"}}
		if _, err := m.Remember(t.Context(), c, p); err != nil {
			t.Fatal(err)
		}
	}
	err := s.Write(t.Context(), func(tx testigo.Tx) error {
		n := testigo.Name{Scope: "listing", Key: "k0"}
		if _, err := memory.ApplyOutcome(t.Context(), tx, c, testigo.Pin{Name: n, Version: 1}, memory.Report{Kind: testigo.Success, OutcomeRef: "r"}); err != nil {
			return err
		}
		for _, id := range []string{"h_00000001", "h_00000002"} {
			h := testigo.Handoff{Seq: tx.NextSeq(), ID: id, Kind: testigo.KindPacket, State: testigo.Open, From: "scout", To: "executor", Title: "t", Summary: "s",
				NextSteps: []string{"a"}, Tried: []string{"b"}, Pins: []testigo.Pin{{Name: n, Version: 2}}, CreatedAt: tx.Now()}
			if err := tx.PutHandoff(t.Context(), h); err != nil {
				return err
			}
		}
		return tx.PutEvent(t.Context(), testigo.Event{Seq: tx.NextSeq(), Subject: "h_00000001", Kind: "written", At: tx.Now()})
	})
	if err != nil {
		t.Fatal(err)
	}
	if v := verify(t, s); !v.OK {
		t.Fatalf("before: %+v", v)
	}
	return s
}

func verify(t *testing.T, s *Store) memory.Verification {
	t.Helper()
	v, err := memory.New(s).Verify(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func harm(t *testing.T, s *Store, statement string) {
	t.Helper()
	if _, err := s.db.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// Each of these left "no damage" behind.
func TestVerifyFindsRowsThatContradictEachOther(t *testing.T) {
	t.Parallel()
	for statement, told := range map[string]struct {
		kind   testigo.DamageKind
		detail string
	}{
		"UPDATE versions SET confidence = 7 WHERE seq = 3":                        {testigo.ChainBroken, "between 0 and 1"},
		"UPDATE versions SET confidence = 0.123 WHERE success = 1":                {testigo.ChainBroken, "last outcome"},
		"UPDATE pins SET number = 99 WHERE position = 0":                          {testigo.RowMissing, "h_00000001 pins"},
		"DELETE FROM packets WHERE handoff = (SELECT max(handoff) FROM packets)":  {testigo.RowMissing, "h_00000002 has no content"},
		"UPDATE log SET next_seq = 2":                                             {testigo.ChainBroken, "next sequence number is 2"},
		"DELETE FROM store":                                                       {testigo.RowMissing, "which store this is"},
		"INSERT INTO erasures VALUES (90, 90, 1, 1, x'00', 'person:x', 0, x'00')": {testigo.ChainBroken, "behind the log's end"},
		"UPDATE versions SET leaf = 91 WHERE leaf = 11":                           {testigo.ChainBroken, "behind the log's end"},
		"DROP INDEX outcomes_version":                                             {testigo.PageDamaged, "index outcomes_version"},
		"DROP TRIGGER packets_due":                                                {testigo.PageDamaged, "trigger packets_due"},
		"CREATE TRIGGER spy AFTER INSERT ON events BEGIN SELECT 1; END":           {testigo.PageDamaged, "trigger spy is not"},
		"DROP TABLE events":                                                       {testigo.PageDamaged, "table events"},
		"DROP TABLE fact_fts":                                                     {testigo.PageDamaged, "table fact_fts"},
		"UPDATE events SET data = 'no json'":                                      {testigo.ValueChanged, "event of h_00000001"},
		"UPDATE events SET at = 9000000000000000":                                 {testigo.ValueChanged, "event of h_00000001"},
		"UPDATE packets SET tried = '{', due_at = 9000000000000000":               {testigo.ValueChanged, "h_00000001 cannot be read: due_at, tried"},
		"INSERT INTO settings VALUES ('x', '{')":                                  {testigo.ValueChanged, "setting x"},
	} {
		t.Run(strings.Join(strings.Fields(statement)[:3], " "), func(t *testing.T) {
			t.Parallel()
			s := rich(t)
			harm(t, s, statement)
			v := verify(t, s)
			for _, d := range v.Damage {
				if d.Kind == told.kind && strings.Contains(d.Detail, told.detail) {
					return
				}
			}
			t.Errorf("found %+v", v.Damage)
		})
	}
}

// One row that cannot be read used to end the whole verification and every list.
func TestUnreadableRowEndsNoVerificationAndNoQueue(t *testing.T) {
	t.Parallel()
	s := rich(t)
	harm(t, s, "UPDATE versions SET tags = '[oops' WHERE leaf = 2")
	harm(t, s, "UPDATE versions SET value = '{' WHERE leaf = 9")
	harm(t, s, "UPDATE versions SET created_at = 9000000000000000 WHERE leaf = 10")
	harm(t, s, "UPDATE packets SET next_steps = '{' WHERE handoff = (SELECT min(handoff) FROM packets)")
	v := verify(t, s)
	var leaves []int64
	for _, d := range v.Damage {
		if d.Kind == testigo.ValueChanged && d.Leaf >= 0 {
			leaves = append(leaves, d.Leaf)
			if d.Name == "" || !strings.Contains(d.Detail, "cannot be read") {
				t.Errorf("%+v", d)
			}
		}
	}
	if fmt.Sprint(leaves) != "[2 9 10]" || v.Versions != 12 || v.Found != 4 {
		t.Errorf("%+v", v)
	}
	err := s.Read(t.Context(), func(r testigo.Reader) error {
		_, err := r.VersionOf(t.Context(), testigo.Name{Scope: "listing", Key: "k2"}, 1)
		if e := want(t, testigo.CodeDamaged, err); !strings.Contains(e.Msg, "listing/k2@1") || e.Next != "testigo doctor" {
			t.Errorf("%v", e)
		}
		list, err := r.Handoffs(t.Context(), testigo.HandoffFilter{To: "executor"})
		if err != nil || len(list) != 2 || list[0].NextSteps != nil || len(list[0].Tried) != 1 || len(list[1].NextSteps) != 1 {
			t.Errorf("%+v %v", list, err)
		}
		h, err := r.Handoff(t.Context(), "h_00000001")
		if len(h.Tried) != 1 {
			t.Errorf("%+v", h)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Whoever moves a handoff without having read all of it does not wipe out what it could not read.
func TestUnreadableReturnSurvivesAMove(t *testing.T) {
	t.Parallel()
	s := rich(t)
	harm(t, s, `UPDATE handoffs SET returned = '{"result": "cut of'`)
	err := s.Write(t.Context(), func(tx testigo.Tx) error {
		h, err := tx.Handoff(t.Context(), "h_00000001")
		if err != nil {
			return err
		}
		h.State = testigo.Claimed
		return tx.MoveHandoff(t.Context(), h, testigo.Open, 0)
	})
	var left string
	if err != nil || s.db.QueryRowContext(t.Context(), "SELECT returned FROM handoffs WHERE id = 'h_00000001'").Scan(&left) != nil || left == "" {
		t.Errorf("left %q, %v", left, err)
	}
}

// A broken page of an index is damage, although no row is touched and every hash is right.
func TestVerifyFindsABrokenIndexPage(t *testing.T) {
	t.Parallel()
	s := rich(t)
	var root int64
	if err := s.db.QueryRowContext(t.Context(), "SELECT rootpage FROM sqlite_schema WHERE name = 'versions_writer'").Scan(&root); err != nil {
		t.Fatal(err)
	}
	path := s.path
	if err := s.checkpoint("TRUNCATE"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copy(b[(root-1)*4096:], bytes.Repeat([]byte{0xa5}, 4096))
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	v := verify(t, reopen(t, path, Options{}))
	for _, d := range v.Damage {
		if d.Kind == testigo.PageDamaged {
			return
		}
	}
	t.Errorf("found %+v", v)
}

// What is missing or spoilt is told as damage, and not as a fault of the program.
func TestSpoiltTablesAreDamageAndNotInternal(t *testing.T) {
	t.Parallel()
	for statement, ask := range map[string]func(r testigo.Reader) error{
		"DROP TABLE fact_fts": func(r testigo.Reader) error {
			_, err := r.Candidates(t.Context(), testigo.SearchQuery{Terms: []string{"k0"}, Limit: 3})
			return err
		},
		"DROP TABLE outcomes": func(r testigo.Reader) error {
			_, err := r.OutcomesOf(t.Context(), 1, 3)
			return err
		},
		"UPDATE events SET at = -9000000000000000": func(r testigo.Reader) error {
			_, err := r.Events(t.Context(), "h_00000001", 0, 3)
			return err
		},
		"UPDATE versions SET value = 'x'": func(r testigo.Reader) error {
			_, err := r.Current(t.Context(), testigo.Name{Scope: "listing", Key: "k1"})
			return err
		},
		"INSERT INTO settings VALUES ('x', '{')": func(r testigo.Reader) error {
			_, err := r.Setting(t.Context(), "x")
			return err
		},
		"INSERT INTO agents (name, provider, settings) VALUES ('x', '', '{')": func(r testigo.Reader) error {
			if list, err := r.Agents(t.Context()); err != nil || len(list) == 0 {
				t.Errorf("%v %v", list, err)
			}
			_, err := r.Agent(t.Context(), "x")
			return err
		},
		"INSERT INTO agents (name, provider, paused) VALUES ('x', '', 5)": func(r testigo.Reader) error {
			_, err := r.Agent(t.Context(), "x")
			return err
		},
	} {
		t.Run(strings.Join(strings.Fields(statement)[:3], " "), func(t *testing.T) {
			t.Parallel()
			s := rich(t)
			harm(t, s, statement)
			if e := want(t, testigo.CodeDamaged, s.Read(t.Context(), ask)); e.Next != "testigo doctor" {
				t.Errorf("next step %q", e.Next)
			}
		})
	}
}

// An index that was dropped, in whole or in part, is made anew.
func TestReindexMakesADroppedIndexAnew(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"fact_fts", "fact_fts_data", "fact_fts_docsize", "fact_fts_idx"} {
		s := rich(t)
		harm(t, s, "DROP TABLE "+what)
		if err := s.Reindex(t.Context()); err != nil {
			t.Errorf("%s: %v (%v)", what, err, testigo.AsError(err).Err)
			continue
		}
		if v := verify(t, s); !v.OK {
			t.Errorf("%s: %+v", what, v)
		}
	}
	migrations := strings.Join(strings.Fields(tableTexts()), " ")
	if again := strings.Join(strings.Fields(strings.Replace(queries()["index_create"], "IF NOT EXISTS ", "", 1)), " "); !strings.Contains(migrations, again) {
		t.Errorf("index_create makes another index than the migrations: %s", again)
	}
}

// A store that lost the row that names it is read and checked, and not quietly given another name.
func TestStoreWithoutItsNameIsNotRenamed(t *testing.T) {
	t.Parallel()
	s := rich(t)
	harm(t, s, "DELETE FROM store")
	again := reopen(t, s.path, Options{})
	if v := verify(t, again); v.OK {
		t.Error("no damage")
	}
	want(t, testigo.CodeDamaged, put(again, "a", "b"))
}

// Verification only reads: it neither waits for a writer nor makes one wait.
func TestVerifyNeedsNoTurn(t *testing.T) {
	t.Parallel()
	s := rich(t)
	err := s.Write(t.Context(), func(tx testigo.Tx) error { // all locks are held
		start := time.Now()
		if v := verify(t, reopen(t, s.path, Options{})); !v.OK {
			t.Errorf("%+v", v)
		}
		if d := time.Since(start); d > 3*time.Second {
			t.Errorf("it took %s", d)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
