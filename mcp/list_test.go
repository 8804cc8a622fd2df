package mcp

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite what the tests in testdata expect")

// toolLimit is the most bytes of compact JSON that one tool may take in tools/list: every model pays for it.
const toolLimit = 1_150

// listLimit is what the tools of the default sets must stay below together.
const listLimit = 20_000

type shown struct {
	Name        string         `json:"name"`
	Title       string         `json:"title"`
	Description string         `json:"description"`
	InputSchema map[string]any `json:"inputSchema"`
	Annotations map[string]any `json:"annotations"`
}

// selfExplaining are arguments whose name says all that a description could: one tool has fifteen of them, and its
// definition must stay under 1,150 bytes.
var selfExplaining = map[string][]string{"handoff": {"title", "summary", "next_steps", "open_questions", "allow_unknown",
	"allow_repeat", "expects_return", "due_minutes", "notify", "request_key"}}

func (p *peer) list() (tools []shown, raw []json.RawMessage) {
	p.Helper()
	p.send(`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`)
	var msg struct {
		Result struct{ Tools []json.RawMessage }
	}
	if err := json.Unmarshal([]byte(p.receive()), &msg); err != nil {
		p.Fatal(err)
	}
	for _, r := range msg.Result.Tools {
		var s shown
		if err := json.Unmarshal(r, &s); err != nil {
			p.Fatal(err)
		}
		tools = append(tools, s)
	}
	return tools, msg.Result.Tools
}

// T02: the list is small, in fixed order, and written in the dialect that the strictest clients read.
func TestT02ToolsList(t *testing.T) {
	t.Parallel()
	p := fresh(t)
	tools, raw := p.list()
	total := 0
	for i, s := range tools {
		total += len(raw[i])
		t.Logf("%-15s %5d bytes", s.Name, len(raw[i]))
		if len(raw[i]) > toolLimit {
			t.Errorf("%s takes %d bytes; at most %d", s.Name, len(raw[i]), toolLimit)
		}
		if !regexp.MustCompile(`^[a-z_]{1,64}$`).MatchString(s.Name) || s.Title == "" || len(s.Description) < 60 {
			t.Errorf("%s lacks a plain name, a title or a description", s.Name)
		}
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if _, ok := s.Annotations[hint].(bool); !ok {
				t.Errorf("%s does not say %s", s.Name, hint)
			}
		}
		checkTop(t, s)
	}
	t.Logf("%-15s %5d bytes", "total", total)
	var got []string
	for _, s := range tools {
		got = append(got, s.Name)
	}
	if total >= listLimit {
		t.Errorf("the list takes %d bytes; it must stay below %d", total, listLimit)
	}
	if want := []string{"accept_work", "close_work", "handoff", "handoff_status", "history", "inbox", "list_agents", "memory_stats", "read_message",
		"recall", "record_outcome", "remember", "resume", "return_work", "send_handoff"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	golden(t, raw)
}

func checkTop(t *testing.T, s shown) {
	t.Helper()
	if s.InputSchema["type"] != "object" || s.InputSchema["additionalProperties"] != false {
		t.Errorf("%s: the schema is not a closed object", s.Name)
	}
	for _, word := range []string{"anyOf", "oneOf", "allOf", "$ref", "$defs"} {
		if _, ok := s.InputSchema[word]; ok {
			t.Errorf("%s: %s at the top", s.Name, word)
		}
	}
	props, _ := s.InputSchema["properties"].(map[string]any)
	for name, v := range props {
		prop, ok := v.(map[string]any)
		if !ok {
			t.Fatalf("%s.%s is no schema", s.Name, name)
		}
		if d, _ := prop["description"].(string); d == "" && !slices.Contains(selfExplaining[s.Name], name) {
			t.Errorf("%s.%s has no description", s.Name, name)
		}
		checkSchema(t, s.Name+"."+name, prop)
	}
}

// checkSchema allows one type, or one anyOf of single types, and wants items for an array.
func checkSchema(t *testing.T, path string, s map[string]any) {
	t.Helper()
	typ, typed := s["type"]
	choices, choice := s["anyOf"].([]any)
	switch {
	case typed == choice:
		t.Errorf("%s has neither or both of type and anyOf", path)
	case typed:
		if _, one := typ.(string); !one {
			t.Errorf("%s has several types", path)
		}
	}
	for _, c := range choices {
		alone, ok := c.(map[string]any)
		if _, nested := alone["anyOf"]; !ok || nested {
			t.Errorf("%s: a choice is not a single type", path)
		}
		checkSchema(t, path+"|", alone)
	}
	items, ok := s["items"].(map[string]any)
	if typ == "array" && !ok {
		t.Errorf("%s is an array without items", path)
	}
	if len(items) > 0 {
		checkSchema(t, path+"[]", items)
	}
}

func golden(t *testing.T, raw []json.RawMessage) {
	t.Helper()
	var b bytes.Buffer
	for _, r := range raw {
		if err := json.Indent(&b, r, "", "  "); err != nil {
			t.Fatal(err)
		}
		b.WriteByte('\n')
	}
	file := filepath.Join("testdata", "tools.golden")
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, b.Bytes()) {
		t.Errorf("tools/list is not what %s says; -update rewrites it", file)
	}
}

// The list is the same for everybody: the name stands in the instructions only.
func TestListKnowsNobody(t *testing.T) {
	t.Parallel()
	_, a := fresh(t, as("scout-with-a-rare-name")).list()
	_, b := fresh(t, as("executor")).list()
	for i := range a {
		if !bytes.Equal(a[i], b[i]) || bytes.Contains(a[i], []byte("rare-name")) {
			t.Errorf("differs: %s", a[i])
		}
	}
}

func TestInstructions(t *testing.T) {
	t.Parallel()
	text := instructions("executor")
	first, _, _ := strings.Cut(text, "\n")
	if len(first) > 240 {
		t.Errorf("the first line has %d characters", len(first))
	}
	for _, word := range []string{"memory", "facts", "decisions", "notes", "handoffs", "hand off", "resume", "recall", "remember", "outcomes", "history", "inbox", "messages"} {
		if !strings.Contains(first, word) {
			t.Errorf("nobody who looks for %q finds the first line", word)
		}
	}
	if !strings.Contains(text, "You are executor.") || len(text) > 2_000 {
		t.Errorf("the name is missing or the text too long: %d", len(text))
	}
}

func TestToolsets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sets  []string
		tools int
		has   string
		lacks string
	}{
		{nil, 15, "send_handoff", ""},
		{[]string{"memory"}, 4, "recall", "resume"},
		{[]string{"handoff"}, 3, "resume", "inbox"},
		{[]string{"delivery"}, 8, "inbox", "recall"},
		{[]string{"delivery", "memory", "handoff"}, 15, "handoff", ""},
	} {
		tools, _ := fresh(t, func(o *Options) { o.Toolsets = c.sets }).list()
		var got []string
		for _, s := range tools {
			got = append(got, s.Name)
		}
		if len(got) != c.tools || !slices.Contains(got, c.has) || slices.Contains(got, c.lacks) {
			t.Errorf("%v: got %v", c.sets, got)
		}
	}
}

// What a tool says about itself is so: who only reads, and what may be repeated.
func TestHintsAreHonest(t *testing.T) {
	t.Parallel()
	tools, _ := fresh(t).list()
	reads := []string{"handoff_status", "history", "inbox", "list_agents", "memory_stats", "recall"}
	once := append([]string{"accept_work", "close_work", "read_message", "record_outcome", "return_work"}, reads...)
	for _, s := range tools {
		for hint, want := range map[string]bool{"readOnlyHint": slices.Contains(reads, s.Name), "idempotentHint": slices.Contains(once, s.Name),
			"openWorldHint": false, "destructiveHint": false} {
			if s.Annotations[hint] != want {
				t.Errorf("%s: %s is %v", s.Name, hint, s.Annotations[hint])
			}
		}
	}
}
