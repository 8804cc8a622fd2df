package sqlite

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/testigo/testigo"
)

// Sixteen processes open a new file at once and write: all succeed, nothing is lost (C07).
func TestOpeningStorm(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "testigo.db")
	const processes, writes = 16, 20
	var all []*exec.Cmd
	for i := range processes {
		cmd := child(t, "write", path, fmt.Sprintf("p%d", i), fmt.Sprint(writes))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, cmd)
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, cmd.Stderr)
		}
	}
	s := reopen(t, path, Options{})
	checkWhole(t, s, processes*writes)
}

// checkWhole fails unless the store has n facts, a log without gaps, and a sound index.
func checkWhole(t *testing.T, s *Store, n int) {
	t.Helper()
	ctx := context.Background()
	err := s.Read(ctx, func(r testigo.Reader) error {
		leaves, err := r.Leaves(ctx, 0, n+10)
		if err != nil {
			return err
		}
		log, err := r.Log(ctx)
		if err != nil {
			return err
		}
		if len(leaves) != n || log.Size != int64(n) {
			t.Errorf("%d leaves, log of %d, want %d", len(leaves), log.Size, n)
		}
		for i, l := range leaves {
			if l.Position != int64(i) || i > 0 && l.Version.Seq <= leaves[i-1].Version.Seq {
				t.Errorf("leaf %d is at %d", i, l.Position)
			}
		}
		if n > 0 && len(leaves) == n && leaves[n-1].Version.Hash != log.Root {
			t.Error("the log's root is not of its last leaf")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if damage, err := s.CheckIndex(ctx); err != nil || len(damage) > 0 {
		t.Errorf("index: %v %v", damage, err)
	}
	var answer string
	if err := s.db.QueryRow("PRAGMA integrity_check").Scan(&answer); err != nil || answer != "ok" {
		t.Errorf("integrity: %s %v", answer, err)
	}
}

// C02, C07: writers in one process, read through a second handle.
func TestC02C07ManyWritersInOneProcess(t *testing.T) {
	t.Parallel()
	s := newStore(t, Options{})
	other := reopen(t, s.path, Options{})
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			for j := range 4 {
				key := fmt.Sprintf("k%d-%d", i, j)
				if err := put(s, "a", key); err != nil {
					t.Error(err)
				} else if !has(other, "a", key) {
					t.Errorf("%s was acknowledged and is not there", key)
				}
			}
		})
	}
	wg.Wait()
	checkWhole(t, s, 200)
}

// S07: killed at any point, a store loses nothing that was acknowledged and needs no repair.
func TestS07KilledAnywhere(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"in_migration", "after_begin", "before_commit", "after_commit", "in_checkpoint"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "testigo.db")
			acknowledged := map[string]int{}
			for round := range 5 {
				scope := fmt.Sprintf("r%d", round)
				cmd := child(t, "kill", path, scope, point, fmt.Sprint(round))
				out, err := cmd.Output()
				exit := new(exec.ExitError)
				if killed := errors.As(err, &exit) && !exit.Exited(); !killed && (err != nil || point != "in_migration") {
					t.Fatalf("the child was not killed: %v: %s", err, cmd.Stderr)
				}
				acknowledged[scope] = bytes.Count(out, []byte("\n"))
			}
			s := reopen(t, path, Options{Create: true})
			for scope, n := range acknowledged {
				for i := range n {
					if !has(s, scope, fmt.Sprintf("k%d", i)) {
						t.Errorf("%s/k%d was acknowledged and is lost", scope, i)
					}
				}
			}
			log := int64(0)
			if err := s.Read(t.Context(), func(r testigo.Reader) error {
				l, err := r.Log(t.Context())
				log = l.Size
				return err
			}); err != nil {
				t.Fatal(err)
			}
			checkWhole(t, s, int(log))
		})
	}
}

// C10: while another process holds the lock, a writer waits without spinning, gives up in time and names the holder. When
// the lock comes too late, nobody is left holding it.
func TestC10HeldLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "testigo.db")
	s := reopen(t, path, Options{Create: true, LockWait: 300 * time.Millisecond})
	if err := put(s, "a", "before"); err != nil {
		t.Fatal(err)
	}
	cmd := child(t, "hold", path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "held\n" {
		t.Fatalf("%q %v: %s", line, err, cmd.Stderr)
	}
	for range 3 { // each waits for the same call of flock, which the first began
		start := time.Now()
		e := want(t, testigo.CodeLocked, put(s, "a", "during"))
		if d := time.Since(start); d < 250*time.Millisecond || d > 3*time.Second {
			t.Errorf("gave up after %s", d)
		}
		if !strings.Contains(e.Msg, fmt.Sprint(cmd.Process.Pid)) {
			t.Errorf("the holder %d is not named: %v", cmd.Process.Pid, e)
		}
	}
	if !has(s, "a", "before") {
		t.Error("reading did not work meanwhile")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Write(ctx, func(testigo.Tx) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, cmd.Stderr)
	}
	// The late lock was given back: both this process and another one get it.
	runs(t, child(t, "write", path, "other", "3"))
	if err := put(s, "a", "after"); err != nil {
		t.Fatal(err)
	}
	runs(t, child(t, "write", path, "another", "3"))
}

// C08: ten processes that write to one store never see it locked.
func TestC08ParallelWriters(t *testing.T) {
	t.Parallel()
	s := newStore(t, Options{})
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			cmd := child(t, "write", s.path, fmt.Sprintf("p%d", i), "60")
			if out, err := cmd.Output(); err != nil || strings.Count(string(out), "\n") != 60 {
				t.Errorf("%v: %s", err, cmd.Stderr)
			}
		})
	}
	wg.Wait()
	checkWhole(t, s, 600)
}

// S06: a disk fault in the middle of a commit is told, nothing of that write is kept, and the next one works.
func TestS06PassingDiskFault(t *testing.T) {
	t.Parallel()
	out := strings.Fields(runs(t, child(t, "fault", filepath.Join(t.TempDir(), "testigo.db"))))
	if len(out) == 4 { // the code of a write that worked is nothing
		if out[0] != "unreachable" && out[0] != "full" || strings.Join(out[1:], " ") != "true false true" {
			t.Errorf("got %v", out)
		}
		return
	}
	t.Errorf("got %v", out)
}

// S13: a full disk is told as such, nothing half-written stays, and writing goes on without a restart.
func TestS13FullDisk(t *testing.T) {
	t.Parallel()
	s := newStore(t, Options{})
	if err := put(s, "a", "before"); err != nil {
		t.Fatal(err)
	}
	var pages int
	if err := s.writer.pragma("page_count", &pages); err != nil {
		t.Fatal(err)
	}
	if err := s.writer.pragma(fmt.Sprintf("max_page_count = %d", pages), new(int)); err != nil {
		t.Fatal(err)
	}
	big := `"` + strings.Repeat("x", 100_000) + `"`
	e := want(t, testigo.CodeFull, putText(s, "a", "big", big, testigo.IndexText{Filter: "f", Body: "big"}))
	if strings.Contains(strings.ToLower(e.Error()), "sql") {
		t.Errorf("the error talks of SQL: %v", e)
	}
	if has(s, "a", "big") {
		t.Error("half a write is there")
	}
	if err := putText(s, "a", "big", big, testigo.IndexText{Filter: "f", Body: "big"}); err != nil { // on a new connection, without the limit
		t.Fatal(err)
	}
	checkWhole(t, s, 2)
}
