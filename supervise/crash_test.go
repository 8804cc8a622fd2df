//go:build unix

package supervise

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/testigo/testigo"
)

// A supervisor that is killed at any point leaves a truth behind, and the command has run exactly as often as it says.
func TestSupervisorKilled(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for point, c := range map[string]struct {
		phase Phase
		runs  int
	}{
		"before_create": {NotSent, 0},
		"after_create":  {NotStarted, 0},
		"after_spawn":   {NotStarted, 0},
		"after_record":  {Interrupted, 0}, // nobody can know whether the gate was opened
		"running":       {Interrupted, 1},
		"before_result": {Interrupted, 1},
	} {
		for _, name := range []string{"1", "2", "3"} {
			t.Run(point+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := shell(t, `echo x >>"$D/ran"; while [ ! -e "$D/go" ]; do sleep 0.02; done`)
				s.Self = []string{exe, Command, "kill=" + point}
				if point == "before_result" {
					_ = os.WriteFile(s.Dir+"/go", nil, 0o600)
				}
				_, err := Start(t.Context(), s)
				if err != nil && point != "running" && point != "after_record" && point != "before_result" {
					t.Error(err)
				}
				if point == "running" {
					await(t, "the orphan", func() bool { st, _ := Look(s.RunFile); return st.Phase == Orphaned })
					await(t, "its work", func() bool { return lines(t, s.Dir+"/ran") == 1 })
					if ok, _ := Remove(s.RunFile); ok {
						t.Error("an orphan's file was removed")
					}
					if ok, st, err := DeclareNotSent(s.RunFile); ok || err != nil {
						t.Error("an orphan was declared not sent", st)
					}
					_ = os.WriteFile(s.Dir+"/go", nil, 0o600)
				}
				st := ended(t, s.RunFile)
				if st.Phase != c.phase || lines(t, s.Dir+"/ran") != c.runs {
					t.Errorf("%s, %d runs: %+v", st.Phase, lines(t, s.Dir+"/ran"), st)
				}
				if st.Phase != NotStarted && st.Phase != Interrupted {
					return
				}
				if ok, err := Remove(s.RunFile); !ok || err != nil {
					t.Error(ok, err)
				}
				left, _ := os.ReadDir(filepath.Dir(s.RunFile))
				if len(left) != 1 || left[0].Name() != ".lock" {
					t.Errorf("left behind: %v", left)
				}
			})
		}
	}
}

// Fault 38: an engine that is killed, with its whole process group as a terminal would, takes no turn with it, and whoever
// comes later reads the result.
func TestFault38EngineKilled(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			s := shell(t, `while [ ! -e "$D/go" ]; do sleep 0.02; done; echo survived; exit 5`)
			input, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			engine := exec.Command(os.Args[0], "engine")
			engine.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			engine.Stdin = bytes.NewReader(input)
			out, err := engine.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := engine.Start(); err != nil {
				t.Fatal(err)
			}
			line, _ := bufio.NewReader(out).ReadString('\n')
			_ = syscall.Kill(-engine.Process.Pid, sig)
			_ = engine.Wait()
			if st, err := Look(s.RunFile); err != nil || st.Phase != Running || line != "running <nil>\n" {
				t.Errorf("%q %+v %v", line, st, err)
			}
			_ = os.WriteFile(s.Dir+"/go", nil, 0o600)
			if st := ended(t, s.RunFile); st.Phase != Ended || *st.Exit != 5 || len(st.Tail) != 1 || st.Tail[0] != "survived" {
				t.Errorf("%+v", st)
			}
		})
	}
}

// Fault 5: a command whose supervisor was killed is not called interrupted while it lives; Kill ends it and what is left
// of its group.
func TestFault5OrphanIsKilledBeforeItIsDead(t *testing.T) {
	t.Parallel()
	s := shell(t, `trap "" TERM; (trap "" TERM; echo x >>"$D/child"; while :; do sleep 60; done) & while :; do sleep 60; done`)
	st := start(t, s)
	await(t, "the child", func() bool { return lines(t, s.Dir+"/child") == 1 })
	if err := syscall.Kill(st.Supervisor.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await(t, "the orphan", func() bool { st, _ := Look(s.RunFile); return st.Phase == Orphaned })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	st, err := Kill(ctx, s.RunFile)
	if err != nil || st.Phase != Interrupted || !isGone(st.Command) {
		t.Errorf("%+v %v", st, err)
	}
	await(t, "the group to be gone", func() bool {
		return errors.Is(syscall.Kill(-st.Command.PID, 0), syscall.ESRCH)
	})
}

// A supervisor that does not react is killed after two graces, and then its command.
func TestKillStuckSupervisor(t *testing.T) {
	t.Parallel()
	s := shell(t, `exec sleep 60`)
	st := start(t, s)
	if err := syscall.Kill(st.Supervisor.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if st, err := Kill(short, s.RunFile); err == nil || st.Phase != Running {
		t.Errorf("%+v %v", st, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	if st, err := Kill(ctx, s.RunFile); err != nil || st.Phase != Interrupted || !isGone(st.Command) {
		t.Errorf("%+v %v", st, err)
	}
}

// What outlives a killed leader and a killed supervisor is swept by its mark; a stranger in a group of that number is not.
func TestSweep(t *testing.T) {
	t.Parallel()
	if bootID() == "" || numberSpace() == "" {
		t.Skip("only Linux recognises what is left")
	}
	s := shell(t, `sleep 300 & echo $! >"$D/pid.new"; mv "$D/pid.new" "$D/pid"; wait`)
	st := start(t, s)
	await(t, "the child", func() bool { return lines(t, s.Dir+"/pid") == 1 })
	_ = syscall.Kill(st.Supervisor.PID, syscall.SIGKILL)
	_ = syscall.Kill(st.Command.PID, syscall.SIGKILL)
	st = ended(t, s.RunFile)
	if st.Phase != Interrupted {
		t.Fatalf("%+v", st)
	}
	stranger := st
	Sweep(s.RunFile+"-of-somebody-else", stranger)
	if err := syscall.Kill(-st.Command.PID, 0); err != nil {
		t.Error("a process with another mark was ended", err)
	}
	Sweep(s.RunFile, st)
	await(t, "the rest to be gone", func() bool { return errors.Is(syscall.Kill(-st.Command.PID, 0), syscall.ESRCH) })
}

// A supervisor that slept through its start time does not start, whoever declared what.
func TestSleptThroughTheStart(t *testing.T) {
	t.Parallel()
	exe, _ := os.Executable()
	for _, point := range []string{"before_create", "after_create", "after_spawn", "after_record"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			s := shell(t, `echo x >>"$D/ran"`)
			s.Self = []string{exe, Command, "stop=" + point}
			s.Token.Deadline = time.Now().Add(time.Second)
			ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
			defer cancel()
			h, err := Start(ctx, s)
			pid := h.State.Supervisor.PID
			switch {
			case point == "before_create" && (err != nil || h.State.Phase != NotSent):
				t.Fatalf("%+v %v", h, err)
			case point != "before_create" && (err == nil || h.State.Phase != Starting):
				t.Fatalf("%+v %v", h, err)
			}
			if pid == 0 { // it never wrote who it is
				pid = sleeper(t)
			}
			if pid == 0 {
				t.Skip("only Linux shows the sleeping supervisor")
			}
			_ = syscall.Kill(pid, syscall.SIGCONT)
			await(t, "the supervisor's end", func() bool { _, l := look(pid); return l == gone })
			if st, _ := Look(s.RunFile); !st.Phase.Unsent() || st.Command.PID != 0 || lines(t, s.Dir+"/ran") != 0 {
				t.Errorf("%+v", st)
			}
		})
	}
}

// sleeper finds a stopped child of this process.
func sleeper(t *testing.T) int {
	t.Helper()
	entries, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, e := range entries {
		b, err := os.ReadFile(e)
		if err != nil {
			continue
		}
		cmdline, _ := os.ReadFile(filepath.Dir(e) + "/cmdline")
		fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
		if len(fields) > 1 && fields[0] == "T" && fields[1] == strconv.Itoa(os.Getpid()) && strings.Contains(string(cmdline), "stop=before_create") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(e)))
			return pid
		}
	}
	return 0
}

// Tokens end with their deadline, their boot, their lease and a clock that goes backwards.
func TestToken(t *testing.T) {
	t.Parallel()
	runs := filepath.Join(t.TempDir(), "runs")
	if err := Fence(runs, 7); err != nil {
		t.Fatal(err)
	}
	if err := Fence(runs, 5); err != nil || fence(runs) != 7 {
		t.Error("a fence was lowered", err, fence(runs))
	}
	now := time.Now()
	good := Token{Lease: 7, Issued: now, Deadline: now.Add(time.Second), Boot: here()}
	if why := good.passed(now, runs); why != "" {
		t.Error(why)
	}
	for word, bad := range map[string]Token{
		"until":      {Lease: 7, Issued: now, Deadline: now, Boot: here()},
		"clock":      {Lease: 7, Issued: now.Add(time.Minute), Deadline: now.Add(time.Hour), Boot: here()},
		"boot":       {Lease: 7, Issued: now, Deadline: now.Add(time.Second), Boot: "x/y/z"},
		"generation": {Lease: 6, Issued: now, Deadline: now.Add(time.Second), Boot: here()},
	} {
		if why := bad.passed(now, runs); !strings.Contains(why, word) {
			t.Errorf("%s: %q", word, why)
		}
	}
	s := shell(t, "exit 0")
	s.Token.Deadline = now.Add(-time.Second)
	if _, err := Start(t.Context(), s); !errors.Is(err, ErrTooLate) {
		t.Error(err)
	}
	if _, err := Look(s.RunFile); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a start that came too late left a file", err)
	}
}

// Processes are told apart by number, start time and boot; what cannot be told is not guessed.
func TestLife(t *testing.T) {
	t.Parallel()
	self := describe(os.Getpid())
	parts := strings.Split(self.Boot, "/")
	with := func(change func(*testigo.Process)) testigo.Process { p := self; change(&p); return p }
	for name, c := range map[string]struct {
		p    testigo.Process
		want life
	}{
		"self":            {self, alive},
		"number reused":   {with(func(p *testigo.Process) { p.Started = "1" }), gone},
		"after a restart": {with(func(p *testigo.Process) { p.Boot = "b/" + parts[1] + "/" + parts[2] }), gone},
		"other machine":   {with(func(p *testigo.Process) { p.Boot = "b/m/" + parts[2] }), unknown},
		"other container": {with(func(p *testigo.Process) { p.Boot = parts[0] + "/m/4" }), unknown},
		"no number":       {testigo.Process{}, unknown},
		"no boot":         {with(func(p *testigo.Process) { p.Boot = "" }), unknown},
	} {
		if got := lifeOf(c.p); got != c.want {
			t.Errorf("%s: %d", name, got)
		}
	}
}

// Run files that are damaged, huge, or links are errors or unclear, never "nothing was sent".
func TestBadRunFiles(t *testing.T) {
	t.Parallel()
	runs := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(runs, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	target := write("target", `{"phase":"ended"}`)
	link := filepath.Join(runs, "link")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{write("torn", `{"phase":"run`), write("huge", strings.Repeat(" ", maxState+1)), link, write("empty", "")} {
		st, err := Look(path)
		if err == nil && st.Phase != Unclear {
			t.Errorf("%s: %+v", path, st)
		}
		if ok, _, _ := DeclareNotSent(path); ok {
			t.Errorf("%s was declared not sent", path)
		}
		if ok, _ := Remove(path); ok {
			t.Errorf("%s was removed", path)
		}
	}
	for id, want := range map[string]string{"r_1-a.b": "r_1-a.b", "../x": "", ".hidden": "", "": "", strings.Repeat("a", 101): "", "a/b": ""} {
		if base := filepath.Base(RunFile(runs, id)); want != "" && base != want || want == "" && (len(base) != 65 || base[0] != 'x') {
			t.Errorf("%q: %s", id, base)
		}
	}
	if files, err := List(runs); err != nil || len(files) != 4 {
		t.Error(files, err)
	}
}

// A turn inherits what programs need and nothing of the engine's identity.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	engine := []string{"HOME=/h", "LC_TIME=C", "XDG_DATA_HOME=/x", "HTTPS_PROXY=p", "SECRET=s", "TESTIGO_AGENT=engine", "HANDOFFS_DB=e", "TESTIGO_URL=u", "bad", "=x", "EXTRA=1"}
	for _, c := range []struct {
		named []string
		all   bool
		want  string
	}{
		{nil, false, "HOME=/h LC_TIME=C XDG_DATA_HOME=/x HTTPS_PROXY=p TESTIGO_AGENT=worker"},
		{[]string{"EXTRA", "TESTIGO_URL"}, false, "HOME=/h LC_TIME=C XDG_DATA_HOME=/x HTTPS_PROXY=p TESTIGO_URL=u EXTRA=1 TESTIGO_AGENT=worker"},
		{[]string{"TESTIGO_AGENT"}, true, "HOME=/h LC_TIME=C XDG_DATA_HOME=/x HTTPS_PROXY=p SECRET=s TESTIGO_AGENT=worker EXTRA=1"},
	} {
		if got := strings.Join(Environment(engine, c.named, c.all, "TESTIGO_AGENT=worker"), " "); got != c.want {
			t.Errorf("%v %t:\n%s\n%s", c.named, c.all, got, c.want)
		}
	}
}
