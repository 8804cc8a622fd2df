package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/testigo/testigo"
)

// S11: a folder that may not be written can be read; the answer says so, and a write is refused with a reason.
func TestS11ReadOnlyFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "testigo.db")
	s, err := Open(t.Context(), path, Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := put(s, "a", "b"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	cmd := child(t, "look", path, "a", "b")
	if !asNobody(t, cmd, dir) {
		t.Skip("only root can become a user who may not write")
	}
	before, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := runs(t, cmd)
	if out != "value \"a value\"\nread only true\nwrite unreachable\n" {
		t.Errorf("got %q", out)
	}
	after, err := os.ReadDir(dir)
	if err != nil || fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("files %v, then %v (%v)", before, after, err)
	}
}

// S11 with a log left over: its commits must be seen, or the store not be opened; never an old state without a word.
func TestS11ReadOnlyFolderWithLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "testigo.db")
	s := reopen(t, path, Options{Create: true})
	if err := put(s, "a", "b"); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.Mkdir(copied, 0o755); err != nil {
		t.Fatal(err)
	}
	// What a crash leaves: database and log, without the log's index. Copied by another process's rules: this one has it open.
	if out, err := copyFiles(path, copied); err != nil {
		skipOnWindows(t, fmt.Errorf("%s: %w", out, err))
	}
	cmd := child(t, "look", filepath.Join(copied, "testigo.db"), "a", "b")
	if !asNobody(t, cmd, copied) {
		t.Skip("only root can become a user who may not write")
	}
	out, err := cmd.Output()
	told := fmt.Sprint(cmd.Stderr)
	if err == nil && strings.HasPrefix(string(out), "value \"a value\"") {
		return // it could be read after all
	}
	if !strings.HasPrefix(told, "unreachable:") || !strings.Contains(told, "-wal") {
		t.Errorf("got %q, %s", out, told)
	}
}

// Opened for reading only in a folder that may be written: a writer's commits are seen.
func TestReadOnlyBesideWriter(t *testing.T) {
	t.Parallel()
	s := newStore(t, Options{})
	if err := put(s, "a", "b"); err != nil {
		t.Fatal(err)
	}
	r := reopen(t, s.path, Options{ReadOnly: true})
	if info, err := r.Info(t.Context()); err != nil || !info.ReadOnly || info.ID == "" {
		t.Errorf("%+v %v", info, err)
	}
	if err := put(s, "a", "c"); err != nil {
		t.Fatal(err)
	}
	if !has(r, "a", "b") || !has(r, "a", "c") {
		t.Error("a fact is not seen")
	}
	want(t, testigo.CodeUnreachable, put(r, "a", "d"))
	_, err := r.Scrub(t.Context(), []string{"x"})
	want(t, testigo.CodeUnreachable, err)
	if damage, err := r.CheckIndex(t.Context()); err != nil || len(damage) > 0 {
		t.Errorf("%v %v", damage, err)
	}
}

// A store that is frozen (opened without its log) is not believed any more once there is a log.
func TestFrozenStoreNoticesLog(t *testing.T) {
	t.Parallel()
	s := newStore(t, Options{})
	s.frozen = true
	if err := put(s, "a", "b"); err != nil {
		t.Fatal(err)
	}
	err := s.Read(t.Context(), func(testigo.Reader) error { return nil })
	e := want(t, testigo.CodeUnreachable, err)
	if !strings.Contains(e.Msg, "-wal") {
		t.Errorf("error %v", e)
	}
}

// S02: a reader that never ends is cut off, so that the log can start over.
func TestS02OldSnapshotEnds(t *testing.T) {
	t.Parallel()
	s := newStore(t, Options{SnapshotAge: 50 * time.Millisecond})
	if err := put(s, "a", "b"); err != nil {
		t.Fatal(err)
	}
	n := testigo.Name{Project: "p", Scope: "a", Key: "b"}
	err := s.Read(t.Context(), func(r testigo.Reader) error {
		if _, err := r.Current(t.Context(), n); err != nil {
			return err
		}
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
			if _, err := r.Current(t.Context(), n); err != nil {
				want(t, testigo.CodeGone, err)
				// Nothing of this reader is in the way of emptying the log now.
				if err := put(s, "a", "c"); err != nil {
					return err
				}
				if err := s.checkpoint("TRUNCATE"); err != nil {
					return err
				}
				if size := s.walSize(); size != 0 {
					t.Errorf("the log still has %d bytes", size)
				}
				return err
			}
		}
		return errors.New("the snapshot did not end")
	})
	if err != nil {
		want(t, testigo.CodeGone, err)
	}
}

// S02: the log is copied when it has grown, and starts over: it stays near its mark.
func TestS02LogStaysSmall(t *testing.T) {
	t.Parallel()
	points := map[string]int{}
	s := newStore(t, Options{FaultPoint: func(name string) { points[name]++ }})
	value := `"` + strings.Repeat("x", 200_000) + `"`
	for i := range 160 { // about 50 pages each: twice the mark
		if err := putText(s, "a", fmt.Sprint(i), value, testigo.IndexText{Filter: "f", Body: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if points["in_checkpoint"] == 0 || points["before_commit"] != 160 || points["after_commit"] != 160 || points["after_begin"] != 160 {
		t.Errorf("points %v", points)
	}
	if size := s.walSize(); size > 2*checkpointPages*4096 {
		t.Errorf("the log has %d bytes", size)
	}
	s.emptyIdleLog()
	if size := s.walSize(); size != 0 {
		t.Errorf("after a pause the log has %d bytes", size)
	}
}

// The bell rings for events and handoffs, and for nothing else.
func TestBell(t *testing.T) {
	t.Parallel()
	s := newStore(t, Options{})
	if err := put(s, "a", "b"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Bell()); err == nil {
		t.Error("a fact rang")
	}
	if err := s.Write(t.Context(), func(tx testigo.Tx) error {
		return tx.PutHandoff(t.Context(), testigo.Handoff{Seq: tx.NextSeq(), ID: "h_00000001", State: testigo.Open, CreatedAt: tx.Now()})
	}); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(s.Bell()); err != nil || !bytes.Equal(b, []byte{1}) {
		t.Errorf("bell %v %v", b, err)
	}
}
