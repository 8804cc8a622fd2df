//go:build unix

package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/supervise"
)

// Placeholders are replaced, the run goes from running to returned, and the text file is gone afterwards.
func TestP1PlaceholdersAndLife(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	target := b.target(map[string]any{"command": []string{"/bin/sh", "-c",
		`printf '%s|' "$@" >"$3/args"; cat "$1" >"$3/text"; while [ ! -e "$3/go" ]; do sleep 0.02; done`,
		"turn", "{text_file}", "{request_id}/{endpoint}", "{cwd}", "{other} {}"}})
	if b.activity(target) != testigo.TurnFinished {
		t.Error("a new target is not idle")
	}
	if err := b.Prepare(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	if s := b.start(target, turn("r1")); s.TurnID != "run-r1" {
		t.Errorf("%+v", s)
	}
	if o := b.observe(target, "r1"); o.State != testigo.Running || o.TurnID != "run-r1" {
		t.Errorf("%+v", o)
	}
	if b.activity(target) != testigo.TurnOpen {
		t.Error("it is not open")
	}
	text := supervise.TextFile(supervise.RunFile(b.o.Runs, "r1"))
	if info, err := os.Stat(text); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	b.write("go", "", 0o600)
	if o := b.over(target, "r1"); o.State != testigo.TurnEnded {
		t.Errorf("%+v", o)
	}
	if got, want := b.read("args"), fmt.Sprintf("%s|r1/sess-1|%s|{other} {}|", text, b.dir); got != want {
		t.Errorf("%s\n%s", got, want)
	}
	if b.read("text") != "the card" {
		t.Errorf("%q", b.read("text"))
	}
	await(t, "the text file to go", func() bool { _, err := os.Stat(text); return err != nil })
	if b.activity(target) != testigo.TurnFinished {
		t.Error("it is not idle again")
	}
}

// Another exit code is a failure, with the code and the last 20 lines.
func TestP2ExitCodeAndLastLines(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	target := b.script(`i=1; while [ $i -le 30 ]; do echo "line $i"; i=$((i+1)); done; exit 7`)
	b.start(target, turn("r1"))
	o := b.over(target, "r1")
	lines := tail(t, o)
	if o.State != testigo.Failed || o.Interrupted || !strings.Contains(o.Detail, "exit code 7") || len(lines) != 20 || lines[0] != "line 11" || lines[19] != "line 30" {
		t.Errorf("%+v", o)
	}
	if b.activity(target) != testigo.TurnFailed {
		t.Error(b.activity(target))
	}
}

// The timeout interrupts; it is not the other limit, max_turn, which only tells and is the engine's (delivery.md, section 3).
func TestP3TimeoutInterrupts(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	target := b.target(map[string]any{"command": []string{"/bin/sh", "-c", `trap "" TERM; sleep 60; sleep 60`}, "timeout": 0.3})
	b.start(target, turn("r1"))
	if o := b.over(target, "r1"); o.State != testigo.Failed || !o.Interrupted || !strings.Contains(o.Detail, "too long") {
		t.Errorf("%+v", o)
	}
	if b.activity(target) != testigo.TurnStopped {
		t.Error(b.activity(target))
	}
}

// What cannot start was not sent, before and in Start; the request may be tried again.
func TestP4CannotStart(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, settings := range []map[string]any{{"command": []string{"no-such-program"}}, {"command": []string{"./missing"}}, {"command": "/etc/passwd"}} {
		target := b.target(settings)
		var r *testigo.Refusal
		if err := b.Prepare(t.Context(), target); !errors.As(err, &r) || r.Kind != testigo.NotSent {
			t.Error(err)
		}
		b.refused(target, turn("r1"), testigo.NotSent)
	}
	// A file that looks like a program and is none is found out by the gate.
	b.write("broken", "\x7fELF nonsense", 0o700)
	target := b.target(map[string]any{"command": []string{"./broken"}})
	b.refused(target, turn("r2"), testigo.NotSent)
	if o := b.observe(target, "r2"); !o.Absent || o.State != "" {
		t.Errorf("%+v", o)
	}
	if b.activity(target) != testigo.TurnFinished {
		t.Error(b.activity(target))
	}
	b.write("broken", "#!/bin/sh\nexit 0\n", 0o700)
	b.start(target, turn("r2"))
	if o := b.over(target, "r2"); o.State != testigo.TurnEnded {
		t.Errorf("%+v", o)
	}
}

// A busy target refuses, and each request runs once, whatever is asked and whenever.
func TestP5BusyAndOneRunPerRequest(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	target := b.script(`echo x >>"$2/runs"; while [ ! -e "$2/go" ]; do sleep 0.02; done`)
	first := b.start(target, turn("r1"))
	b.refused(target, turn("r2"), testigo.RefusedBusy)
	again := b.start(target, turn("r1"))
	if again.TurnID != first.TurnID {
		t.Error(again, first)
	}
	// Changed settings make another target, and the agent is busy all the same.
	other := b.script(`echo y >>"$2/runs"; # changed`)
	b.refused(other, turn("r3"), testigo.RefusedBusy)
	if _, err := os.Stat(supervise.RunFile(b.o.Runs, "r3")); err == nil {
		t.Error("a busy refusal left a run file")
	}
	b.write("go", "", 0o600)
	b.over(target, "r1")
	b.start(target, turn("r1"))
	b.over(target, "r1")
	if got := b.read("runs"); got != "x\n" {
		t.Errorf("%q", got)
	}
	b.start(target, turn("r2"))
	b.over(target, "r2")
	if got := b.read("runs"); got != "x\nx\n" {
		t.Errorf("%q", got)
	}
	// A request of one target is never another target's.
	if _, err := b.Start(t.Context(), other, turn("r1")); err == nil {
		t.Error("r1 was started for the other target too")
	}
}

// Of a run without a record nothing is claimed, neither an end nor absence.
func TestP6UnknownRun(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if o := b.observe(b.script("exit 0"), "never"); o.State != "" || o.Absent || o.Detail == "" {
		t.Errorf("%+v", o)
	}
}

// A run outlives its provider, and another provider sees it and keeps its place.
func TestP8OutlivesItsProvider(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	target := b.script(`while [ ! -e "$2/go" ]; do sleep 0.02; done`)
	b.start(target, turn("r1"))
	b.Provider = New(b.o)
	b.refused(target, turn("r2"), testigo.RefusedBusy)
	if o := b.observe(target, "r1"); o.State != testigo.Running {
		t.Errorf("%+v", o)
	}
	b.write("go", "", 0o600)
	if o := b.over(target, "r1"); o.State != testigo.TurnEnded {
		t.Errorf("%+v", o)
	}
}

// A run of another folder is found through its receipt; forged paths, other requests and other targets are not believed.
func TestP9FoundThroughTheReceipt(t *testing.T) {
	t.Parallel()
	old, b := newBench(t), newBench(t)
	target := old.script("exit 0")
	receipt := func(path string) testigo.Receipt {
		raw, _ := json.Marshal(map[string]string{"run": path})
		return testigo.Receipt{Provider: raw}
	}
	started := old.start(target, turn("r1"))
	old.over(target, "r1")
	if o, err := b.Observe(t.Context(), target, "r1", testigo.Receipt{Provider: started.Provider}); err != nil || o.State != testigo.TurnEnded {
		t.Errorf("%+v %v", o, err)
	}
	path := supervise.RunFile(old.o.Runs, "r1")
	text, _ := os.ReadFile(path)
	renamed := old.write("r2", string(text), 0o600)
	nothing, _, _ := supervise.DeclareNotSent(filepath.Join(old.dir, "elsewhere", "r3"))
	link := filepath.Join(b.dir, "r1")
	if err := os.Symlink(path, link); err != nil || !nothing {
		t.Fatal(err)
	}
	relative, _ := filepath.Rel(b.dir, path)
	for name, c := range map[string]struct {
		request string
		path    string
		target  testigo.Target
	}{
		"relative":      {"r1", relative, target},
		"other request": {"r2", renamed, target},
		"other name":    {"r3", path, target},
		"other target":  {"r1", path, b.script("exit 1")},
		"link":          {"r1", link, target},
		"not sent":      {"r3", filepath.Join(old.dir, "elsewhere", "r3"), target},
	} {
		o, err := b.Observe(t.Context(), c.target, c.request, receipt(c.path))
		if err != nil || o.State != "" || o.Absent {
			t.Errorf("%s: %+v %v", name, o, err)
		}
	}
}

// P10 as delivery.md changes it, and faults 5 and 19: a killed supervisor makes a turn interrupted only once its command is
// verified dead; until then the target stays busy, and the timeout still holds.
func TestP10Fault5KilledSupervisor(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	b := newBench(t, func(o *Options) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	})
	target := b.script(`echo x >>"$2/runs"; trap "" TERM; while :; do sleep 60; done`)
	b.start(target, turn("r1"))
	st := b.state("r1")
	await(t, "its work", func() bool { return b.read("runs") == "x\n" })
	if err := syscall.Kill(st.Supervisor.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await(t, "the orphan", func() bool { return b.state("r1").Phase == supervise.Orphaned })
	if o := b.observe(target, "r1"); o.State != testigo.Running || !strings.Contains(o.Detail, "supervisor") {
		t.Errorf("%+v", o)
	}
	b.refused(target, turn("r2"), testigo.RefusedBusy)
	ahead.Store(int64(2 * time.Hour))
	if o := b.over(target, "r1"); o.State != testigo.Failed || !o.Interrupted {
		t.Errorf("%+v", o)
	}
	await(t, "the group to be gone", func() bool { return errors.Is(syscall.Kill(-st.Command.PID, 0), syscall.ESRCH) })
	if b.activity(target) != testigo.TurnStopped {
		t.Error(b.activity(target))
	}
	b.start(target, turn("r2"))
}

// A turn knows who it is, where its store is and, for fault 21, which attempt and claim generation it is; it gets nothing else
// of the engine (fault 26's part).
func TestP11IdentityAndEnvironment(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for request, c := range map[string]struct {
		settings map[string]any
		want     []string
		not      []string
	}{
		"r1": {map[string]any{}, []string{"HOME=" + b.dir, "FROM_ENGINE=1"}, []string{"SECRET=", "EXTRA="}},
		"r2": {map[string]any{"env": []string{"EXTRA"}}, []string{"EXTRA=more"}, []string{"SECRET="}},
		"r3": {map[string]any{"inherit_env": true}, []string{"EXTRA=more", "SECRET=hidden"}, nil},
	} {
		c.settings["command"] = []string{"/bin/sh", "-c", `env >"$1"`, "turn", "{cwd}/" + request}
		in := turn(request)
		in.Agent = "worker-" + request
		in.Env = []string{"FROM_ENGINE=1", "TESTIGO_AGENT=forged"}
		target := b.target(c.settings)
		b.start(target, in)
		b.over(target, request)
		got := strings.Split(b.read(request), "\n")
		c.want = append(c.want, "TESTIGO_AGENT="+in.Agent, "HANDOFFS_AGENT="+in.Agent, "HANDOFFS_AGENT_ID="+in.Agent, "TESTIGO_DB="+b.o.DB,
			"HANDOFFS_DB="+b.o.DB, "TESTIGO_CLAIM=h_1#2", "HANDOFFS_REQUEST_ID="+request, "TESTIGO_ATTEMPT=1",
			"HANDOFFS_TEXT_FILE="+supervise.TextFile(supervise.RunFile(b.o.Runs, request)))
		for _, want := range c.want {
			if !slices.Contains(got, want) {
				t.Errorf("%s: %s is missing in %v", request, want, got)
			}
		}
		for _, not := range append(c.not, "TESTIGO_AGENT=engine", "TESTIGO_AGENT=forged", "TESTIGO_CLAIM=h_0#9") {
			if slices.ContainsFunc(got, func(kv string) bool { return strings.HasPrefix(kv, not) }) {
				t.Errorf("%s: %s is there", request, not)
			}
		}
	}
	// A turn without a claim has none, not the engine's.
	in := turn("r4")
	in.Claim = ""
	target := b.target(map[string]any{"inherit_env": true, "command": []string{"/bin/sh", "-c", `env >"$1"`, "turn", "{cwd}/r4"}})
	b.start(target, in)
	if b.over(target, "r4"); strings.Contains(b.read("r4"), "TESTIGO_CLAIM") {
		t.Error("the engine's claim was passed on")
	}
}

// A command can run the line that its card names, as the agent that it is.
func TestP12RunsItsCardsLine(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write("testigo", "#!/bin/sh\necho \"$TESTIGO_AGENT $TESTIGO_CLAIM $*\" >\""+b.dir+"/returned\"\n", 0o700)
	target := b.script(`line=$(grep '^    testigo return' "$1"); PATH="$2:$PATH" sh -c "$line"`)
	in := turn("r1")
	in.Text = "**Check it**\n\nTo answer:\n\n    testigo return h_1 --as worker --summary \"all done\"\n"
	b.start(target, in)
	b.over(target, "r1")
	if got := b.read("returned"); got != "worker h_1#2 return h_1 --as worker --summary all done\n" {
		t.Errorf("%q", got)
	}
}

// Only known placeholders are replaced, once, and nothing passes through a shell.
func TestP16OnlyKnownPlaceholders(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	target := b.target(map[string]any{"command": []string{"/bin/sh", "-c", `printf '%s\n' "$@" >args`, "turn", "{endpoint}", "{text}", "{{cwd}}", "$(id) ; `id`", "{request_id}{request_id}", "{REQUEST_ID}"}})
	target.Endpoint = "{cwd} $(touch pwned) {request_id}"
	b.start(target, turn("r1"))
	if o := b.over(target, "r1"); o.State != testigo.TurnEnded {
		t.Fatalf("%+v", o)
	}
	want := target.Endpoint + "\n{text}\n{" + b.dir + "}\n$(id) ; `id`\nr1r1\n{REQUEST_ID}\n"
	if got := b.read("args"); got != want {
		t.Errorf("%q\n%q", got, want)
	}
}

// Start after its deadline, after a declaration, or by an engine that lost its lease, starts nothing.
func TestNotStartedAnyMore(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	target := b.script(`echo x >>"$2/runs"`)
	late := turn("r1")
	late.Deadline = time.Now().Add(-time.Second)
	b.refused(target, late, testigo.NotSent)
	if ok, _, err := supervise.DeclareNotSent(supervise.RunFile(b.o.Runs, "r2")); !ok || err != nil {
		t.Fatal(err)
	}
	b.refused(target, turn("r2"), testigo.NotSent)
	if o := b.observe(target, "r2"); !o.Absent {
		t.Errorf("%+v", o)
	}
	if err := supervise.Fence(b.o.Runs, 2); err != nil {
		t.Fatal(err)
	}
	b.refused(target, turn("r3"), testigo.NotSent)
	if b.read("runs") != "" {
		t.Error("something ran")
	}
}

// Hostile commands end as what they are, and leave their target free.
func TestHostileCommands(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		state  testigo.DeliveryState
	}{
		"kills itself":       {`kill -9 $$`, testigo.Failed},
		"kills its parent":   {`kill -15 $PPID; sleep 60`, testigo.Failed},
		"removes its text":   {`rm -f "$1"`, testigo.TurnEnded},
		"binary output":      {`head -c 300000 /dev/urandom; exit 1`, testigo.Failed},
		"closes its output":  {`exec >&- 2>&-; exit 0`, testigo.TurnEnded},
		"leaves a daemon":    {`(trap "" HUP; sleep 2) & exit 0`, testigo.TurnEnded},
		"huge text on input": {`wc -c <"$1" | grep -q 5000000`, testigo.TurnEnded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			target := b.script(c.script)
			in := turn("r1")
			if name == "huge text on input" {
				in.Text = strings.Repeat("x", 5_000_000)
			}
			b.start(target, in)
			if o := b.over(target, "r1"); o.State != c.state {
				t.Errorf("%+v", o)
			}
			if b.activity(target) == testigo.TurnOpen {
				t.Error("it is still open")
			}
		})
	}
}
