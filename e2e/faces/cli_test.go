package faces_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/testigo/testigo/cli"
)

// terminal runs each call as a process of its own would run, inside a host's session.
type terminal struct {
	dir string
	env map[string]string
}

func newTerminal(t *testing.T, dir string) *terminal {
	t.Helper()
	home := t.TempDir()
	return &terminal{dir: dir, env: map[string]string{"HOME": home, "TESTIGO_DB": filepath.Join(home, "testigo.db"), "TESTIGO_PROJECT": project}}
}

// command says how an operation is typed: its words, which arguments stand by position, and the flags of the others. The
// names are those of the parameter struct.
type command struct {
	words []string
	args  []string
	flags map[string]string
}

var commands = map[string]command{
	"remember": {[]string{"remember"}, []string{"key", "value"}, map[string]string{"scope": "in NAME", "tags": "--tag", "confidence": "--confidence",
		"sources": "--source or --commit", "expected_version": "--expected-version", "request_key": "--request-key", "project": "--project"}},
	"recall": {[]string{"recall"}, []string{"key"}, map[string]string{"query": "--query", "scope": "--scope", "version": "--version", "as_of": "--as-of",
		"tag": "--tag", "min_confidence": "--min-confidence", "limit": "--limit", "explain": "--explain", "cursor": "--cursor",
		"max_chars": "--max-chars", "project": "--project", "all_projects": "--all-projects"}},
	"history":      {[]string{"history"}, []string{"key"}, map[string]string{"scope": "in NAME", "limit": "--limit", "cursor": "--cursor", "project": "--project"}},
	"memory_stats": {[]string{"stats"}, nil, map[string]string{"verify": "--verify"}},
	"verify":       {[]string{"verify"}, nil, nil},
	"handoff": {[]string{"handoff"}, nil, map[string]string{"title": "--title", "summary": "--summary", "next_steps": "--next", "open_questions": "--open",
		"tried": "--tried", "refs": "--ref", "to_agent": "--to", "allow_unknown": "--allow-unknown", "allow_repeat": "--allow-repeat",
		"expects_return": "--expects-return", "due_minutes": "--due", "expires_at": "--expires", "notify": "--notify",
		"request_key": "--request-key", "project": "--project"}},
	"resume": {[]string{"resume"}, []string{"handoff_id"}, map[string]string{"peek": "", "put_back": "--put-back", "from_agent": "--from", "cwd": "--dir",
		"max_chars": "--max-chars", "cursor": "--cursor", "project": "--project"}},
	"record_outcome": {[]string{"outcome"}, []string{"outcome", "outcome_ref"}, map[string]string{"refs": "--ref", "note": "--note",
		"handoff_id": "--handoff", "project": "--project"}},
	"send_handoff": {[]string{"send"}, []string{"to", "message"}, map[string]string{"title": "--title", "due_minutes": "--due", "key": "--key",
		"reply_to": "--reply-to", "refs": "--ref", "next_steps": "--next", "open_questions": "--open", "expires_at": "--expires",
		"notification": "--notification", "project": "--project"}},
	"inbox":        {[]string{"inbox"}, nil, map[string]string{"all": "--all", "limit": "--limit", "cursor": "--cursor"}},
	"read_message": {[]string{"read"}, []string{"id"}, map[string]string{"max_chars": "--max-chars", "cursor": "--cursor"}},
	"accept_work":  {[]string{"accept"}, []string{"id"}, nil},
	"return_work": {[]string{"return"}, []string{"id"}, map[string]string{"summary": "--summary", "evidence": "--evidence",
		"blocked": "--blocked", "claims": "--claim"}},
	"close_work":     {[]string{"close"}, []string{"id", "outcome"}, map[string]string{"note": "--note"}},
	"handoff_status": {[]string{"status"}, []string{"id"}, nil},
	"list_agents":    {[]string{"agent", "list"}, nil, nil},
}

func (u *terminal) arrive(t *testing.T, agent string) {
	t.Helper()
	u.call(t, agent, "list_agents", nil) // a command makes the agent known that it was run as
}

func (u *terminal) call(t *testing.T, agent, op string, a args) answer {
	t.Helper()
	var out, errs bytes.Buffer
	env := map[string]string{"CLAUDE_CODE_SESSION_ID": sessionOf(agent)}
	code := cli.Run(t.Context(), cli.Env{
		Args: append([]string{"--json", "--as", agent}, typed(t, op, a)...), In: strings.NewReader(""), Out: &out, Err: &errs,
		Getenv: func(name string) string { return u.env[name] + env[name] }, Dir: func() (string, error) { return u.dir, nil },
		Login: func() string { return "keeper" }, OS: "linux", Local: time.UTC,
	})
	if code == 0 {
		return answer{value: decoded(t, out.Bytes())}
	}
	lines := strings.Split(strings.TrimSpace(errs.String()), "\n")
	last := []byte(lines[len(lines)-1]) // talk comes first
	var e struct{ Error refusal }
	if err := json.Unmarshal(last, &e); err != nil {
		t.Fatalf("%s %v: exit code %d and no JSON: %s", op, a, code, errs.String())
	}
	if want := e.Error.Code.Exit(); code != want {
		t.Errorf("%s %v: exit code %d for %s, want %d", op, a, code, e.Error.Code, want)
	}
	if e.Error.Data != nil {
		e.Error.Data = decoded(t, encoded(t, e.Error.Data))
	}
	e.Error.Field = argument(op, e.Error.Field)
	return answer{bad: &e.Error}
}

// usageWords are the names in usage lines of arguments that stand by position.
var usageWords = map[string][]string{"NAME": {"key", "refs"}, "ID": {"handoff_id", "id"}, "OUTCOME": {"outcome"}, "DECISION": {"outcome"},
	"REF": {"outcome_ref"}, "TO": {"to"}, "MESSAGE": {"message"}, "VALUE": {"value"}}

// argument is the use case's name of what an error calls by its name on the command line.
func argument(op, word string) string {
	c := commands[op]
	if word == "" {
		return ""
	}
	word, rest, _ := strings.Cut(word, " number ")
	if rest != "" { // number 1 (ref)
		var n int
		var member string
		if _, err := fmt.Sscanf(strings.Trim(rest, ")"), "%d (%s", &n, &member); err == nil {
			rest = fmt.Sprintf("[%d].%s", n-1, member)
		}
	}
	for _, name := range sortedKeys(c.flags) {
		if flag := c.flags[name]; flag == word || strings.HasPrefix(flag, word+" or ") {
			return name + rest
		}
	}
	for _, name := range usageWords[word] {
		if _, flag := c.flags[name]; flag || slices.Contains(c.args, name) {
			return name
		}
	}
	return word
}

// typed is the command line for a call.
func typed(t *testing.T, op string, a args) []string {
	t.Helper()
	c := commands[op]
	line := slices.Clone(c.words)
	if a["scope"] != nil && a["key"] != nil { // a name is typed in one piece
		a = maps.Clone(a)
		a["key"] = fmt.Sprintf("%v/%v", a["scope"], a["key"])
		delete(a, "scope")
	}
	for _, name := range sortedKeys(a) {
		if !slices.Contains(c.args, name) {
			line = append(line, flags(t, op, c.flags, name, a[name])...)
		}
	}
	if op == "resume" && a["peek"] == nil && a["put_back"] == nil { // a model picks up, a person looks first
		line = append(line, "--claim")
	}
	line = append(line, "--") // what begins with a dash is an argument all the same
	last := -1
	for i, name := range c.args {
		if _, ok := a[name]; ok {
			last = i
		}
	}
	for _, name := range c.args[:last+1] {
		v, given := a[name]
		text, isText := v.(string)
		switch {
		case !given: // a missing one before a given one can only be typed as empty
		case name == "value" || !isText:
			text = string(encoded(t, v))
		}
		line = append(line, text)
	}
	return line
}

func flags(t *testing.T, op string, known map[string]string, name string, v any) []string {
	t.Helper()
	flag, ok := known[name]
	switch {
	case !ok:
		t.Fatalf("%s: the command line has no %s; say so in notOffered and leave it out of the story", op, name)
	case flag == "": // it is what happens without any flag
		return nil
	case name == "due_minutes":
		return []string{fmt.Sprintf("%s=%vm", flag, v)}
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	var line []string
	for _, v := range list {
		text, isText := v.(string)
		source, isSource := v.(map[string]any)
		switch {
		case name == "sources" && isSource && source["path"] != nil:
			line = append(line, fmt.Sprintf("--source=%v", source["path"]))
		case name == "sources" && isSource:
			line = append(line, fmt.Sprintf("--commit=%v", source["commit"]))
		case isText:
			line = append(line, flag+"="+text)
		default:
			line = append(line, flag+"="+string(encoded(t, v)))
		}
	}
	return line
}
