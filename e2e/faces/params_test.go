package faces_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
)

// params are the structs that all faces fill.
var params = map[string]any{
	"remember": memory.RememberParams{}, "recall": memory.RecallParams{}, "history": memory.HistoryParams{}, "memory_stats": memory.StatsParams{},
	"handoff": handoff.Params{}, "resume": handoff.ResumeParams{}, "record_outcome": handoff.OutcomeParams{}, "send_handoff": handoff.SendParams{},
	"inbox": handoff.InboxParams{}, "read_message": handoff.ReadParams{}, "accept_work": handoff.AcceptParams{}, "return_work": handoff.ReturnParams{},
	"close_work": handoff.CloseParams{}, "handoff_status": handoff.StatusParams{}, "list_agents": nothing{},
}

// notOffered lists the arguments that one face does not take, with the reason.
var notOffered = map[string]string{
	"recall.explain":            "MCP: what a rank is made of helps a person who wonders; every argument of a tool costs every session of a model",
	"send_handoff.expires_at":   "MCP: a gap with no reason but the size of the schema; handoff takes it",
	"send_handoff.notification": "MCP: the same",
	"send_handoff.project":      "MCP: the same; refs can name a project each",
}

// offered is what each parameter struct holds, by operation.
func offered(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for op, p := range params {
		out[op] = nil
		for _, f := range reflect.VisibleFields(reflect.TypeOf(p)) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			out[op] = append(out[op], name)
		}
	}
	return out
}

// Every argument of a use case can be given at every face, or the table says why not.
func TestArguments(t *testing.T) {
	t.Parallel()
	s := newServers(t, t.TempDir())
	s.arrive(t, "scout")
	tools := toolArguments(t, s.clients["scout"])
	missing := map[string]bool{}
	for op, names := range offered(t) {
		for _, name := range names {
			where := op + "." + name
			c := commands[op]
			_, flag := c.flags[name]
			atTerminal := flag || slices.Contains(c.args, name)
			inTool := slices.Contains(tools[op], name) || where == "inbox.all" && slices.Contains(tools[op], "unread_only")
			missing[where] = !atTerminal || !inTool
			if missing[where] && notOffered[where] == "" {
				t.Errorf("%s: on the command line %t, in MCP %t", where, atTerminal, inTool)
			}
		}
	}
	for where := range notOffered {
		if !missing[where] {
			t.Errorf("%s is offered everywhere: strike it from the table", where)
		}
	}
	for tool := range tools {
		if _, ok := params[tool]; !ok {
			t.Errorf("the tool %s is not compared", tool)
		}
	}
}

// toolArguments reads from tools/list what each tool takes.
func toolArguments(t *testing.T, c *client) map[string][]string {
	t.Helper()
	var list struct {
		Tools []struct {
			Name        string
			InputSchema struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal(c.ask(t, "tools/list", "{}"), &list); err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, tool := range list.Tools {
		out[tool.Name] = sortedKeys(tool.InputSchema.Properties)
	}
	return out
}
