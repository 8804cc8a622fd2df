package contention

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
	"github.com/testigo/testigo/sqlite"
)

const (
	envStore = "CONTENTION_STORE"
	envName  = "CONTENTION_NAME"
	envTime  = "CONTENTION_MS"
)

func TestMain(m *testing.M) {
	if store := os.Getenv(envStore); store != "" {
		if err := child(store); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// report is what one process did.
type report struct {
	Writes  int           `json:"writes"`
	Slowest time.Duration `json:"slowest"`
}

// child writes as fast as it can: one fact of its own, one that all processes share.
func child(path string) error {
	ctx := context.Background()
	store, err := sqlite.Open(ctx, path, sqlite.Options{Create: true})
	if err != nil {
		return err
	}
	defer store.Close()
	ms, err := strconv.Atoi(os.Getenv(envTime))
	if err != nil {
		return err
	}
	m := memory.New(store)
	c := memory.Caller{Agent: os.Getenv(envName), Session: os.Getenv(envName), Seen: &memory.Seen{}}
	var rep report
	for end := time.Now().Add(time.Duration(ms) * time.Millisecond); time.Now().Before(end); rep.Writes++ {
		key := "shared/counter"
		if rep.Writes%2 == 0 {
			key = "own/" + c.Agent
		}
		start := time.Now()
		_, err := m.Remember(ctx, c, memory.RememberParams{Key: key, Value: json.RawMessage(fmt.Sprintf(`"%s %d"`, c.Agent, rep.Writes))})
		if err != nil {
			return err
		}
		rep.Slowest = max(rep.Slowest, time.Since(start))
	}
	return json.NewEncoder(os.Stdout).Encode(rep)
}

// C02, C07, C08: sixteen processes open a store that does not exist yet and write for two seconds. Every write succeeds,
// every one is there, and the versions of the shared fact are numbered without a gap.
func TestSixteenProcesses(t *testing.T) {
	run := 2 * time.Second
	if os.Getenv("SOAK") != "" {
		run = time.Hour
	}
	const processes = 16
	path := filepath.Join(t.TempDir(), "testigo.db")
	reports := make([]report, processes)
	var wg sync.WaitGroup
	for i := range processes {
		wg.Add(1)
		go func() {
			defer wg.Done()
			reports[i] = start(t, path, i, run)
		}()
	}
	wg.Wait()
	total, least, most, slowest := 0, reports[0].Writes, 0, time.Duration(0)
	for _, r := range reports {
		total, least, most, slowest = total+r.Writes, min(least, r.Writes), max(most, r.Writes), max(slowest, r.Slowest)
	}
	check(t, path, total)
	if least == 0 {
		t.Error("a process wrote nothing")
	}
	fmt.Printf("contention: %d processes, %d writes, slowest write %v, least/most %.2f\n", processes, total, slowest.Round(time.Millisecond), float64(least)/float64(most))
}

func start(t *testing.T, path string, i int, run time.Duration) (rep report) {
	exe, err := os.Executable()
	if err != nil {
		t.Error(err)
		return rep
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), envStore+"="+path, envName+"="+fmt.Sprint("p", i), envTime+"="+fmt.Sprint(run.Milliseconds()))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("process %d: %v: %s", i, err, stderr.String())
		return rep
	}
	if err := json.Unmarshal(out, &rep); err != nil {
		t.Errorf("process %d said %q", i, out)
	}
	return rep
}

func check(t *testing.T, path string, writes int) {
	t.Helper()
	ctx := context.Background()
	store, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	v, err := memory.New(store).Verify(ctx, nil)
	if err != nil || !v.OK || v.Versions != int64(writes) {
		t.Fatalf("%d writes were acknowledged; %+v %v", writes, v, err)
	}
}

// C10: while somebody holds the store, a writer waits, then says who it is; it recovers by itself.
func TestHeldStoreC10(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "testigo.db")
	holder, err := sqlite.Open(ctx, path, sqlite.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	waiter, err := sqlite.Open(ctx, path, sqlite.Options{LockWait: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer waiter.Close()
	inside, leave := make(chan struct{}), make(chan struct{})
	held := make(chan error, 1)
	go func() {
		held <- holder.Write(ctx, func(testigo.Tx) error { close(inside); <-leave; return nil })
	}()
	<-inside
	err = waiter.Write(ctx, func(testigo.Tx) error { return errors.New("got in") })
	if testigo.CodeOf(err) != testigo.CodeLocked {
		t.Errorf("got %v", err)
	}
	if want := strconv.Itoa(os.Getpid()); !bytes.Contains([]byte(err.Error()), []byte(want)) {
		t.Errorf("%q does not name the holder %s", err, want)
	}
	close(leave)
	if err := <-held; err != nil {
		t.Fatal(err)
	}
	if err := waiter.Write(ctx, func(tx testigo.Tx) error { tx.NextSeq(); return nil }); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// C06: the index is rebuilt while others write. Nobody is refused, nothing is lost, and no fact gets another name or number.
func TestReindexUnderTrafficC06(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "testigo.db")
	store, err := sqlite.Open(ctx, path, sqlite.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	other, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	const writers, each = 10, 20
	var wg sync.WaitGroup
	for i := range writers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			m := memory.New(store)
			for n := range each {
				c := memory.Caller{Agent: fmt.Sprint("w", i), Session: "s"}
				res, err := m.Remember(ctx, c, memory.RememberParams{Key: fmt.Sprintf("own/%d", i), Value: json.RawMessage(strconv.Itoa(n))})
				if err != nil || res.Version != n+1 {
					t.Errorf("write %d of %d: %+v %v", n, i, res, err)
				}
			}
		}()
	}
	for range 5 {
		if err := other.Reindex(ctx); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
	check(t, path, writers*each)
}
