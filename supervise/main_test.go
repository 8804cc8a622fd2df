//go:build unix

package supervise

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/testigo/testigo"
)

// TestMain also plays the supervisor and the gate. The argument kill=POINT kills the supervisor there; stop=POINT stops it,
// as a laptop that is put to sleep would.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Command {
		args, at := os.Args[2:], func(string) {}
		if len(args) > 0 {
			if verb, point, ok := strings.Cut(args[0], "="); ok {
				args = args[1:]
				at = func(p string) {
					switch {
					case p != point:
					case verb == "kill":
						_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
						select {} // another thread may be the one that takes the signal
					default:
						awake := make(chan os.Signal, 1)
						signal.Notify(awake, syscall.SIGCONT)
						_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
						<-awake
					}
				}
			}
		}
		os.Exit(run(args, os.Stdin, at))
	}
	if len(os.Args) > 1 && os.Args[1] == "engine" {
		var s Spec
		if err := json.NewDecoder(os.Stdin).Decode(&s); err != nil {
			os.Exit(1)
		}
		h, err := Start(context.Background(), s)
		fmt.Println(h.State.Phase, err)
		select {} // until it is killed
	}
	os.Exit(m.Run())
}

// patience is how long a test waits for what must happen.
const patience = 20 * time.Second

func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !ok(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// shell makes a turn that runs a script, and sees to it that nothing of it is left after the test.
func shell(t *testing.T, script string) Spec {
	t.Helper()
	dir := t.TempDir()
	s := Spec{
		RunFile: filepath.Join(dir, "db.runs", "r_1"), Request: "r_1", Agent: "worker", Token: Token{Lease: 1},
		Argv: []string{"/bin/sh", "-c", script}, Dir: dir, Env: []string{"PATH=/usr/bin:/bin", "D=" + dir}, Text: "the text",
		Timeout: time.Minute, Grace: 300 * time.Millisecond, Drain: 100 * time.Millisecond,
	}
	t.Cleanup(func() {
		st, err := Look(s.RunFile)
		if err == nil && st.Phase.Open() {
			_ = syscall.Kill(st.Supervisor.PID, syscall.SIGKILL)
			if st.Command.PID > 0 {
				_ = syscall.Kill(-st.Command.PID, syscall.SIGKILL)
			}
		}
	})
	return s
}

func start(t *testing.T, s Spec) State {
	t.Helper()
	h, err := Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return h.State
}

func ended(t *testing.T, runFile string) State {
	t.Helper()
	var st State
	await(t, "the turn's end", func() bool {
		var err error
		st, err = Look(runFile)
		if err != nil {
			t.Fatal(err)
		}
		return !st.Phase.Open()
	})
	return st
}

func lines(t *testing.T, path string) int {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(b), "\n")
}

func isGone(p testigo.Process) bool { return lifeOf(p) == gone }

// A turn runs once, its result and its last lines are kept, and nothing else is left behind.
func TestTurn(t *testing.T) {
	t.Parallel()
	s := shell(t, `cat "$T"; echo; echo err >&2; for i in 1 2 3; do echo line $i; done; exit 3`)
	s.Env = append(s.Env, "T="+TextFile(s.RunFile))
	start(t, s)
	st := ended(t, s.RunFile)
	if st.Phase != Ended || st.Exit == nil || *st.Exit != 3 || st.TimedOut || st.Stopped || st.Signal != "" {
		t.Errorf("%+v", st)
	}
	if want := []string{"the text", "err", "line 1", "line 2", "line 3"}; !slices.Equal(st.Tail, want) {
		t.Errorf("%q", st.Tail)
	}
	if st.Agent != "worker" || st.Lease != 1 || !st.Command.Known() || st.Command.Boot == "" || !st.Until.Equal(st.Started.Add(time.Minute)) {
		t.Errorf("%+v", st)
	}
	await(t, "the supervisor's end", func() bool { return isGone(st.Supervisor) })
	entries, _ := os.ReadDir(filepath.Dir(s.RunFile))
	for _, e := range entries {
		info, _ := e.Info()
		if info.Mode().Perm() != fileMode || e.Name() != "r_1" && e.Name() != ".lock" {
			t.Errorf("%s %s", e.Name(), info.Mode())
		}
	}
	if info, _ := os.Stat(filepath.Dir(s.RunFile)); info.Mode().Perm() != folderMode {
		t.Error(info.Mode())
	}
	if h, err := Start(t.Context(), s); err != nil || h.First || h.State.Phase != Ended {
		t.Errorf("a second start: %+v %v", h, err)
	}
	if ok, err := Remove(s.RunFile); !ok || err != nil {
		t.Error(ok, err)
	}
	if _, err := Look(s.RunFile); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// What cannot be started is proven not to have run, and may be tried again under the same request.
func TestCannotStart(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Spec){
		"program":    func(s *Spec) { s.Argv = []string{"no-such-program"} },
		"folder":     func(s *Spec) { s.Dir += "/nowhere" },
		"executable": func(s *Spec) { s.Argv = []string{"/etc/passwd"} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := shell(t, "exit 0")
			good := s
			change(&s)
			if st := start(t, s); st.Phase != NotStarted || st.Error == "" || st.Command.PID != 0 {
				t.Errorf("%+v", st)
			}
			if _, err := os.Stat(TextFile(s.RunFile)); err == nil {
				await(t, "the text to go", func() bool { _, err := os.Stat(TextFile(s.RunFile)); return err != nil })
			}
			start(t, good)
			if st := ended(t, s.RunFile); st.Phase != Ended || *st.Exit != 0 {
				t.Errorf("%+v", st)
			}
		})
	}
}

// Who was first decides: a declared request never runs, a running one is not declared away.
func TestFirstDecides(t *testing.T) {
	t.Parallel()
	s := shell(t, `echo x >>"$D/ran"; exec sleep 60`)
	if ok, st, err := DeclareNotSent(s.RunFile); !ok || err != nil || st.Phase != NotSent {
		t.Fatal(ok, st, err)
	}
	if ok, _, err := DeclareNotSent(s.RunFile); !ok || err != nil {
		t.Error("declaring twice", ok, err)
	}
	if ok, err := Remove(s.RunFile); ok || err != nil {
		t.Error("a token of before may still be alive", ok, err)
	}
	if st := start(t, s); st.Phase != NotSent {
		t.Errorf("%+v", st)
	}
	s2 := s
	s2.RunFile = filepath.Join(filepath.Dir(s.RunFile), "r_2")
	start(t, s2)
	if ok, st, err := DeclareNotSent(s2.RunFile); ok || err != nil || st.Phase != Running {
		t.Error(ok, st, err)
	}
	if ok, err := Remove(s2.RunFile); ok || err != nil {
		t.Error("a running turn's file", ok, err)
	}
	await(t, "the run", func() bool { return lines(t, s.Dir+"/ran") == 1 })
	st, err := Kill(t.Context(), s2.RunFile)
	if err != nil || !st.Stopped || st.Phase != Ended {
		t.Errorf("%+v %v", st, err)
	}
	if n := lines(t, s.Dir+"/ran"); n != 1 {
		t.Errorf("%d runs", n)
	}
}

// Of many starts of one request, racing with a declaration, at most one runs, and everybody learns the same.
func TestRace(t *testing.T) {
	t.Parallel()
	for round := range 6 {
		s := shell(t, `echo x >>"$D/ran"`)
		sent := make(chan Phase, 5)
		for range 4 {
			go func() {
				h, _ := Start(t.Context(), s)
				sent <- h.State.Phase
			}()
		}
		go func() {
			if round%2 == 0 { // let a supervisor come near first
				tick := time.NewTicker(time.Millisecond)
				defer tick.Stop()
				for range 5 * round {
					<-tick.C
				}
			}
			_, st, _ := DeclareNotSent(s.RunFile)
			sent <- st.Phase
		}()
		for range 5 {
			<-sent
		}
		st := ended(t, s.RunFile)
		want := 1
		if st.Phase == NotSent {
			want = 0
		}
		await(t, "the supervisors' end", func() bool { return lines(t, s.Dir+"/ran") == want })
	}
}

// Once every token from before has passed, a "not sent" makes room: for its removal, and for another start.
func TestNotSentMakesRoom(t *testing.T) {
	t.Parallel()
	s := shell(t, `echo x >>"$D/ran"`)
	old := State{Request: "r_1", Phase: NotSent, At: time.Now().Add(-TokenLife - 2*time.Second)}
	if made, err := Create(s.RunFile, old); !made || err != nil {
		t.Fatal(made, err)
	}
	if h, err := Start(t.Context(), s); err != nil || !h.First {
		t.Fatalf("%+v %v", h, err)
	}
	if st := ended(t, s.RunFile); st.Phase != Ended || lines(t, s.Dir+"/ran") != 1 {
		t.Errorf("%+v", st)
	}
	other := RunFile(filepath.Dir(s.RunFile), "r_2")
	if made, err := Create(other, old); !made || err != nil {
		t.Fatal(made, err)
	}
	if ok, err := Remove(other); !ok || err != nil {
		t.Error(ok, err)
	}
	if ok, err := Remove(other); !ok || err != nil {
		t.Error("removing twice", ok, err)
	}
}
