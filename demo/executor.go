package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
)

// Executor plays the second half: it picks up whatever waits, notices what changed, acts, and reports.
func Executor(ctx context.Context, store testigo.Store, out io.Writer, color bool) error {
	a := newActor(store, "executor", out, color)
	a.say.step("pick up whatever is waiting")
	res, err := a.handoff.Resume(ctx, a.caller, handoff.ResumeParams{})
	if err != nil {
		return err
	}
	if res.Packet == nil {
		a.say.line("%s", res.Summary)
		a.say.line("run `testigo demo scout` on the same database first")
		return nil
	}
	packet := *res.Packet
	a.say.line("packet %s from %s: %s", packet.ID, packet.From, packet.Title)
	for _, s := range packet.NextSteps {
		a.say.detail("next: %s", s)
	}
	for _, q := range packet.OpenQuestions {
		a.say.detail("open: %s", q)
	}
	a.say.line("%d pinned versions arrived with the packet", packet.PinsTotal)
	if err := a.checkPins(ctx, packet); err != nil {
		return err
	}
	if err := a.act(ctx, packet); err != nil {
		return err
	}
	return a.handBack(ctx, packet)
}

// checkPins reads every stale pin again, deliberately, and decides what it means.
func (a *actor) checkPins(ctx context.Context, packet handoff.Packet) error {
	for _, p := range packet.Pins {
		if !p.Stale {
			continue
		}
		a.say.warn("stale: %s was pinned at v%d, now at v%d", p.Name, p.Version, p.CurrentVersion)
		a.say.step("read the current version before acting on it")
		got, err := a.memory.Recall(ctx, a.caller, memory.RecallParams{Key: p.Name})
		if err != nil {
			return err
		}
		a.say.line("%s v%d: %s", p.Name, got.Fact.Version, verdict(got.Fact.Value))
		a.say.line("that one is dropped; the packet alone would have sent an application to a withdrawn listing")
	}
	return nil
}

// act reports one success and one failure, each against the version it acted on.
func (a *actor) act(ctx context.Context, packet handoff.Packet) error {
	a.say.step("act, and say how it went")
	reports := []struct {
		name    string
		outcome testigo.OutcomeKind
		ref     string
		words   string
	}{
		{"listing/482/assessment", testigo.Success, "application-482", "application sent and answered within the hour"},
		{"listing/517/assessment", testigo.Failure, "application-517", "budget was half of what the assessment assumed"},
	}
	for i, r := range reports {
		p := handoff.OutcomeParams{Outcome: r.outcome, OutcomeRef: r.ref, Note: r.words}
		if i == len(reports)-1 {
			p.HandoffID = packet.ID // the last report closes the packet
		}
		ref, err := testigo.ParseRef(pinned(packet, r.name))
		if err != nil {
			return err
		}
		p.Refs = []testigo.Ref{ref}
		res, err := a.handoff.RecordOutcome(ctx, a.caller, p)
		if err != nil {
			return err
		}
		for _, m := range res.Moved {
			a.say.line("%s: %s v%d  %.2f → %.2f  (%s)", r.outcome, m.Name, m.Version, m.Before, m.After, r.words)
		}
		if res.Closed != "" {
			a.say.line("packet %s is closed", res.Closed)
		}
	}
	return nil
}

// pinned writes a pin of the packet as a ref with its version.
func pinned(packet handoff.Packet, name string) string {
	for _, p := range packet.Pins {
		if p.Name == name {
			return fmt.Sprintf("%s@%d", p.Name, p.Version)
		}
	}
	return name
}

func (a *actor) handBack(ctx context.Context, packet handoff.Packet) error {
	a.say.step("hand back")
	res, err := a.handoff.Handoff(ctx, a.caller, handoff.Params{Title: "one application went out, one assessment was wrong",
		Summary:   "482 was answered at once. 517 pays half of what its assessment says. 553 was withdrawn and left alone.",
		NextSteps: []string{"lower the fit of listings with an unclear budget"}, ToAgent: packet.From})
	if err != nil {
		return err
	}
	a.say.line("packet %s for %s pins the %d versions this session touched", res.ID, packet.From, len(res.Pins))
	return nil
}

func verdict(value json.RawMessage) string {
	var v struct{ Verdict string }
	if json.Unmarshal(value, &v) != nil {
		return string(value)
	}
	return v.Verdict
}

// narrator prints the story: numbered steps with what happened below them.
type narrator struct {
	out   io.Writer
	color bool
	steps int
}

func (n *narrator) step(text string) {
	n.steps++
	fmt.Fprintf(n.out, "\n%s\n", n.paint("1", fmt.Sprintf("  %d. %s", n.steps, text)))
}

func (n *narrator) line(format string, args ...any) {
	fmt.Fprintf(n.out, "     %s\n", fmt.Sprintf(format, args...))
}

func (n *narrator) detail(format string, args ...any) {
	fmt.Fprintf(n.out, "       %s\n", n.paint("2", fmt.Sprintf(format, args...)))
}

func (n *narrator) warn(format string, args ...any) {
	fmt.Fprintf(n.out, "     %s\n", n.paint("33", fmt.Sprintf(format, args...)))
}

// paint wraps text in one terminal attribute, when colour is wanted.
func (n *narrator) paint(attribute, text string) string {
	if !n.color {
		return text
	}
	return "\x1b[" + attribute + "m" + text + "\x1b[0m"
}
