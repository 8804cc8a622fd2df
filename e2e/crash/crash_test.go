package crash

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
	"github.com/testigo/testigo/sqlite"
)

// acked is what a child was told: fact name → versions, handoff id → last step.
type acked struct {
	facts   map[string][]int
	packets map[string]string
	opened  bool
}

// points where a child dies, and how often each may be passed alive first.
var points = []struct {
	name  string
	after int
}{
	{"after_begin", 60}, {"before_commit", 60}, {"after_commit", 60}, {"in_checkpoint", 2}, {"in_migration", 0},
}

// D08, S07, R09 and storage.md: whatever the instant, nothing that was acknowledged is lost, nothing happens twice.
func TestKills(t *testing.T) {
	kills := 50
	if n, err := strconv.Atoi(os.Getenv("KILLS")); err == nil {
		kills = n
	}
	seed := uint64(time.Now().UnixNano())
	if n, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64); err == nil {
		seed = n
	}
	t.Logf("seed %d (SEED=%d repeats the choices)", seed, seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	total := tally{byPoint: map[string]int{}}
	for total.kills < kills {
		dir := t.TempDir()
		// A store lives through several deaths before it is checked for the last time.
		store := &subject{t: t, path: filepath.Join(dir, "testigo.db"), rng: rng, acked: acked{facts: map[string][]int{}, packets: map[string]string{}}}
		for i := 0; i < 10 && total.kills < kills; i++ {
			store.death(i, &total)
			store.check()
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Printf("crash suite: %d kills (%s), %d acknowledged answers, 0 lost, 0 doubled\n", total.kills, total.points(), total.answers)
}

type tally struct {
	kills, answers int
	byPoint        map[string]int
}

func (t tally) points() string {
	var out []string
	for _, p := range points {
		out = append(out, fmt.Sprintf("%s %d", p.name, t.byPoint[p.name]))
	}
	return strings.Join(append(out, fmt.Sprintf("any instant %d", t.byPoint["any"])), ", ")
}

type subject struct {
	t     *testing.T
	path  string
	rng   *rand.Rand
	acked acked
}

// patience is how many answers a child may give before it counts as not having met its point: the other child made the
// checkpoints.
const patience = 3_000

// death starts two children on the store, lets one die at a point (or at any instant), then kills the other.
func (s *subject) death(i int, total *tally) {
	s.t.Helper()
	point, after := "any", 0
	switch {
	case i == 0 && s.rng.IntN(2) == 0: // a store is made and migrated once
		point = "in_migration"
	case s.rng.IntN(3) > 0:
		p := points[s.rng.IntN(len(points)-1)]
		point, after = p.name, s.rng.IntN(p.after+1)
	}
	victim := s.start(fmt.Sprint("v", i), point, after)
	bound := patience
	if point == "any" {
		bound = 1 + s.rng.IntN(40)
	}
	if point == "in_migration" { // whoever comes second finds the work done
		victim.wait(s.t)
	}
	witness := s.start(fmt.Sprint("w", i), "never", 0)
	if victim.killAfterLines(bound) {
		point = "any"
	}
	victim.wait(s.t)
	witness.killAfterLines(1 + s.rng.IntN(10))
	witness.wait(s.t)
	total.kills += 2
	total.byPoint[point]++
	total.byPoint["any"]++ // the second child
	for _, c := range []*process{victim, witness} {
		total.answers += s.note(c.out.Bytes())
	}
}

// note adds what a child printed in whole lines; a cut line was not acknowledged.
func (s *subject) note(out []byte) int {
	lines := 0
	for _, line := range strings.SplitAfter(string(out), "\n") {
		f := strings.Fields(line)
		if !strings.HasSuffix(line, "\n") || len(f) != 3 {
			continue
		}
		lines++
		n, err := strconv.Atoi(f[2])
		if err != nil {
			s.t.Fatalf("child said %q", line)
		}
		switch f[0] {
		case "open":
			s.acked.opened = true
		case "fact":
			s.acked.facts[f[1]] = append(s.acked.facts[f[1]], n)
		default:
			s.acked.packets[f[1]] = f[0]
		}
	}
	return lines
}

// check opens the store as the next process would and compares it with what was acknowledged.
func (s *subject) check() {
	s.t.Helper()
	ctx := context.Background()
	store, err := sqlite.Open(ctx, s.path, sqlite.Options{Create: true})
	if err != nil {
		s.t.Fatalf("the store does not open: %v", err)
	}
	defer store.Close()
	v, err := memory.New(store).Verify(ctx, nil)
	if err != nil || !v.OK {
		s.t.Fatalf("verify: %+v %v", v, err)
	}
	if v.LogSize != v.Versions+v.Erasures {
		s.t.Fatalf("log of %d for %d versions", v.LogSize, v.Versions)
	}
	err = store.Read(ctx, func(r testigo.Reader) error {
		for name, versions := range s.acked.facts {
			s.checkFact(ctx, r, name, versions)
		}
		for id, step := range s.acked.packets {
			s.checkPacket(ctx, r, id, step)
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *subject) checkFact(ctx context.Context, r testigo.Reader, name string, versions []int) {
	s.t.Helper()
	n, err := memory.NewName("", "", name)
	if err != nil {
		s.t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, number := range versions {
		if seen[number] {
			s.t.Fatalf("%s v%d was acknowledged to two writers", name, number)
		}
		seen[number] = true
		if _, err := r.VersionOf(ctx, n, number); err != nil {
			s.t.Fatalf("%s v%d was acknowledged and is lost: %v", name, number, err)
		}
	}
	if strings.HasPrefix(name, "own/") {
		if cur, err := r.Current(ctx, n); err != nil || cur.Number != 1 {
			s.t.Fatalf("%s was written once and is at version %d (%v)", name, cur.Number, err)
		}
	}
}

func (s *subject) checkPacket(ctx context.Context, r testigo.Reader, id, step string) {
	s.t.Helper()
	h, err := r.Handoff(ctx, id)
	if err != nil {
		s.t.Fatalf("packet %s was acknowledged (%s) and is lost: %v", id, step, err)
	}
	if step == "claim" && h.State == testigo.Open || step == "closed" && h.State != testigo.Closed {
		s.t.Fatalf("packet %s was acknowledged as %s and is %s", id, step, h.State)
	}
	events, err := r.Events(ctx, id, 0, 100)
	if err != nil {
		s.t.Fatal(err)
	}
	count := map[string]int{}
	for _, e := range events {
		count[e.Kind]++
	}
	if count["written"] != 1 || count["claimed"] > 1 || count["closed"] > 1 {
		s.t.Fatalf("packet %s has the history %v", id, count)
	}
	if (h.State == testigo.Closed) != (count["closed"] == 1) || h.State == testigo.Open && count["claimed"] > 0 {
		s.t.Fatalf("packet %s is %s with the history %v", id, h.State, count)
	}
}

// process is a running child.
type process struct {
	cmd   *exec.Cmd
	out   bytes.Buffer
	lines chan struct{}
	done  chan error
	ended bool
}

func (s *subject) start(name, point string, after int) *process {
	s.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	p := &process{cmd: exec.Command(exe), lines: make(chan struct{}, 1<<16), done: make(chan error, 1)}
	p.cmd.Env = append(os.Environ(), envStore+"="+s.path, envName+"="+name, envPoint+"="+point, envAfter+"="+strconv.Itoa(after))
	pipe, err := p.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	var stderr bytes.Buffer
	p.cmd.Stderr = &stderr
	if err := p.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() {
		for r := bufio.NewReader(pipe); ; {
			line, err := r.ReadBytes('\n')
			p.out.Write(line)
			if err != nil {
				break
			}
			select {
			case p.lines <- struct{}{}:
			default:
			}
		}
		err := p.cmd.Wait()
		if stderr.Len() > 0 {
			err = fmt.Errorf("%w: %s", err, stderr.String())
		}
		p.done <- err
		close(p.lines)
	}()
	return p
}

// killAfterLines kills the process once it has acknowledged n answers, whatever it does at that instant, and reports
// whether it was still alive.
func (p *process) killAfterLines(n int) bool {
	for range n {
		if _, ok := <-p.lines; !ok {
			return false
		}
	}
	return p.cmd.Process.Kill() == nil
}

// wait returns when the process is gone, and fails unless it was killed: a child that ends by itself met an error.
func (p *process) wait(t *testing.T) {
	t.Helper()
	if p.ended {
		return
	}
	select {
	case err := <-p.done:
		p.ended = true
		ws, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
		if !ok || !ws.Signaled() || ws.Signal() != syscall.SIGKILL {
			t.Fatalf("a child ended by itself: %v", err)
		}
	case <-time.After(60 * time.Second):
		_ = p.cmd.Process.Kill()
		t.Fatal("a child neither died nor finished in a minute")
	}
}
