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
}

func (c *call) decode(params any) error { return c.tool.decode(c.raw, c.caller.Agent, params) }

// Toolsets are the names by which groups of tools are chosen.
func Toolsets() []string { return []string{"memory", "handoff"} }

// toolsOf lists the tools of the chosen sets, all when none is named. The SDK lists them by name, the same for everybody.
func toolsOf(sets []string) ([]*tool, error) {
	var out []*tool
	for _, name := range sets {
		if !slices.Contains(Toolsets(), name) {
			return nil, testigo.Invalid("toolsets", "there is no toolset %q; there are %v", name, Toolsets())
		}
	}
	if len(sets) == 0 || slices.Contains(sets, "memory") {
		out = append(out, &rememberTool, &recallTool, &historyTool, &statsTool)
	}
	if len(sets) == 0 || slices.Contains(sets, "handoff") {
		out = append(out, &handoffTool, &resumeTool, &outcomeTool)
	}
	return out, nil
}

// Arguments that several tools share.
var (
	projectParam = param{name: "project", kind: text, about: `other project; "none": shared by all`}
	cursorParam  = param{name: "cursor", kind: text, about: "from the answer before, to read on"}
	refsItems    = &param{kind: ref}
	textItems    = &param{kind: text}
)

func maxCharsParam() param {
	return param{name: "max_chars", kind: integer, min: 1, max: memory.MaxMaxChars, initial: "6000", about: "most characters to show"}
}
