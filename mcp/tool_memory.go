package mcp

import (
	"context"

	"github.com/testigo/testigo/memory"
)

var rememberTool = tool{
	name:  "remember",
	title: "Remember a fact",
	about: "Store a fact, decision or note as a new version; old ones stay. An equal value only confirms. Secrets are refused. Work for others: handoff.",
	core:  true,
	params: []param{
		{name: "scope", kind: text, emptyOK: true, about: "like app/api"},
		{name: "key", kind: text, required: true, about: "name"},
		{name: "value", kind: value, required: true, about: "any JSON"},
		{name: "tags", kind: list, items: textItems, about: "labels"},
		{name: "confidence", kind: number, min: 0, max: 1, about: "default 0.7"},
		{name: "sources", kind: list, items: &param{kind: object, members: sourceMembers, terse: true}, about: "{path} or {commit}"},
		{name: "expected_version", kind: integer, about: "else refused; 0: none"},
		{name: "request_key", kind: text, about: "for retries"},
		{name: "project", kind: text, about: `or "none"`},
	},
	run: runRemember,
}

var sourceMembers = []param{{name: "path", kind: text}, {name: "sha256", kind: text}, {name: "commit", kind: text}}

func runRemember(ctx context.Context, c *call) (any, error) {
	var p memory.RememberParams
	if err := c.decode(&p); err != nil {
		return nil, err
	}
	if p.RequestKey == "" {
		p.RequestKey = c.hostKey
	}
	return c.mem.Remember(ctx, c.caller, p)
}

var recallTool = tool{
	name:     "recall",
	title:    "Recall facts",
	about:    "Read a fact by scope and key, or search current facts by query, tag, scope. Marks stale sources. Older versions: history.",
	readOnly: true, idempotent: true, core: true,
	params: []param{
		{name: "query", kind: text, about: "words"},
		{name: "scope", kind: text, about: "or its prefix"},
		{name: "key", kind: text, about: "this fact"},
		{name: "version", kind: integer, min: 1, about: "older one"},
		{name: "as_of", kind: text, about: "RFC 3339 time"},
		{name: "tag", kind: text, about: "has it"},
		{name: "min_confidence", kind: number, min: 0, max: 1, about: "at least"},
		{name: "limit", kind: integer, min: 1, max: 100, initial: "10", about: "hits"},
		{name: "cursor", kind: text, about: "read on"},
		{name: "max_chars", kind: integer, min: 1, max: memory.MaxMaxChars, about: "of value"},
		{name: "project", kind: text, about: `or "none"`},
		{name: "all_projects", kind: boolean, about: "search all"},
	},
	run: runRecall,
}

// runRecall asks again for less while the answer does not fit: a search for fewer facts, a read by name for a smaller part
// of the value. What the use case counts are characters and bytes before they are escaped.
func runRecall(ctx context.Context, c *call) (any, error) {
	var p memory.RecallParams
	if err := c.decode(&p); err != nil {
		return nil, err
	}
	asked := p.MaxChars > 0
	if asked {
		c.caller.Budget = max(answerBudget, p.MaxChars)
	}
	for chars := memory.DefaultMaxChars; ; chars = chars * 2 / 3 {
		res, err := c.mem.Recall(ctx, c.caller, p)
		if err != nil || asked {
			return res, err
		}
		if res = fitRecall(res); fits(res) || chars < 100 {
			return res, nil
		}
		p.MaxChars = chars * 2 / 3
		c.caller.Budget = c.caller.Budget * 2 / 3
	}
}

var historyTool = tool{
	name:  "history",
	title: "Version history",
	about: "List every version of one fact, oldest first: value, author, hashes, and the outcomes that moved its confidence. " +
		"For the current value alone use recall. Writes nothing.",
	readOnly: true, idempotent: true,
	params: []param{
		{name: "scope", kind: text, emptyOK: true, about: "the fact's scope"},
		{name: "key", kind: text, required: true, about: "the fact's key; scope/key works too"},
		projectParam,
		{name: "limit", kind: integer, min: 1, max: 100, initial: "20", about: "versions in one answer"},
		cursorParam,
	},
	run: func(ctx context.Context, c *call) (any, error) {
		var p memory.HistoryParams
		if err := c.decode(&p); err != nil {
			return nil, err
		}
		for {
			res, err := c.mem.History(ctx, c.caller, p)
			if err != nil {
				return nil, err
			}
			if v := fitHistory(res); fits(v) || len(res.Versions) < 2 {
				return v, nil
			}
			c.caller.Budget /= 2
		}
	},
}

var statsTool = tool{
	name:  "memory_stats",
	title: "Memory statistics",
	about: "Count what the memory holds: facts and average confidence by agent and scope, handoffs by state, size, log root. " +
		"With verify every hash is recomputed and each damaged row named, which takes longer. To find facts use recall. Writes nothing.",
	readOnly: true, idempotent: true,
	params: []param{
		{name: "verify", kind: boolean, initial: "false", about: "check every version against the hash chain and the log"},
	},
	run: func(ctx context.Context, c *call) (any, error) {
		var p memory.StatsParams
		if err := c.decode(&p); err != nil {
			return nil, err
		}
		res, err := c.mem.Stats(ctx, c.caller, p)
		if err != nil {
			return nil, err
		}
		return fitStats(res), nil
	},
}
