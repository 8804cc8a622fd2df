//go:build unix

package command

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/supervise"
)

// TestMain also plays the supervisor and the gate.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == supervise.Command {
		os.Exit(supervise.Main(os.Args[2:], os.Stdin))
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

// bench is a provider with a folder of its own.
type bench struct {
	*testing.T
	*Provider
	dir string
}

func newBench(t *testing.T, change ...func(*Options)) *bench {
	t.Helper()
	dir := t.TempDir()
	o := Options{
		Runs: filepath.Join(dir, "t.db.runs"), DB: filepath.Join(dir, "t.db"),
		Environ: []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "SECRET=hidden", "EXTRA=more", "TESTIGO_AGENT=engine", "TESTIGO_CLAIM=h_0#9"},
		Grace:   300 * time.Millisecond, Drain: 100 * time.Millisecond,
	}
	for _, c := range change {
		c(&o)
	}
	b := &bench{t, New(o), dir}
	t.Cleanup(b.clear)
	return b
}

// clear ends what a failed test left running.
func (b *bench) clear() {
	files, _ := supervise.List(b.o.Runs)
	for _, f := range files {
		if st, err := supervise.Look(f); err == nil && st.Phase.Open() {
			_ = syscall.Kill(st.Supervisor.PID, syscall.SIGKILL)
			if st.Command.PID > 0 {
				_ = syscall.Kill(-st.Command.PID, syscall.SIGKILL)
			}
		}
	}
}

func (b *bench) target(settings map[string]any) testigo.Target {
	b.Helper()
	raw, err := json.Marshal(settings)
	if err != nil {
		b.Fatal(err)
	}
	return testigo.Target{Provider: "command", Endpoint: "sess-1", Cwd: b.dir, Settings: raw}
}

// script is a target that runs shell text, with $1 the text file and $2 the folder of the test.
func (b *bench) script(text string) testigo.Target {
	return b.target(map[string]any{"command": []string{"/bin/sh", "-c", text, "turn", "{text_file}", "{cwd}"}})
}

func turn(request string) testigo.Turn {
	return testigo.Turn{Agent: "worker", HandoffID: "h_1", RequestID: request, Attempt: 1, Claim: "h_1#2", Text: "the card", Deadline: time.Now().Add(10 * time.Second), Lease: 1}
}

func (b *bench) start(t testigo.Target, in testigo.Turn) testigo.Started {
	b.Helper()
	s, err := b.Start(b.Context(), t, in)
	if err != nil {
		b.Fatal(err)
	}
	if s.ClientUserMessageID != in.RequestID || s.TurnID == "" || s.NoEnd && strings.HasPrefix(s.TurnID, "run-") {
		b.Fatalf("%+v", s)
	}
	return s
}

func (b *bench) observe(t testigo.Target, request string) testigo.Observation {
	b.Helper()
	o, err := b.Observe(b.Context(), t, request, testigo.Receipt{})
	if err != nil {
		b.Fatal(err)
	}
	return o
}

// over waits for a turn's end.
func (b *bench) over(t testigo.Target, request string) testigo.Observation {
	b.Helper()
	var o testigo.Observation
	await(b.T, "the end of "+request, func() bool {
		o = b.observe(t, request)
		return o.State == testigo.TurnEnded || o.State == testigo.Failed || o.Absent
	})
	return o
}

func (b *bench) activity(t testigo.Target) testigo.TurnState {
	b.Helper()
	a, err := b.Activity(b.Context(), t)
	if err != nil {
		b.Fatal(err)
	}
	return a.State
}

func (b *bench) state(request string) supervise.State {
	b.Helper()
	st, err := supervise.Look(supervise.RunFile(b.o.Runs, request))
	if err != nil {
		b.Fatal(err)
	}
	return st
}

func (b *bench) refused(t testigo.Target, in testigo.Turn, kind testigo.RefusalKind) *testigo.Refusal {
	b.Helper()
	_, err := b.Start(b.Context(), t, in)
	var r *testigo.Refusal
	if !errors.As(err, &r) || r.Kind != kind || r.Why == "" {
		b.Fatalf("want %s, got %v (%T)", kind, err, err)
	}
	return r
}

func (b *bench) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(b.dir, name))
	return string(text)
}

func (b *bench) write(name, text string, mode os.FileMode) string {
	b.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		b.Fatal(err)
	}
	return path
}

// tail is the output that an observation carries.
func tail(t *testing.T, o testigo.Observation) []string {
	t.Helper()
	var e struct {
		Tail []string `json:"outputTail"`
	}
	if err := json.Unmarshal(o.Provider, &e); err != nil {
		t.Fatal(err)
	}
	return e.Tail
}
