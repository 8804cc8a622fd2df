package crash

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
	"github.com/testigo/testigo/sqlite"
)

// Environment of a child: the store, its name, the point to die at, and how many times the point is passed alive first.
const (
	envStore = "CRASH_STORE"
	envName  = "CRASH_NAME"
	envPoint = "CRASH_POINT"
	envAfter = "CRASH_AFTER"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == sqlite.ScanCommand {
		os.Exit(sqlite.ScanFilesMain(os.Args[2:], os.Stdin))
	}
	if store := os.Getenv(envStore); store != "" {
		if err := child(store); err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// dieAt returns a fault point that kills this process when a named point is passed for the nth time. SIGKILL leaves no
// chance to any deferred work.
func dieAt(point string, after int) func(string) {
	passed := 0
	return func(name string) {
		if name != point {
			return
		}
		if passed++; passed > after {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // the signal is on its way
		}
	}
}

// child works until it is killed or its input ends. Every line it prints is an answer it got: what stands there was
// acknowledged.
func child(path string) error {
	ctx := context.Background()
	after, _ := strconv.Atoi(os.Getenv(envAfter))
	store, err := sqlite.Open(ctx, path, sqlite.Options{Create: true, FaultPoint: dieAt(os.Getenv(envPoint), after)})
	if err != nil {
		return err
	}
	w := &worker{mem: memory.New(store), out: bufio.NewWriter(os.Stdout), name: os.Getenv(envName)}
	w.ho = handoff.New(w.mem)
	w.caller = memory.Caller{Agent: "worker-" + w.name, Session: "s-" + w.name, Seen: &memory.Seen{}}
	if err := w.mem.Register(ctx, w.caller); err != nil {
		return err
	}
	w.ack("open", filepath.Base(path), 0)
	for i := 0; ; i++ {
		if err := w.round(ctx, i); err != nil {
			return err
		}
	}
}

type worker struct {
	mem    *memory.Service
	ho     *handoff.Service
	caller memory.Caller
	out    *bufio.Writer
	name   string
}

// ack tells the parent, through a pipe that survives this process.
func (w *worker) ack(what, id string, n int) {
	fmt.Fprintf(w.out, "%s %s %d\n", what, id, n)
	_ = w.out.Flush()
}

// round is one lap of work: two facts, a packet, a claim, a report.
func (w *worker) round(ctx context.Context, i int) error {
	private := fmt.Sprintf("own/%s/%d", w.name, i)
	for _, name := range []string{"shared/counter", private} {
		v, err := json.Marshal(fmt.Sprintf("%s writes %d %s", w.name, i, strings.Repeat("text ", 40)))
		if err != nil {
			return err
		}
		res, err := w.mem.Remember(ctx, w.caller, memory.RememberParams{Key: name, Value: v, RequestKey: fmt.Sprint(name, i)})
		if err != nil {
			return err
		}
		w.ack("fact", name, res.Version)
	}
	ref, err := testigo.ParseRef(private)
	if err != nil {
		return err
	}
	h, err := w.ho.Handoff(ctx, w.caller, handoff.Params{Title: fmt.Sprint("packet ", i), Summary: "work", Refs: []testigo.Ref{ref}, AllowRepeat: true})
	if err != nil {
		return err
	}
	w.ack("packet", h.ID, 0)
	other := memory.Caller{Agent: "reader-" + w.name, Session: fmt.Sprintf("r-%s-%d", w.name, i), Seen: &memory.Seen{}}
	got, err := w.ho.Resume(ctx, other, handoff.ResumeParams{})
	if err != nil || got.Packet == nil {
		return err
	}
	w.ack("claim", got.Packet.ID, got.Packet.Holder.Generation)
	_, err = w.ho.RecordOutcome(ctx, other, handoff.OutcomeParams{Outcome: testigo.Success, OutcomeRef: fmt.Sprint("run ", i), HandoffID: got.Packet.ID})
	if err != nil {
		return err
	}
	w.ack("closed", got.Packet.ID, 0)
	return nil
}
