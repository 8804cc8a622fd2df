package proc

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/testigo/testigo"
)

// TestMain also plays the processes that the tests start: role is the first argument.
func TestMain(m *testing.M) {
	switch os.Getenv("PROC_TEST_ROLE") {
	case "wait": // lives until its standard input closes
		fmt.Println("ready")
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	case "parent": // starts a child and lives until it is killed, or the test that started it ends
		cmd := role("child")
		cmd.Stdout = os.Stdout
		if err := cmd.Start(); err != nil {
			os.Exit(1)
		}
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	case "child": // says when it watches, and when its parent has ended
		gone := WatchParent(context.Background())
		fmt.Println("watching")
		<-gone
		fmt.Println("gone")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func role(name string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PROC_TEST_ROLE="+name)
	return cmd
}

func needKernel(t *testing.T) {
	t.Helper()
	if here() == "" {
		t.Skip("this system names no boot: processes are never known here")
	}
}

func TestSelf(t *testing.T) {
	t.Parallel()
	needKernel(t)
	p := Self()
	if p.PID != os.Getpid() || !p.Known() || p.Boot == "" {
		t.Fatalf("%+v", p)
	}
	if again := Self(); again != p {
		t.Errorf("not the same twice: %+v, %+v", p, again)
	}
	if alive, known := Alive(p); !alive || !known {
		t.Errorf("this process: alive %v, known %v", alive, known)
	}
}

func TestAlive(t *testing.T) {
	t.Parallel()
	needKernel(t)
	self := Self()
	at, _ := parsePlace(self.Boot)
	with := func(boot, machine, space string) testigo.Process {
		p := self
		p.Boot = boot + "/" + machine + "/" + space
		return p
	}
	reused := self
	reused.Started += "1"
	for name, c := range map[string]struct {
		p            testigo.Process
		alive, known bool
	}{
		"nothing recorded":               {testigo.Process{}, false, false},
		"only a number":                  {testigo.Process{PID: self.PID}, false, false},
		"number without boot":            {testigo.Process{PID: self.PID, Started: self.Started}, false, false},
		"foreign form":                   {testigo.Process{PID: self.PID, Started: self.Started, Boot: "x"}, false, false},
		"number used again":              {reused, false, true},
		"machine restarted":              {with("another-boot", at.machine, at.space), false, true},
		"restarted, other container":     {with("another-boot", at.machine, "1"), false, true},
		"another machine":                {with("another-boot", "another", at.space), false, false},
		"same boot, another container":   {with(at.boot, at.machine, "1"), false, false},
		"same boot, machine was renamed": {with(at.boot, "another", at.space), true, true},
	} {
		if alive, known := Alive(c.p); alive != c.alive || known != c.known {
			t.Errorf("%s: alive %v, known %v", name, alive, known)
		}
	}
	if alive, known := aliveAt(self, ""); alive || known {
		t.Error("without a boot of our own nothing is known")
	}
}

func TestEndedProcess(t *testing.T) {
	t.Parallel()
	needKernel(t)
	cmd := role("wait")
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
	lines := bufio.NewReader(out)
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	p, ok := Of(cmd.Process.Pid)
	if !ok || p.PID != cmd.Process.Pid {
		t.Fatalf("%+v, %v", p, ok)
	}
	if alive, known := Alive(p); !alive || !known {
		t.Errorf("running: alive %v, known %v", alive, known)
	}
	in.Close()
	_, _ = io.Copy(io.Discard, lines)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if alive, known := Alive(p); alive || !known {
		t.Errorf("ended: alive %v, known %v", alive, known)
	}
	for _, pid := range []int{p.PID, 0, -1} {
		if q, ok := Of(pid); ok && q == p {
			t.Errorf("Of(%d) = %+v", pid, q)
		}
	}
}

func TestWatchParentReal(t *testing.T) {
	t.Parallel()
	needKernel(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	parent := role("parent")
	parent.Stdout = w
	hold, err := parent.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close()
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if err := r.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil && !strings.Contains(err.Error(), "not support") {
		t.Fatal(err)
	}
	lines := bufio.NewReader(r)
	if line, err := lines.ReadString('\n'); line != "watching\n" {
		_ = parent.Process.Kill()
		t.Fatalf("%q, %v", line, err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	if line, err := lines.ReadString('\n'); line != "gone\n" {
		t.Fatalf("the child did not notice: %q, %v", line, err)
	}
}

func TestWatchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		looks := 0
		done := watch(ctx, func() bool { looks++; return false })
		time.Sleep(3*parentPoll + time.Millisecond) // the bubble's clock: no real time passes
		synctest.Wait()
		if looks != 4 {
			t.Errorf("looked %d times", looks)
		}
		cancel()
		synctest.Wait()
		select {
		case <-done:
			t.Error("closed although the parent lives")
		default:
		}
	})
}

func TestWatchCloses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		left := 2
		<-watch(t.Context(), func() bool { left--; return left < 0 })
		if d := time.Since(start); d != 2*parentPoll {
			t.Errorf("took %v", d)
		}
	})
}

func BenchmarkAlive(b *testing.B) {
	p := Self()
	for b.Loop() {
		Alive(p)
	}
}

func TestPlace(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "a", "a/b", "/b/c", "a/b/c/d"} {
		if _, ok := parsePlace(s); ok {
			t.Errorf("%q is taken for a place", s)
		}
	}
	if tag := machineTag(); len(tag) != 12 {
		t.Errorf("machine tag %s", strconv.Quote(tag))
	}
}
