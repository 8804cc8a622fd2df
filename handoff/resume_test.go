package handoff_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
)

// The pinned value arrives, the newer one does not: the reader is told who changed it, and when.
func TestResumeTellsWhatMoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b, c := w.agent("scout", "s1"), w.agent("executor", "s2"), w.agent("third", "s3")
	w.remember(a, "x/still", `"still"`)
	w.remember(a, "x/moved", `"old"`)
	w.remember(a, "x/back", `"same"`)
	w.handoff(a, handoff.Params{ToAgent: "executor", NextSteps: []string{"do it"}, OpenQuestions: []string{"why?"}, Tried: []string{"that"}})
	w.now = w.now.Add(time.Hour)
	w.remember(c, "x/moved", `"new secret plan"`)
	w.remember(c, "x/back", `"other"`)
	w.remember(c, "x/back", `"same"`)
	res := w.resume(b, handoff.ResumeParams{})
	p := res.Packet
	if p == nil || p.PinsTotal != 3 || p.Stale != 2 || res.Claim != p.ID+"#1" || res.AlreadyYours {
		t.Fatalf("%+v", res)
	}
	want := map[string]string{"x/still": "", "x/moved": "changed", "x/back": "same value confirmed anew"}
	for _, pin := range p.Pins {
		if pin.Change != want[pin.Name] || pin.Stale != (want[pin.Name] != "") {
			t.Errorf("%+v", pin)
		}
		if pin.Stale && (pin.ChangedBy != "third" || !pin.ChangedAt.Equal(w.now) || pin.CurrentVersion < 2) {
			t.Errorf("%+v", pin)
		}
	}
	b2, _ := json.Marshal(res)
	if strings.Contains(string(b2), "secret plan") {
		t.Error("the newer value came along")
	}
	if !strings.Contains(string(b2), `"value":"old"`) {
		t.Errorf("the pinned value is missing: %s", b2)
	}
	if p.NextSteps[0] != "do it" || p.OpenQuestions[0] != "why?" || p.Tried[0] != "that" {
		t.Errorf("%+v", p)
	}
}

// Two agents resuming at once never get the same packet.
func TestOnePacketOneHolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout", "s0")
	const packets, takers = 10, 16
	for i := range packets {
		w.handoff(a, handoff.Params{Title: fmt.Sprint("packet ", i)})
	}
	callers := make([]memory.Caller, takers)
	for i := range callers {
		callers[i] = w.agent("worker", fmt.Sprint("t", i))
	}
	got := make([]string, takers)
	var wg sync.WaitGroup
	for i := range callers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			res, err := w.svc.Resume(w.ctx, callers[i], handoff.ResumeParams{})
			if err != nil {
				t.Error(err)
				return
			}
			if res.Packet != nil {
				got[i] = res.Packet.ID
			}
		}()
	}
	wg.Wait()
	seen := map[string]bool{}
	for _, id := range got {
		if id == "" {
			continue
		}
		if seen[id] {
			t.Errorf("%s was given twice", id)
		}
		seen[id] = true
	}
	if len(seen) != packets {
		t.Errorf("%d of %d packets were given", len(seen), packets)
	}
}

func TestResumeOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s1"), w.agent("worker", "s2")
	open := w.handoff(a, handoff.Params{Title: "for anyone"})
	mine := w.handoff(a, handoff.Params{Title: "for worker", ToAgent: "worker"})
	w.handoff(a, handoff.Params{Title: "elsewhere", Project: "other"})
	w.handoff(a, handoff.Params{Title: "not mine", ToAgent: "scout"})
	first := w.resume(b, handoff.ResumeParams{})
	if first.Packet.ID != mine.ID || first.Waiting != 1 || first.Others != 2 {
		t.Errorf("addressed first: %+v", first)
	}
	again := w.resume(b, handoff.ResumeParams{})
	if !again.AlreadyYours || again.Packet.ID != mine.ID || again.Claim != mine.ID+"#1" {
		t.Errorf("resuming again gives the same claim: %+v", again)
	}
	second := w.resume(b, handoff.ResumeParams{HandoffID: open.ID[:8]})
	if second.Packet.ID != open.ID {
		t.Errorf("%+v", second)
	}
	third := w.resume(w.agent("worker", "s9"), handoff.ResumeParams{})
	if third.Packet != nil || third.Others != 2 || third.Waiting != 0 || !strings.HasPrefix(third.Summary, "nothing is waiting for worker outside any project") {
		t.Errorf("an unaddressed packet is claimed only in its project: %+v", third)
	}
	if got := w.resume(b, handoff.ResumeParams{Project: "other", FromAgent: "scout"}); got.Packet == nil || got.Packet.Title != "elsewhere" {
		t.Errorf("%+v", got)
	}
}

// Nothing of other agents' packets leaks but their number.
func TestForeignPacketsAreOnlyCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s1"), w.agent("spy", "s2")
	h := w.handoff(a, handoff.Params{Title: "private plans", ToAgent: "scout"})
	for _, p := range []handoff.ResumeParams{{}, {Peek: true}} {
		res := w.resume(b, p)
		out, _ := json.Marshal(res)
		if res.Others != 1 || strings.Contains(string(out), h.ID) || strings.Contains(string(out), "private") {
			t.Errorf("%s", out)
		}
	}
	_, known := w.svc.Resume(w.ctx, b, handoff.ResumeParams{HandoffID: h.ID})
	_, unknown := w.svc.Resume(w.ctx, b, handoff.ResumeParams{HandoffID: "h_00000000"})
	if strings.ReplaceAll(known.Error(), h.ID, "ID") != strings.ReplaceAll(unknown.Error(), "h_00000000", "ID") {
		t.Errorf("foreign and unknown differ: %v / %v", known, unknown)
	}
}

// D20: showing is not taking.
func TestPeekTakesNothingD20(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s1"), w.agent("worker", "s2")
	h := w.handoff(a, handoff.Params{Title: "for worker", ToAgent: "worker"})
	for range 3 {
		res := w.resume(b, handoff.ResumeParams{Peek: true})
		if len(res.Queue) != 1 || res.Queue[0].ID != h.ID || res.Queue[0].Age != "just now" || res.Claim != "" {
			t.Fatalf("%+v", res)
		}
	}
	shown := w.resume(b, handoff.ResumeParams{Peek: true, HandoffID: h.ID})
	if shown.Packet.State != testigo.Open || shown.Claim != "" {
		t.Errorf("%+v", shown)
	}
	if taken := w.resume(b, handoff.ResumeParams{}); taken.Packet.ID != h.ID {
		t.Errorf("%+v", taken)
	}
}

// I05, C16: a holder whose process ended is replaced at once with a higher generation, and the old one is refused, naming
// the new holder.
func TestTakeoverI05C16(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent("worker", "s8")
	a := w.agent("scout", "s0")
	h := w.handoff(a, handoff.Params{ToAgent: "worker"})
	old := w.agent("worker", "s1")
	old.Process = testigo.Process{PID: 41, Started: "x", Boot: "b"}
	if res := w.resume(old, handoff.ResumeParams{}); res.Claim != h.ID+"#1" {
		t.Fatalf("%+v", res)
	}
	next := w.agent("worker", "s2")
	if res := w.resume(next, handoff.ResumeParams{}); res.Packet != nil {
		t.Fatal("a live holder was robbed")
	}
	_, err := w.svc.Resume(w.ctx, next, handoff.ResumeParams{HandoffID: h.ID})
	wantCode(t, err, testigo.CodeConflict, "")
	w.dead[41] = true
	if res := w.resume(next, handoff.ResumeParams{}); res.Claim != h.ID+"#2" || res.AlreadyYours {
		t.Fatalf("%+v", res)
	}
	for _, id := range []string{h.ID, h.ID + "#1"} {
		_, err = w.svc.RecordOutcome(w.ctx, old, handoff.OutcomeParams{Outcome: testigo.Success, OutcomeRef: "r", HandoffID: id, Refs: []testigo.Ref{}})
		if e := wantCode(t, err, testigo.CodeGone, ""); !strings.Contains(e.Msg, "worker (claim #2") {
			t.Errorf("%v", e)
		}
	}
	_, err = w.svc.Resume(w.ctx, old, handoff.ResumeParams{PutBack: true, HandoffID: h.ID})
	wantCode(t, err, testigo.CodeGone, "")
	log, err := w.svc.Log(w.ctx, a, h.ID)
	if err != nil || len(log.Events) != 3 || log.Events[2].Kind != "taken_over" {
		t.Errorf("%+v %v", log, err)
	}
}

// C17, C12: the lease ends exactly at two hours; nobody took it, so its holder goes on with the next generation.
func TestLapseC17C12(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent("worker", "s8")
	a := w.agent("scout", "s0")
	h := w.handoff(a, handoff.Params{ToAgent: "worker"})
	one, two := w.agent("worker", "s1"), w.agent("worker", "s2")
	w.resume(one, handoff.ResumeParams{})
	w.now = w.now.Add(testigo.ClaimLapse - time.Millisecond)
	if res := w.resume(two, handoff.ResumeParams{}); res.Packet != nil {
		t.Fatal("taken before it lapsed")
	}
	w.now = w.now.Add(time.Millisecond)
	if res := w.resume(one, handoff.ResumeParams{}); res.Claim != h.ID+"#2" || !res.AlreadyYours {
		t.Fatalf("%+v", res)
	}
	w.now = w.now.Add(testigo.ClaimLapse)
	if res := w.resume(two, handoff.ResumeParams{}); res.Claim != h.ID+"#3" {
		t.Fatalf("%+v", res)
	}
	_, err := w.svc.RecordOutcome(w.ctx, one, handoff.OutcomeParams{Outcome: testigo.Success, OutcomeRef: "r", HandoffID: h.ID, Refs: []testigo.Ref{}})
	wantCode(t, err, testigo.CodeGone, "")
}

// A holder's other calls keep its claim alive.
func TestRenew(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent("worker", "s8")
	h := w.handoff(w.agent("scout", "s0"), handoff.Params{ToAgent: "worker"})
	one := w.agent("worker", "s1")
	w.resume(one, handoff.ResumeParams{})
	for range 5 {
		w.now = w.now.Add(time.Hour)
		if err := w.svc.Renew(w.ctx, one); err != nil {
			t.Fatal(err)
		}
	}
	if res := w.resume(one, handoff.ResumeParams{}); res.Claim != h.ID+"#1" {
		t.Errorf("%+v", res)
	}
}

func TestPutBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent("worker", "s8")
	h := w.handoff(w.agent("scout", "s0"), handoff.Params{ToAgent: "worker"})
	one, two := w.agent("worker", "s1"), w.agent("worker", "s2")
	_, err := w.svc.Resume(w.ctx, one, handoff.ResumeParams{PutBack: true})
	wantCode(t, err, testigo.CodeRefused, "")
	w.resume(one, handoff.ResumeParams{})
	if res := w.resume(one, handoff.ResumeParams{PutBack: true}); !strings.Contains(res.Summary, h.ID) {
		t.Errorf("%+v", res)
	}
	if res := w.resume(two, handoff.ResumeParams{}); res.Claim != h.ID+"#2" {
		t.Errorf("the generation survives a put-back: %+v", res)
	}
}

// An expired packet is not given, and is counted, without title or id.
func TestExpiry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s0"), w.agent("worker", "s1")
	h := w.handoff(a, handoff.Params{ToAgent: "worker", ExpiresAt: w.now.Add(time.Hour).Format(time.RFC3339)})
	keep := w.handoff(a, handoff.Params{Title: "keep", ToAgent: "worker", ExpiresAt: w.now.Add(3 * time.Hour).Format(time.RFC3339)})
	w.now = w.now.Add(time.Hour)
	if res := w.resume(b, handoff.ResumeParams{Peek: true}); len(res.Queue) != 1 || res.Queue[0].ID != keep.ID {
		t.Errorf("%+v", res.Queue)
	}
	_, err := w.svc.Resume(w.ctx, b, handoff.ResumeParams{HandoffID: h.ID})
	wantCode(t, err, testigo.CodeGone, "")
	if res := w.resume(b, handoff.ResumeParams{}); res.Packet.ID != keep.ID || res.Expired != 1 {
		t.Errorf("%+v", res)
	}
}

// E01, E10: however large a packet is, one answer stays under 8 KB and the rest can be read to the end.
func TestLargePacketE01E10(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout", "s0")
	var all []string
	for i := range 120 {
		name := fmt.Sprintf("bulk/%03d", i)
		v, _ := json.Marshal(strings.Repeat("v", 900))
		w.remember(a, name, string(v))
		all = append(all, name)
	}
	long := func(what string) []string {
		out := make([]string, testigo.MaxItems)
		for i := range out {
			out[i] = fmt.Sprintf("%s %02d %s", what, i, strings.Repeat("x", 1500))
		}
		return out
	}
	h := w.handoff(a, handoff.Params{Summary: strings.Repeat("word ", 3900), NextSteps: long("step"), OpenQuestions: long("question"), Tried: long("tried"), Refs: refs(t, all...)})
	b := w.agent("worker", "s1")
	b.Budget = 7000
	steps, questions, tried, pins, values, summary := 0, 0, 0, 0, 0, ""
	for p := (handoff.ResumeParams{}); ; {
		res := w.resume(b, p)
		if out, _ := json.Marshal(res); len(out) > 8192 {
			t.Fatalf("an answer of %d bytes", len(out))
		}
		steps, questions, tried = steps+len(res.Packet.NextSteps), questions+len(res.Packet.OpenQuestions), tried+len(res.Packet.Tried)
		pins, values, summary = pins+len(res.Packet.Pins), values+len(res.Packet.Values), summary+res.Packet.Summary
		if res.Cursor == "" {
			break
		}
		p = handoff.ResumeParams{HandoffID: h.ID, Cursor: res.Cursor}
	}
	if steps != 50 || questions != 50 || tried != 50 || pins != 120 || values != 120 || summary != strings.TrimSpace(strings.Repeat("word ", 3900)) {
		t.Errorf("read %d steps, %d questions, %d tried, %d pins, %d values, %d bytes of summary", steps, questions, tried, pins, values, len(summary))
	}
	_, err := w.svc.Resume(w.ctx, b, handoff.ResumeParams{HandoffID: h.ID, Cursor: "h_00000000:3"})
	wantCode(t, err, testigo.CodeInvalid, "cursor")
}

func TestResumeBadInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout", "s0")
	for field, p := range map[string]handoff.ResumeParams{
		"handoff_id": {HandoffID: "h 1"}, "from_agent": {FromAgent: "a b"}, "put_back": {Peek: true, PutBack: true},
		"max_chars": {MaxChars: -1}, "cwd": {Cwd: "relative/dir"}, "project": {Project: "\u202e"}, "cursor": {Peek: true, Cursor: "x"},
	} {
		_, err := w.svc.Resume(w.ctx, a, p)
		wantCode(t, err, testigo.CodeInvalid, field)
	}
}

// C04: a handoff is named by its id or a unique beginning of it, never by a place in a list.
func TestNoPositionalHandlesC04(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s0"), w.agent("worker", "s1")
	h := w.handoff(a, handoff.Params{ToAgent: "worker"})
	for _, id := range []string{"0", "1", "2", h.ID[:7]} {
		_, err := w.svc.Resume(w.ctx, b, handoff.ResumeParams{HandoffID: id})
		wantCode(t, err, testigo.CodeNotFound, "handoff_id")
	}
}

// C11: a claim keeps its deadline whatever else restarts.
func TestClaimSurvivesRestartC11(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent("worker", "s8")
	h := w.handoff(w.agent("scout", "s0"), handoff.Params{ToAgent: "worker"})
	one := w.agent("worker", "s1")
	w.resume(one, handoff.ResumeParams{})
	w.now = w.now.Add(50 * time.Minute)
	again := handoff.New(memory.New(w.store).WithClock(func() time.Time { return w.now })) // another process
	res, err := again.Resume(w.ctx, w.agent("worker", "s2"), handoff.ResumeParams{})
	if err != nil || res.Packet != nil {
		t.Fatalf("%+v %v", res, err)
	}
	if res := w.resume(one, handoff.ResumeParams{}); res.Claim != h.ID+"#1" {
		t.Errorf("%+v", res)
	}
}
