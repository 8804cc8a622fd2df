package handoff_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
)

func (w *world) outcome(c memory.Caller, p handoff.OutcomeParams) handoff.OutcomeResult {
	w.t.Helper()
	res, err := w.svc.RecordOutcome(w.ctx, c, p)
	if err != nil {
		w.t.Fatalf("record_outcome: %v", err)
	}
	return res
}

func moved(res handoff.OutcomeResult) string {
	var out []string
	for _, m := range res.Moved {
		out = append(out, fmt.Sprintf("%s@%d %.2f→%.2f", m.Name, m.Version, m.Before, m.After))
	}
	return strings.Join(out, ", ")
}

// M09: a default outcome credits the packet's pins, less those shown as stale; one that was read again is credited in
// the version that was read.
func TestDefaultRefsM09(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s0"), w.agent("worker", "s1")
	for _, n := range []string{"x/good", "x/stale", "x/reread"} {
		w.remember(a, n, `1`)
	}
	h := w.handoff(a, handoff.Params{ToAgent: "worker"})
	w.remember(a, "x/stale", `2`)
	w.remember(a, "x/reread", `2`)
	w.now = w.now.Add(time.Minute)
	w.resume(b, handoff.ResumeParams{})
	if _, err := w.mem.Recall(w.ctx, b, memory.RecallParams{Key: "x/reread"}); err != nil {
		t.Fatal(err)
	}
	res := w.outcome(b, handoff.OutcomeParams{Outcome: testigo.Success, OutcomeRef: "run-1", HandoffID: h.ID})
	if got := moved(res); got != "x/good@1 0.70→0.76, x/reread@2 0.70→0.76" {
		t.Errorf("moved %s", got)
	}
	if res.Closed != h.ID || !strings.Contains(strings.Join(res.Notes, " "), "x/stale@1 was shown as stale") {
		t.Errorf("%+v", res)
	}
	again := w.outcome(b, handoff.OutcomeParams{Outcome: testigo.Success, OutcomeRef: "run-1", HandoffID: h.ID, Refs: refs(t, "x/good@1")})
	if !again.Moved[0].AlreadyRecorded || again.Closed != h.ID {
		t.Errorf("%+v", again)
	}
	log, err := w.svc.Log(w.ctx, a, h.ID)
	if err != nil || log.Outcome != "success (run-1)" {
		t.Errorf("the sender can read how it ended: %+v %v", log, err)
	}
}

// The same report counts once; the same reference with another outcome is a conflict naming the first.
func TestOutcomeCountsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s0"), w.agent("worker", "s1")
	w.remember(a, "x/f", `1`)
	p := handoff.OutcomeParams{Outcome: testigo.Failure, OutcomeRef: "ticket-7", Refs: refs(t, "x/f")}
	first, second := w.outcome(b, p), w.outcome(b, p)
	if !second.Moved[0].AlreadyRecorded || moved(first) != moved(second) {
		t.Errorf("%s then %s", moved(first), moved(second))
	}
	p.Outcome = testigo.Success
	_, err := w.svc.RecordOutcome(w.ctx, b, p)
	if e := wantCode(t, err, testigo.CodeConflict, ""); !strings.Contains(e.Msg, "failure was already reported") {
		t.Errorf("%v", e)
	}
	if res := w.outcome(a, p); res.Moved[0].AlreadyRecorded {
		t.Errorf("another agent's report is its own: %+v", res)
	}
	if f, err := w.mem.Recall(w.ctx, a, memory.RecallParams{Key: "x/f"}); err != nil || f.Fact.Outcomes.Success != 1 || f.Fact.Outcomes.Failure != 1 {
		t.Errorf("%+v %v", f.Fact, err)
	}
}

// An outcome goes to the version acted on; a newer version is not touched and the answer says so.
func TestOutcomeOfSupersededVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout", "s0")
	w.remember(a, "x/f", `1`)
	w.remember(a, "x/f", `2`)
	res := w.outcome(a, handoff.OutcomeParams{Outcome: testigo.CriticalFailure, OutcomeRef: "r", Refs: refs(t, "x/f@1")})
	if moved(res) != "x/f@1 0.70→0.28" || res.Moved[0].CurrentVersion != 2 || len(res.Notes) == 0 {
		t.Errorf("%+v", res)
	}
	if f, _ := w.mem.Recall(w.ctx, a, memory.RecallParams{Key: "x/f"}); f.Fact.Confidence != 0.7 {
		t.Errorf("the current version moved to %v", f.Fact.Confidence)
	}
}

func TestOutcomeWithoutPacket(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout", "s0")
	_, err := w.svc.RecordOutcome(w.ctx, a, handoff.OutcomeParams{Outcome: testigo.Success, OutcomeRef: "r"})
	wantCode(t, err, testigo.CodeInvalid, "refs")
	w.remember(a, "x/f", `1`)
	if res := w.outcome(a, handoff.OutcomeParams{Outcome: testigo.Success, OutcomeRef: "r"}); moved(res) != "x/f@1 0.70→0.76" {
		t.Errorf("%s", moved(res))
	}
	_, err = w.svc.RecordOutcome(w.ctx, memory.Caller{Agent: "person:keeper"}, handoff.OutcomeParams{Outcome: testigo.Success, OutcomeRef: "r"})
	wantCode(t, err, testigo.CodeInvalid, "refs")
}

func TestTwoClaimsNeedAnID(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s0"), w.agent("worker", "s1")
	w.remember(a, "x/f", `1`)
	one := w.handoff(a, handoff.Params{Title: "one", ToAgent: "worker"})
	two := w.handoff(a, handoff.Params{Title: "two", ToAgent: "worker"})
	w.resume(b, handoff.ResumeParams{})
	w.resume(b, handoff.ResumeParams{HandoffID: two.ID})
	_, err := w.svc.RecordOutcome(w.ctx, b, handoff.OutcomeParams{Outcome: testigo.Success, OutcomeRef: "r"})
	wantCode(t, err, testigo.CodeInvalid, "handoff_id")
	_, err = w.svc.Resume(w.ctx, b, handoff.ResumeParams{PutBack: true})
	wantCode(t, err, testigo.CodeInvalid, "handoff_id")
	if res := w.outcome(b, handoff.OutcomeParams{Outcome: testigo.Success, OutcomeRef: "r", HandoffID: two.ID + "#1"}); res.Closed != two.ID {
		t.Errorf("%+v", res)
	}
	if res := w.outcome(b, handoff.OutcomeParams{Outcome: testigo.UnknownOutcome, OutcomeRef: "r2"}); res.Open != one.ID || res.Closed != "" {
		t.Errorf("without an id the packet stays open: %+v", res)
	}
}

// Work is owed a return: an outcome does not end it.
func TestWorkIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s0"), w.agent("worker", "s1")
	h := w.handoff(a, handoff.Params{ToAgent: "worker", ExpectsReturn: true, DueMinutes: 30})
	if h.Kind != testigo.KindWork {
		t.Fatalf("%+v", h)
	}
	w.resume(b, handoff.ResumeParams{})
	_, err := w.svc.RecordOutcome(w.ctx, b, handoff.OutcomeParams{Outcome: testigo.Success, OutcomeRef: "r", HandoffID: h.ID})
	if e := wantCode(t, err, testigo.CodeRefused, ""); !strings.Contains(e.Next, "return_work") {
		t.Errorf("%v", e)
	}
}

// Refused reports leave nothing behind: the transaction is one.
func TestOutcomeIsAtomic(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout", "s0")
	w.remember(a, "x/f", `1`)
	_, err := w.svc.RecordOutcome(w.ctx, a, handoff.OutcomeParams{Outcome: testigo.Success, OutcomeRef: "r", Refs: refs(t, "x/f", "x/missing")})
	wantCode(t, err, testigo.CodeNotFound, "refs")
	if f, _ := w.mem.Recall(w.ctx, a, memory.RecallParams{Key: "x/f"}); f.Fact.Confidence != 0.7 || f.Fact.Outcomes != nil {
		t.Errorf("%+v", f.Fact)
	}
}

func TestOutcomeBadInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout", "s0")
	for field, p := range map[string]handoff.OutcomeParams{
		"outcome":     {Outcome: "great", OutcomeRef: "r"},
		"outcome_ref": {Outcome: testigo.Success, OutcomeRef: "a\nb"},
		"note":        {Outcome: testigo.Success, OutcomeRef: "r", Note: strings.Repeat("x", 2001)},
		"handoff_id":  {Outcome: testigo.Success, OutcomeRef: "r", HandoffID: "h_1#x"},
		"refs":        {Outcome: testigo.Success, OutcomeRef: "r", Refs: make([]testigo.Ref, 201)},
	} {
		_, err := w.svc.RecordOutcome(w.ctx, a, p)
		wantCode(t, err, testigo.CodeInvalid, field)
	}
}
