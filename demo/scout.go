package demo

import (
	"context"
	"encoding/json"
	"io"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
)

// actor is one scripted agent on a store.
type actor struct {
	memory  *memory.Service
	handoff *handoff.Service
	caller  memory.Caller
	say     *narrator
}

func newActor(store testigo.Store, name string, out io.Writer, color bool) *actor {
	m := memory.New(store)
	return &actor{memory: m, handoff: handoff.New(m), say: &narrator{out: out, color: color},
		caller: memory.Caller{Agent: name, Session: "demo-" + name, Seen: &memory.Seen{}}}
}

// remember stores a value and returns its version number.
func (a *actor) remember(ctx context.Context, name string, value any, confidence float64, tags ...string) (memory.RememberResult, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return memory.RememberResult{}, err
	}
	return a.memory.Remember(ctx, a.caller, memory.RememberParams{Key: name, Value: raw, Confidence: &confidence, Tags: tags})
}

// Scout plays the first half: it fills a store, hands over, and afterwards changes one of the facts it pinned.
func Scout(ctx context.Context, store testigo.Store, out io.Writer, color bool) error {
	a := newActor(store, "scout", out, color)
	a.say.step("look through the board and remember what is there")
	for _, l := range board {
		if err := a.assess(ctx, l); err != nil {
			return err
		}
	}
	if _, err := a.remember(ctx, sourceScope+"/"+sourceKey, sourceFact, 0.90, "source"); err != nil {
		return err
	}
	a.say.line("%d listings assessed, one caveat about the source noted", len(board))

	a.say.step("correct an assessment of its own")
	res, err := a.remember(ctx, "listing/482/assessment", map[string]any{"verdict": "apply: and they use the same test runner as we do", "pay": "hourly 95"}, 0.80, "assessment")
	if err != nil {
		return err
	}
	a.say.line("listing/482/assessment is now v%d; v%d stays readable", res.Version, res.Superseded)

	a.say.step("hand over to the executor, with exact versions pinned")
	if err := a.handOver(ctx); err != nil {
		return err
	}

	a.say.step("afterwards, news about listing/553")
	res, err = a.remember(ctx, "listing/553/assessment", map[string]any{"verdict": "skip: the client withdrew the listing", "pay": "hourly 110"}, 0.95, "assessment")
	if err != nil {
		return err
	}
	a.say.line("listing/553/assessment was pinned at v%d and is now v%d", res.Superseded, res.Version)
	return nil
}

// assess remembers a posting and what the scout makes of it.
func (a *actor) assess(ctx context.Context, l listing) error {
	if _, err := a.remember(ctx, l.id+"/posting", map[string]any{"title": l.title, "pay": l.pay}, 0.90, "posting"); err != nil {
		return err
	}
	_, err := a.remember(ctx, l.id+"/assessment", map[string]any{"verdict": l.verdict, "pay": l.pay}, l.fit, "assessment")
	return err
}

func (a *actor) handOver(ctx context.Context) error {
	pins := []string{"listing/482/assessment", "listing/517/assessment", "listing/553/assessment", sourceScope + "/" + sourceKey}
	var refs []testigo.Ref
	for _, p := range pins {
		r, err := testigo.ParseRef(p)
		if err != nil {
			return err
		}
		refs = append(refs, r)
	}
	res, err := a.handoff.Handoff(ctx, a.caller, handoff.Params{Title: packetTitle, Summary: packetSummary, NextSteps: packetSteps,
		OpenQuestions: packetQuestions, Refs: refs, ToAgent: "executor", AllowUnknown: true})
	if err != nil {
		return err
	}
	a.say.line("packet %s for executor pins", res.ID)
	for _, p := range res.Pins {
		a.say.detail("%s v%d", p.Name, p.Version)
	}
	return nil
}
