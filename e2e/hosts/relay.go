package main

import (
	"context"
	"fmt"
	"strings"
)

// host is an MCP client that an agent lives in.
type host interface {
	// call makes the client call a tool, and returns the answer as the client shows it to its model.
	call(ctx context.Context, tool, args string) (string, error)
	who() string
}

// relay is the story of one packet that goes there and one that comes back. The first failure ends it: what follows
// would fail for that reason alone.
type relay struct {
	scout, runner host
	cli           *cli
	scope         string
	calls         map[string]map[string]bool // agent, tool
	err           error
}

// ask calls a tool and checks what it answered.
func (r *relay) ask(ctx context.Context, h host, tool, args string, want ...string) answer {
	if r.err != nil {
		return answer{}
	}
	args = strings.ReplaceAll(args, "SCOPE", r.scope)
	text, err := h.call(ctx, tool, args)
	if err != nil {
		r.err = fmt.Errorf("%s calls %s %s: %w", h.who(), tool, args, err)
		return answer{}
	}
	if r.calls[h.who()] == nil {
		r.calls[h.who()] = map[string]bool{}
	}
	r.calls[h.who()][tool] = true
	return r.checked(fmt.Sprintf("%s was told by %s %s", h.who(), tool, args), text, want)
}

// told runs a command of the command line and checks what it printed.
func (r *relay) told(ctx context.Context, args string, want ...string) {
	if r.err != nil {
		return
	}
	args = strings.ReplaceAll(args, "SCOPE", r.scope)
	text, err := r.cli.run(ctx, strings.Fields(args)...)
	if err != nil {
		r.err = err
		return
	}
	r.checked("testigo "+args+" printed", text, want)
}

func (r *relay) checked(what, text string, want []string) answer {
	a, err := read(text)
	for i := 0; err == nil && i < len(want); i++ {
		err = a.check(strings.ReplaceAll(want[i], "SCOPE", r.scope))
	}
	if err != nil {
		r.err = fmt.Errorf("%s: %w", what, err)
	}
	return a
}

func (r *relay) run(ctx context.Context) error {
	first := r.there(ctx)
	second := r.back(ctx, first)
	r.home(ctx, second)
	r.look(ctx, first, second)
	for who, tools := range r.calls {
		if r.err == nil && len(tools) != 7 {
			r.err = fmt.Errorf("%s called %d of seven tools", who, len(tools))
		}
	}
	return r.err
}

// there is scout's part: two facts, a packet that pins them, and a change that the packet does not know.
func (r *relay) there(ctx context.Context) (id string) {
	r.ask(ctx, r.scout, "remember", `{"scope":"SCOPE","key":"assessment","value":{"fit":"good","note":"naïve café ✓ <b>"},"confidence":0.8}`,
		"name=SCOPE/assessment", "version=1", "confidence=0.8")
	r.ask(ctx, r.scout, "remember", `{"scope":"SCOPE","key":"deadline","value":"2026-12-04","confidence":0.6}`, "version=1")
	packet := r.ask(ctx, r.scout, "handoff", fmt.Sprintf(`{"title":"apply for it","summary":"worth an application","next_steps":["write the letter"],`+
		`"open_questions":["remote?"],"refs":["SCOPE/assessment","SCOPE/deadline"],"to_agent":%q,"allow_unknown":true}`, r.runner.who()),
		"state=open", "pins.1.name=SCOPE/deadline", "pins.1.version=1")
	r.ask(ctx, r.scout, "remember", `{"scope":"SCOPE","key":"deadline","value":"2026-12-11","confidence":0.6}`, "version=2", "superseded_version=1")
	return packet.at("id")
}

// back is the coding agent's part.
func (r *relay) back(ctx context.Context, first string) (id string) {
	held := r.ask(ctx, r.runner, "resume", `{}`, "packet.id="+first, "packet.state=claimed", "packet.from=scout", "packet.next_steps.0=write the letter",
		"packet.stale_pins=1", "packet.pins.0.stale=", "packet.pins.1.stale=true", "packet.pins.1.current_version=2", "packet.pins.1.changed_by=scout",
		"packet.values.0.value.note=naïve café ✓ <b>", "packet.values.1.value=2026-12-04", "claim="+first+"#1")
	r.ask(ctx, r.runner, "recall", `{"scope":"SCOPE","key":"deadline"}`, "fact.value=2026-12-11", "fact.version=2", "fact.author=scout")
	r.ask(ctx, r.runner, "recall", `{"scope":"SCOPE","key":"assesment"}`, "error.code=not_found", "error.next~SCOPE/assessment")
	r.ask(ctx, r.runner, "history", `{"scope":"SCOPE","key":"deadline"}`, "total=2", "versions.0.value=2026-12-04", "versions.0.current=false", "versions.1.current=true")
	r.ask(ctx, r.runner, "record_outcome", fmt.Sprintf(`{"outcome":"success","outcome_ref":"letter for SCOPE","refs":["SCOPE/assessment@1"],"handoff_id":%q}`, held.at("claim")),
		"moved.0.name=SCOPE/assessment", "moved.0.before=0.8", "moved.0.after=0.84", "closed="+first)
	r.ask(ctx, r.runner, "remember", `{"scope":"SCOPE","key":"decision","value":"applied","tags":["sent"]}`, "version=1")
	r.ask(ctx, r.runner, "memory_stats", `{"verify":true}`, "verification.ok=true", "verification.found=0")
	// Without refs everything is pinned that the session touched, in whatever process it did so.
	packet := r.ask(ctx, r.runner, "handoff", `{"title":"it is sent","summary":"wait for an answer","to_agent":"scout"}`,
		"state=open", "to.known=true", "pins~SCOPE/decision", "pins~SCOPE/deadline")
	return packet.at("id")
}

// home is scout's part again, which takes what came back and closes it.
func (r *relay) home(ctx context.Context, second string) {
	held := r.ask(ctx, r.scout, "resume", `{}`, "packet.id="+second, "packet.from="+r.runner.who(), "packet.stale_pins=0",
		"packet.pins~SCOPE/decision", "packet.values~applied")
	r.ask(ctx, r.scout, "recall", `{"query":"applied","scope":"SCOPE"}`, "facts.0.name=SCOPE/decision", "facts.0.author="+r.runner.who())
	r.ask(ctx, r.scout, "history", `{"scope":"SCOPE","key":"assessment"}`, "total=1", "versions.0.confidence=0.84", "versions.0.moves.0.outcome_ref=letter for SCOPE",
		"versions.0.moves.0.agent="+r.runner.who())
	r.ask(ctx, r.scout, "record_outcome", fmt.Sprintf(`{"outcome":"failure","outcome_ref":"answer for SCOPE","refs":["SCOPE/decision@1"],"handoff_id":%q}`, held.at("claim")),
		"moved.0.before=0.7", "moved.0.after=0.455", "closed="+second)
	r.ask(ctx, r.scout, "memory_stats", `{}`, "handoffs.open=", "handoffs.claimed=")
}

// look asks the command line, which is a third program on the same file.
func (r *relay) look(ctx context.Context, first, second string) {
	r.told(ctx, "recall SCOPE/decision --json", "fact.value=applied", "fact.author="+r.runner.who(), "fact.confidence=0.455")
	r.told(ctx, "recall SCOPE/deadline --json", "fact.version=2", "fact.value=2026-12-11")
	r.told(ctx, "log "+first+" --json", "handoff.state=closed", "outcome~success", "events.0.kind=written", "events.1.kind=claimed", "events.2.kind=closed", "events.3=")
	r.told(ctx, "log "+second+" --json", "handoff.state=closed", "outcome~failure")
	r.told(ctx, "stats --verify --json", "verification.ok=true", "handoffs.open=", "handoffs.claimed=")
}
