package memory_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

// Erasure removes the content everywhere and the chain still verifies; a second call says it is done already.
func TestForget(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout")
	w.remember(a, "p/first", `"zanzibar is the codename"`, func(p *memory.RememberParams) { p.RequestKey = "k" })
	w.remember(a, "p/next", `"unrelated words"`) // its context holds zanzibar
	if got := w.recall(a, memory.RecallParams{Query: "zanzibar"}); len(got.Facts) != 2 {
		t.Fatalf("context is not searched: %v", names(got.Facts))
	}
	plan, err := w.svc.PlanForget(w.ctx, a, memory.ForgetParams{Key: "p/first"})
	if err != nil || plan.Done || !slices.Equal(plan.Versions, []int{1}) || len(plan.Outside) == 0 {
		t.Fatalf("%+v %v", plan, err)
	}
	res, err := w.svc.Forget(w.ctx, a, memory.ForgetParams{Key: "p/first"})
	if err != nil || !res.Done || res.Scrub == nil {
		t.Fatalf("%+v %v", res, err)
	}
	if got := w.recall(a, memory.RecallParams{Query: "zanzibar"}); len(got.Facts) != 0 {
		t.Errorf("still found through %v", names(got.Facts))
	}
	f := w.recall(a, memory.RecallParams{Key: "p/first"}).Fact
	if f.ErasedAt == nil || f.Value != nil || f.Standing != "erased on request" {
		t.Errorf("%+v", f)
	}
	v, err := w.svc.Verify(w.ctx, nil)
	if err != nil || !v.OK || v.Erasures != 1 {
		t.Errorf("%+v %v", v, err)
	}
	again, err := w.svc.Forget(w.ctx, a, memory.ForgetParams{Key: "p/first"})
	if err != nil || len(again.Versions) != 0 || !slices.Equal(again.Already, []int{1}) {
		t.Errorf("%+v %v", again, err)
	}
	_, err = w.svc.Remember(w.ctx, a, memory.RememberParams{Key: "p/first", Value: json.RawMessage(`"zanzibar is the codename"`), RequestKey: "k"})
	wantCode(t, err, testigo.CodeGone, "") // a late retry does not bring it back
	if res := w.remember(a, "p/first", `"zanzibar is the codename"`); res.Version != 2 || res.Unchanged {
		t.Errorf("an erased value does not confirm itself: %+v", res)
	}
}

func TestForgetNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout")
	w.remember(a, "p/x", `1`)
	_, err := w.svc.Forget(w.ctx, a, memory.ForgetParams{Key: "p/y"})
	wantCode(t, err, testigo.CodeNotFound, "")
	_, err = w.svc.Forget(w.ctx, a, memory.ForgetParams{Key: "p/x", Versions: []int{2}})
	wantCode(t, err, testigo.CodeNotFound, "")
	plan, err := w.svc.PlanForget(w.ctx, a, memory.ForgetParams{Key: "p/x"})
	if err != nil || !strings.Contains(plan.Describe(), "p/x") {
		t.Errorf("%v %v", plan.Describe(), err)
	}
}
