package sqlite

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/testigo/testigo"
)

// A log mode that another tool changed is put back by whoever opens the store next.
func TestLogModeIsPutBack(t *testing.T) {
	t.Parallel()
	s := rich(t)
	path := s.path
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := openDB(dsn(path, "mode=rw", 1000))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "PRAGMA journal_mode = DELETE"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s = reopen(t, path, Options{})
	var mode string
	if err := s.db.QueryRowContext(t.Context(), "PRAGMA journal_mode").Scan(&mode); err != nil || mode != "wal" {
		t.Errorf("mode %s, %v", mode, err)
	}
	if err := put(s, "a", "b"); err != nil {
		t.Error(err)
	}
}

// A disk that is full before the store is opened: reading works, and a write is told the reason.
func TestFullDiskBeforeOpening(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no limit for files")
	}
	path := filepath.Join(t.TempDir(), "testigo.db")
	s, err := Open(t.Context(), path, Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := put(s, "a", "b"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if out := runs(t, child(t, "full", path, "a", "b")); out != "value \"a value\"\nread only true\nwrite full\n" {
		t.Errorf("got %q", out)
	}
}

// With a log that cannot be read on a full disk the reason is the disk.
func TestFullDiskWithLogIsToldAsFull(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no limit for files")
	}
	cmd := child(t, "full", crashed(t), "a", "b")
	out, err := cmd.Output()
	if told := fmt.Sprint(cmd.Stderr); err == nil || !strings.HasPrefix(told, "full:") {
		t.Errorf("got %q, %s, %v", out, told, err)
	}
}

// A tool that holds the lock, or SQLite's, is told within the time for waiting, and nobody is named who is gone.
func TestLockedIsToldInTimeAndNamesNobodyGone(t *testing.T) {
	t.Parallel()
	s := newStore(t, Options{LockWait: 500 * time.Millisecond})
	if err := put(s, "a", "b"); err != nil {
		t.Fatal(err)
	}
	gone := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	f, err := privateFile(s.path + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if ok, err := tryLock(f); !ok || err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(f, "%-11d\n", gone.Process.Pid); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	e := want(t, testigo.CodeLocked, put(s, "a", "c"))
	if !strings.Contains(e.Msg, "was the last to write") || e.Data != nil {
		t.Errorf("%v %v", e, e.Data)
	}
	// The lock comes late, and SQLite's own is held: both waits together take no longer than one may.
	tool, err := s.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tool.Close()
	if _, err := tool.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(400*time.Millisecond, func() { unlock(f) }) //nolint:errcheck // the test ends otherwise
	if d := time.Since(start); d > 3*time.Second {
		t.Errorf("the first took %s", d)
	}
	start = time.Now()
	want(t, testigo.CodeLocked, put(s, "a", "c"))
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("it took %s", d)
	}
}
