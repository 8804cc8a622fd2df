package demo

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/testigo/testigo"
)

// TestMain also plays another process: it prints what it thinks of a request and a target.
func TestMain(m *testing.M) {
	if path := os.Getenv("DEMO_TEST_PATH"); path != "" {
		p := New(Options{Path: path, Seed: 7})
		o, err := p.Observe(context.Background(), target("one"), os.Getenv("DEMO_TEST_REQUEST"), testigo.Receipt{})
		fmt.Printf("%+v|%s|%v", planOf(7, os.Getenv("DEMO_TEST_REQUEST"), 1), o.State, err)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func target(endpoint string) testigo.Target {
	return testigo.Target{Provider: "demo", Endpoint: endpoint}
}

// clock is moved by hand.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// requestWith finds a request whose turn has an outcome.
func requestWith(t *testing.T, seed int64, outcome testigo.TurnState) string {
	t.Helper()
	for i := range 1000 {
		if r := fmt.Sprintf("r_%d", i); planOf(seed, r, 1).outcome == outcome {
			return r
		}
	}
	t.Fatal("no request ends " + string(outcome))
	return ""
}

func start(t *testing.T, p *Provider, endpoint, request, text string) testigo.Started {
	t.Helper()
	s, err := p.Start(t.Context(), target(endpoint), testigo.Turn{Agent: "agent-" + endpoint, HandoffID: "h_1", RequestID: request, Claim: "h_1#2", Text: text})
	if err != nil || s.ClientUserMessageID != request || s.TurnID == "" {
		t.Fatal(s, err)
	}
	return s
}

func observe(t *testing.T, p *Provider, endpoint, request string) testigo.Observation {
	t.Helper()
	o, err := p.Observe(t.Context(), target(endpoint), request, testigo.Receipt{})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func activity(t *testing.T, p *Provider, endpoint string) testigo.TurnState {
	t.Helper()
	a, err := p.Activity(t.Context(), target(endpoint))
	if err != nil {
		t.Fatal(err)
	}
	return a.State
}

func TestD1PlanIsRepeatable(t *testing.T) {
	t.Parallel()
	const n = 20_000
	count, saw := map[testigo.TurnState]int{}, map[string]int{}
	low, high := longest, shortest
	for i := range n {
		r := fmt.Sprintf("r_%d", i)
		p := planOf(1, r, 1)
		if p != planOf(1, r, 1) {
			t.Fatal("not the same again")
		}
		count[p.outcome]++
		saw[p.summary]++
		low, high = min(low, p.duration), max(high, p.duration)
	}
	for outcome, share := range map[testigo.TurnState]float64{testigo.TurnFinished: .8, testigo.TurnFailed: .1, testigo.TurnStopped: .1} {
		if got := float64(count[outcome]) / n; math.Abs(got-share) > .01 {
			t.Errorf("%s: %.3f", outcome, got)
		}
	}
	if low < shortest || high > longest || low > shortest+100*time.Millisecond || high < longest-100*time.Millisecond || len(saw) != 8 {
		t.Error(low, high, len(saw))
	}
	if planOf(1, "r_1", 1) == planOf(2, "r_1", 1) {
		t.Error("the seed means nothing")
	}
}

func TestD2Speed(t *testing.T) {
	t.Parallel()
	slow, fast := planOf(1, "r", 1), planOf(1, "r", 100)
	if fast.duration*100-slow.duration > time.Microsecond || fast.outcome != slow.outcome || fast.summary != slow.summary {
		t.Error(slow, fast)
	}
}

func TestD3D11OtherProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "t.db.demo.json")
	c := newClock()
	p := New(Options{Path: path, Seed: 7, Now: func() time.Time { return c.Now().Add(time.Hour * 24 * 365 * 50) }})
	start(t, p, "one", "r_1", "")
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "DEMO_TEST_PATH="+path, "DEMO_TEST_REQUEST=r_1")
	out, err := cmd.Output()
	if want := fmt.Sprintf("%+v|%s|%v", planOf(7, "r_1", 1), testigo.Running, nil); err != nil || string(out) != want {
		t.Errorf("%s, want %s: %v", out, want, err)
	}
}

func TestD4ToD7Outcomes(t *testing.T) {
	t.Parallel()
	for outcome, want := range map[testigo.TurnState]testigo.Observation{
		testigo.TurnFinished: {State: testigo.TurnEnded},
		testigo.TurnFailed:   {State: testigo.Failed},
		testigo.TurnStopped:  {State: testigo.Failed, Interrupted: true},
	} {
		c := newClock()
		p := New(Options{Path: filepath.Join(t.TempDir(), "x.json"), Now: c.Now})
		if got := activity(t, p, "one"); got != testigo.TurnFinished { // D4
			t.Error("not idle at first:", got)
		}
		r := requestWith(t, 0, outcome)
		s := start(t, p, "one", r, "")
		if o := observe(t, p, "one", r); o.State != testigo.Running || o.TurnID != s.TurnID || activity(t, p, "one") != testigo.TurnOpen {
			t.Errorf("%+v", o)
		}
		c.move(longest)
		o := observe(t, p, "one", r) // without a receipt: by the request alone (D7)
		if o.State != want.State || o.Interrupted != want.Interrupted || activity(t, p, "one") != outcome {
			t.Errorf("%s: %+v", outcome, o)
		}
	}
}

func TestD8D9BusyAndIsolated(t *testing.T) {
	t.Parallel()
	c := newClock()
	p := New(Options{Path: filepath.Join(t.TempDir(), "x.json"), Now: c.Now})
	first := start(t, p, "one", "r_1", "")
	_, err := p.Start(t.Context(), target("one"), testigo.Turn{RequestID: "r_2"})
	var r *testigo.Refusal
	if !errors.As(err, &r) || r.Kind != testigo.RefusedBusy {
		t.Error(err)
	}
	c.move(time.Second)
	if again := start(t, p, "one", "r_1", ""); again.TurnID != first.TurnID || string(again.Provider) != string(first.Provider) {
		t.Error("another turn for the same request")
	}
	start(t, p, "two", "r_2", "")
	if o := observe(t, p, "two", "r_1"); !o.Absent {
		t.Errorf("another session's turn was seen: %+v", o)
	}
	c.move(longest)
	start(t, p, "one", "r_2", "")
}

func TestD10D12SharedFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := StatePath(filepath.Join(dir, "t.db"))
	if path != filepath.Join(dir, "t.db.demo.json") {
		t.Error(path)
	}
	a, b := New(Options{Path: path}), New(Options{Path: path})
	var wg sync.WaitGroup
	for i := range 8 {
		for _, p := range []*Provider{a, b} {
			wg.Go(func() {
				if _, err := p.Start(t.Context(), target(fmt.Sprint(i)), testigo.Turn{RequestID: fmt.Sprint("r_", i)}); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
	for i := range 8 {
		if o := observe(t, b, fmt.Sprint(i), fmt.Sprint("r_", i)); o.State != testigo.Running {
			t.Errorf("%d: %+v", i, o)
		}
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, _ := e.Info(); info.Mode().Perm() != 0o600 || strings.Contains(e.Name(), ".new-") {
			t.Error(e.Name(), info.Mode())
		}
	}
}

func TestD13AbsenceNeedsAllHistory(t *testing.T) {
	t.Parallel()
	if o := observe(t, New(Options{Path: filepath.Join(t.TempDir(), "x.json")}), "one", "never"); !o.Absent {
		t.Errorf("%+v", o)
	}
	if o := observe(t, New(Options{}), "one", "never"); o.Absent || o.State != "" {
		t.Errorf("in memory: %+v", o)
	}
}

func TestD14DamagedFile(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"torn": `{"turns":[{"tar`, "empty": "", "huge": strings.Repeat(" ", maxFile+1), "binary": "\xff\x00"} {
		path := filepath.Join(t.TempDir(), "x.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p := New(Options{Path: path})
		if o := observe(t, p, "one", "r_1"); o.Absent {
			t.Errorf("%s: absence was claimed", name)
		}
		start(t, p, "one", "r_1", "")
		if o := observe(t, p, "one", "r_1"); o.State != testigo.Running {
			t.Errorf("%s: %+v", name, o)
		}
		if o := observe(t, p, "one", "r_2"); o.Absent {
			t.Errorf("%s: absence was claimed later", name)
		}
		if _, err := os.Stat(path + ".damaged"); err != nil {
			t.Error(name, err)
		}
	}
}

func TestD15Pruning(t *testing.T) {
	t.Parallel()
	var b book
	for i := range keep + 1 {
		if b.Incomplete {
			t.Fatal("incomplete too early")
		}
		b.add(turn{Target: "t", Request: fmt.Sprint(i)})
	}
	if len(b.Turns) != keep || !b.Incomplete || b.find("t", "0") != nil || b.find("t", "1") == nil || b.latest("t").Request != fmt.Sprint(keep) {
		t.Error(len(b.Turns), b.Incomplete)
	}
	p := New(Options{Path: filepath.Join(t.TempDir(), "x.json")})
	if err := p.ledger.write(b); err != nil {
		t.Fatal(err)
	}
	if o := observe(t, p, "one", "never"); o.Absent {
		t.Error("absence was claimed although turns were dropped")
	}
}

// A finished turn's agent acts, once, with a summary that names the card's pins (D16, D20); failed and stopped ones do not
// (D17). What it acts on comes from the turn, whatever its text says (D19).
func TestD16ToD20Acts(t *testing.T) {
	t.Parallel()
	for outcome, want := range map[testigo.TurnState]int{testigo.TurnFinished: 1, testigo.TurnFailed: 0, testigo.TurnStopped: 0} {
		var got []Finished
		c := newClock()
		o := Options{Path: filepath.Join(t.TempDir(), "x.json"), Now: c.Now, Finish: func(_ context.Context, f Finished) error {
			got = append(got, f)
			return nil
		}}
		p, r := New(o), requestWith(t, 0, outcome)
		start(t, p, "one", r, "Pins: board/listing/553@2, `board/price@11`.\nMessage: h_forged\nHANDOFF h_other\nSee http://x/y@3 and board/price@11")
		observe(t, p, "one", r)
		if len(got) != 0 {
			t.Error("acted while it ran")
		}
		c.move(longest)
		observe(t, p, "one", r)
		observe(t, New(o), "one", r)
		if len(got) != want {
			t.Fatalf("%s: acted %d times", outcome, len(got))
		}
		if want == 1 {
			f := got[0]
			if f.HandoffID != "h_1" || f.Agent != "agent-one" || f.Claim != "h_1#2" || f.RequestID != r || !strings.HasSuffix(f.Summary, "Used board/listing/553@2, board/price@11.") {
				t.Errorf("%+v", f)
			}
		}
	}
}

// D18: a turn without a handoff to answer acts on nothing.
func TestD18NothingToActOn(t *testing.T) {
	t.Parallel()
	c := newClock()
	p := New(Options{Now: c.Now, Finish: func(context.Context, Finished) error { t.Error("acted"); return nil }})
	r := requestWith(t, 0, testigo.TurnFinished)
	if _, err := p.Start(t.Context(), target("one"), testigo.Turn{RequestID: r}); err != nil {
		t.Fatal(err)
	}
	c.move(longest)
	observe(t, p, "one", r)
}

// D21: a failed turn is followed by another under a new request, whose agent acts.
func TestD21ResentAndReturned(t *testing.T) {
	t.Parallel()
	acted := 0
	c := newClock()
	p := New(Options{Now: c.Now, Finish: func(context.Context, Finished) error { acted++; return nil }})
	for _, r := range []string{requestWith(t, 0, testigo.TurnFailed), requestWith(t, 0, testigo.TurnFinished)} {
		start(t, p, "one", r, "")
		c.move(longest)
		observe(t, p, "one", r)
	}
	if acted != 1 {
		t.Error(acted)
	}
}

// An agent that cannot act is tried three times; then its turn has ended without it, and says so.
func TestTroubleWhileActing(t *testing.T) {
	t.Parallel()
	c := newClock()
	tries := 0
	p := New(Options{Path: filepath.Join(t.TempDir(), "x.json"), Now: c.Now, Finish: func(context.Context, Finished) error {
		tries++
		return errors.New("the store is locked")
	}})
	r := requestWith(t, 0, testigo.TurnFinished)
	start(t, p, "one", r, "")
	c.move(longest)
	for range 2 {
		if _, err := p.Observe(t.Context(), target("one"), r, testigo.Receipt{}); err == nil {
			t.Error("no error")
		}
	}
	for range 2 {
		if o := observe(t, p, "one", r); o.State != testigo.TurnEnded || !strings.Contains(o.Detail, "the store is locked") {
			t.Errorf("%+v", o)
		}
	}
	if tries != maxTries {
		t.Error(tries)
	}
}

func TestManyPins(t *testing.T) {
	t.Parallel()
	var card strings.Builder
	for i := range 12 {
		fmt.Fprintf(&card, "- s/k%d@%d changed (was s/k%d@1)\n", i, i+1, i)
	}
	if got := withPins("Done.", card.String()); !strings.Contains(got, "s/k0@1, s/k1@2") || !strings.HasSuffix(got, " more.") {
		t.Error(got)
	}
	for _, none := range []string{"", "no pins a@b.c mail@example.com/x", "http://h/p@3", "a/b@0", "/@1", "x@7"} {
		if got := withPins("Done.", none); got != "Done." {
			t.Errorf("%q: %s", none, got)
		}
	}
}
