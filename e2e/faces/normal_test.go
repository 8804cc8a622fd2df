package faces_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
)

// noise is what no two runs of the same story share. It is replaced wherever it stands in a text, so that whether there is
// a time or an id still counts.
var noise = []struct {
	what string
	re   *regexp.Regexp
	as   string
}{
	{"an id that the story did not keep: ids are random", regexp.MustCompile(`\bh_[0-9a-f]{8}\b`), "<id>"},
	{"a time: only the use cases called directly and MCP have a clock that a test can give", regexp.MustCompile(`\b20\d\d-\d\d-\d\dT[0-9:.]+(Z|[+-]\d\d:\d\d)`), "<time>"},
	{"an age, told from such a time", regexp.MustCompile(`\b(just now|\d+ min ago)\b`), "<age>"},
	{"a hash: it covers a random salt and a time", regexp.MustCompile(`\b[0-9a-f]{64}\b`), "<hash>"},
}

// difference is a part of an answer that differs between faces and may. A path leads through objects by name; "[]" goes
// into each element of a list. With when it holds only for calls with such arguments.
type difference struct {
	op, path, why string
	when          func(args) bool
}

var differences = []difference{
	{op: "memory_stats", path: "store.location", why: "each face has a file of its own here"},
	{op: "memory_stats", path: "store.id", why: "so has each an id"},
	{op: "memory_stats", path: "store.bytes", why: "a command that ends leaves no write-ahead log behind"},
	{op: "handoff_status", path: "history[].seq", why: "numbers are shared with what sessions have seen, which a server stores with its next write and a command at once"},
	{op: "inbox", path: "cursor", why: "it is such a number; the next step goes on with it, so that it is there is checked"},
	{op: "resume", path: "packet", when: isGlance, why: "the command line shows beside the queue the packet that would be picked up: a person looks before taking"},
	{op: "handoff_status", path: "unread", when: withoutID, why: "the command line adds what waits: a person types one command where a model has a tool for each question"},
	{op: "handoff_status", path: "packetsWaiting", when: withoutID, why: "the same"},
	{op: "handoff", path: "pins", when: pinsNothing, why: "a gap: no flag says that nothing is to be pinned, so everything is that the session touched"},
	{op: "handoff", path: "notes", when: pinsNothing, why: "the same"},
}

func pinsNothing(a args) bool {
	refs, ok := a["refs"].(list)
	return ok && len(refs) == 0
}

func isGlance(a args) bool {
	return a["peek"] == true && a["handoff_id"] == nil && a["cursor"] == nil
}

func withoutID(a args) bool { return a["id"] == nil }

// normal replaces noise in a decoded answer. Ids that the story kept get their name there.
func normal(v any, kept map[string]string) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[k] = normal(x, kept)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = normal(x, kept)
		}
		return out
	case string:
		for _, name := range sortedKeys(kept) {
			if id := kept[name]; strings.HasPrefix(id, "h_") {
				v = strings.ReplaceAll(v, id, "<"+name+">")
			}
		}
		for _, n := range noise {
			v = n.re.ReplaceAllStringFunc(v, func(s string) string {
				if strings.Trim(s, "0") == "" { // the hash before the first
					return s
				}
				return n.as
			})
		}
		return v
	}
	return v
}

// cut removes what a path leads to and returns what was there, as JSON.
func cut(v any, path string) string {
	head, rest, more := strings.Cut(path, ".")
	name, each := strings.CutSuffix(head, "[]")
	o, ok := v.(map[string]any)
	if !ok {
		return ""
	}
	x, ok := o[name]
	switch {
	case !ok:
		return ""
	case !more && !each:
		delete(o, name)
		b, err := json.Marshal(x)
		if err != nil {
			return err.Error()
		}
		return string(b)
	case !each:
		return cut(x, rest)
	}
	var found []string
	list, _ := x.([]any)
	for _, item := range list {
		found = append(found, cut(item, rest))
	}
	return strings.Join(found, " ")
}

// alike removes from the answers of all faces what may differ, and notes which rows were needed for it.
func alike(op string, a args, values []any, needed []bool) {
	for i, d := range differences {
		if d.op != op || d.when != nil && !d.when(a) {
			continue
		}
		var found []string
		for _, v := range values {
			if was := cut(v, d.path); !slices.Contains(found, was) {
				found = append(found, was)
			}
		}
		needed[i] = needed[i] || len(found) > 1
	}
}

// at reads the text that a path of names leads to.
func at(t *testing.T, v any, path string) string {
	t.Helper()
	for _, name := range strings.Split(path, ".") {
		o, ok := v.(map[string]any)
		if !ok {
			t.Fatalf("there is no %s in %v", path, v)
		}
		v = o[name]
	}
	s, ok := v.(string)
	if !ok || s == "" {
		t.Fatalf("%s is no text: %v", path, v)
	}
	return s
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
