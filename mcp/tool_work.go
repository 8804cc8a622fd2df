package mcp

import (
	"context"
	"strings"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
)

var acceptTool = tool{
	name:  "accept_work",
	title: "Accept work",
	about: "Take work that was sent to you; its sender sees that you have it. Accepting again changes nothing. " +
		"When it is done, or cannot be, call return_work.",
	idempotent: true,
	params:     []param{idParam("of the work")},
	run:        runAccept,
}

// runAccept notes what the session holds from now on, as runResume does: its other calls keep it.
func runAccept(ctx context.Context, c *call) (any, error) {
	var p handoff.AcceptParams
	if err := c.decode(&p); err != nil {
		return nil, err
	}
	p.ID = strings.TrimSpace(p.ID)
	res, err := c.hand.AcceptWork(ctx, c.caller, p)
	if err != nil {
		return nil, err
	}
	if res.Claim != "" {
		c.session.claimed(res.MessageID)
	} else {
		c.session.released(res.MessageID)
	}
	return res, nil
}

var returnTool = tool{
	name:  "return_work",
	title: "Return work",
	about: "Answer work that was sent to you, once: what was done, or with blocked why it cannot be. A message carries it to " +
		"the sender, who decides with close_work. To add to it later use send_handoff.",
	idempotent: true,
	params: []param{
		idParam("of the work, or its claim ID#generation"),
		{name: "summary", kind: text, required: true, about: "what was done"},
		{name: "evidence", kind: text, about: "how to check it"},
		{name: "blocked", kind: boolean, initial: "false", about: "it could not be done"},
		{name: "claims", kind: list, items: &param{kind: object, members: claimMembers, terse: true}, maxItems: testigo.MaxClaims,
			about: "{claim, how: stated, hash or command, ref: path@sha256 or the command, exit_code}"},
	},
	run: runReturn,
}

var claimMembers = []param{
	{name: "claim", kind: text, required: true},
	{name: "how", kind: text, enum: []string{"stated", "hash", "command"}},
	{name: "ref", kind: text},
	{name: "exit_code", kind: integer},
}

func runReturn(ctx context.Context, c *call) (any, error) {
	var p handoff.ReturnParams
	if err := c.decode(&p); err != nil {
		return nil, err
	}
	p.ID = strings.TrimSpace(p.ID)
	res, err := c.hand.ReturnWork(ctx, c.caller, p)
	if err != nil {
		return nil, err
	}
	c.session.released(res.MessageID)
	return res, nil
}

var closeTool = tool{
	name:  "close_work",
	title: "Decide about work",
	about: "End work that you ordered, once: accepted, blocked, or revision, which needs a note and sends the next round to the " +
		"same agent as new work. The assignee is not told of the others; it can see them.",
	idempotent: true,
	params: []param{
		idParam("of the work, or of the message that returned it"),
		{name: "outcome", kind: text, required: true, enum: closeWords(), about: "your decision"},
		{name: "note", kind: text, about: "why; for revision what is to be done"},
	},
	run: func(ctx context.Context, c *call) (any, error) {
		var p handoff.CloseParams
		if err := c.decode(&p); err != nil {
			return nil, err
		}
		p.ID = strings.TrimSpace(p.ID)
		return result(c.hand.CloseWork(ctx, c.caller, p))
	},
}

// result is the answer of a use case whose size is bounded by itself.
func result[T any](v T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return v, nil
}

func closeWords() []string {
	var out []string
	for _, o := range testigo.CloseOutcomes() {
		out = append(out, string(o))
	}
	return out
}
