package mcp

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
)

// tool is one tool: what clients see of it, and what a call does.
type tool struct {
	name  string
	title string
	about string
	// readOnly tools write nothing. Repeating the very same call of an idempotent one changes nothing more.
	readOnly   bool
	idempotent bool
	// core tools are loaded in full at once by clients that defer the others.
	core   bool
	params []param
	run    func(ctx context.Context, c *call) (any, error)
}

// call is one call of a tool.
type call struct {
	tool    *tool
	raw     json.RawMessage
	mem     *memory.Service
	hand    *handoff.Service
	caller  memory.Caller
	session *session
	// hostKey stands for this very call: the host gives the same one when it sends the call again. Empty when unknown.
	hostKey string
	waiter
}

func (c *call) decode(params any) error { return c.tool.decode(c.raw, c.caller.Agent, params) }

// toolsets are the groups that tools are chosen by.
var toolsets = []struct {
	name  string
	tools []*tool
}{
	{"memory", []*tool{&rememberTool, &recallTool, &historyTool, &statsTool}},
	{"handoff", []*tool{&handoffTool, &resumeTool, &outcomeTool}},
	{"delivery", []*tool{&sendTool, &inboxTool, &readTool, &acceptTool, &returnTool, &closeTool, &statusTool, &agentsTool}},
}

// defaultToolsets are served when none is named.
var defaultToolsets = []string{"memory", "handoff", "delivery"}

// Toolsets are the names by which groups of tools are chosen.
func Toolsets() []string {
	var out []string
	for _, set := range toolsets {
		out = append(out, set.name)
	}
	return out
}

// toolsOf lists the tools of the chosen sets. The SDK lists them by name, the same for everybody.
func toolsOf(sets []string) ([]*tool, error) {
	if len(sets) == 0 {
		sets = defaultToolsets
	}
	for _, name := range sets {
		if !slices.Contains(Toolsets(), name) {
			return nil, testigo.Invalid("toolsets", "there is no toolset %q; there are %v", name, Toolsets())
		}
	}
	var out []*tool
	for _, set := range toolsets {
		if slices.Contains(sets, set.name) {
			out = append(out, set.tools...)
		}
	}
	return out, nil
}

// Arguments that several tools share.
var (
	projectParam = param{name: "project", kind: text, about: `other project; "none": shared by all`}
	cursorParam  = param{name: "cursor", kind: text, about: "from the answer before, to read on"}
	refsItems    = &param{kind: ref}
	textItems    = &param{kind: text}
	waitParam    = param{name: "wait_seconds", kind: integer, max: maxWait, initial: "0", about: "wait this long for news"}
)

func maxCharsParam() param {
	return param{name: "max_chars", kind: integer, min: 1, max: memory.MaxMaxChars, initial: "6000", about: "most characters to show"}
}
