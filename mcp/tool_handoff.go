package mcp

import (
	"context"
	"strings"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
)

var handoffTool = tool{
	name:  "handoff",
	title: "Hand work to the next agent",
	about: "Write a packet for the next agent. To pick up work use resume.",
	params: []param{
		{name: "title", kind: text, required: true},
		{name: "summary", kind: text, required: true},
		{name: "next_steps", kind: list, items: textItems},
		{name: "open_questions", kind: list, items: textItems},
		{name: "tried", kind: list, items: textItems, about: "what failed"},
		{name: "refs", kind: list, items: refsItems, about: "scope/key[@version]; default: all touched"},
		{name: "to_agent", kind: text, emptyOK: true, about: "default: anyone"},
		{name: "allow_unknown", kind: boolean},
		{name: "allow_repeat", kind: boolean},
		{name: "expects_return", kind: boolean},
		{name: "due_minutes", kind: integer},
		{name: "expires_at", kind: text, about: "RFC 3339"},
		{name: "notify", kind: text, enum: []string{"none", "quiet", "wake"}},
		{name: "request_key", kind: text},
		{name: "project", kind: text, about: "or none"},
	},
	run: func(ctx context.Context, c *call) (any, error) {
		var p handoff.Params
		if err := c.decode(&p); err != nil {
			return nil, err
		}
		if p.RequestKey == "" {
			p.RequestKey = c.hostKey
		}
		res, err := c.hand.Handoff(ctx, c.caller, p)
		if err != nil {
			return nil, err
		}
		return fitHandoff(res), nil
	},
}

var resumeTool = tool{
	name:  "resume",
	title: "Pick up a handoff",
	about: "Pick up the handoff waiting for you, or what was left here: claims the oldest packet and shows steps, questions and pinned facts, stale ones marked. " +
		"Call it first in a session. To write one use handoff.",
	core: true,
	params: []param{
		{name: "handoff_id", kind: text, about: "this one; ID or ID#generation"},
		{name: "peek", kind: boolean, about: "claim nothing: list, or show handoff_id"},
		{name: "put_back", kind: boolean, about: "give your claim up"},
		{name: "from_agent", kind: text, about: "only from this sender"},
		{name: "cwd", kind: text, about: "compare with this absolute directory"},
		projectParam,
		maxCharsParam(),
		cursorParam,
	},
	run: runResume,
}

// runResume keeps the memo of what the session holds, so that its claims are renewed by its other calls.
func runResume(ctx context.Context, c *call) (any, error) {
	var p handoff.ResumeParams
	if err := c.decode(&p); err != nil {
		return nil, err
	}
	res, err := c.hand.Resume(ctx, c.caller, p)
	if err != nil {
		return nil, err
	}
	switch {
	case p.PutBack:
		id, _, _ := strings.Cut(p.HandoffID, "#")
		c.session.released(id)
	case res.Claim != "":
		c.session.claimed(res.Packet.ID)
	}
	if p.MaxChars > 0 {
		return res, nil
	}
	return smallerPage(ctx, c, p, res)
}

// smallerPage lays a page out again for less while it does not fit, so that the cursor goes on behind what is shown. It
// only reads: what was claimed stays claimed. A single text that is too large alone is cut.
func smallerPage(ctx context.Context, c *call, p handoff.ResumeParams, res handoff.ResumeResult) (any, error) {
	for c.caller.Budget > 1_000 && !fits(res) && res.Packet != nil {
		c.caller.Budget /= 2
		p.Peek, p.HandoffID = true, res.Packet.ID
		again, err := c.hand.Resume(ctx, c.caller, p)
		if err != nil {
			return nil, err
		}
		again.Packet.Holder = res.Packet.Holder
		res.Packet, res.Cursor = again.Packet, again.Cursor
	}
	return fitResume(res), nil
}

var outcomeTool = tool{
	name:  "record_outcome",
	title: "Report what actually happened",
	about: "Report how it went when you acted on facts: success raises their confidence, failure lowers it. " +
		"With handoff_id the packet you hold is closed as well. The same report counts once. To change a value use remember.",
	idempotent: true,
	params: []param{
		{name: "outcome", kind: text, required: true, enum: outcomeWords(), about: "what happened"},
		{name: "outcome_ref", kind: text, required: true, about: "evidence: test run, commit, ticket"},
		{name: "refs", kind: list, items: refsItems, maxItems: testigo.MaxRefs, about: "scope/key[@version]; default: the claimed packet's pins, else all touched"},
		{name: "note", kind: text, about: "what to know about it"},
		{name: "handoff_id", kind: text, about: "packet to close; ID or ID#generation"},
		projectParam,
	},
	run: func(ctx context.Context, c *call) (any, error) {
		var p handoff.OutcomeParams
		if err := c.decode(&p); err != nil {
			return nil, err
		}
		res, err := c.hand.RecordOutcome(ctx, c.caller, p)
		if err != nil {
			return nil, err
		}
		if res.Closed != "" {
			c.session.released(res.Closed)
		}
		return fitOutcome(res), nil
	},
}

func outcomeWords() []string {
	var out []string
	for _, k := range testigo.OutcomeKinds() {
		out = append(out, string(k))
	}
	return out
}
