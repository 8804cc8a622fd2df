package faces_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// step is one call of a story. keep gives names to texts of its answer, by path.
type step struct {
	as, op string
	args   args
	keep   map[string]string
}

type list = []any

var digest = strings.Repeat("ab", 32)

// facts are written, confirmed, searched and read by two agents.
var facts = []step{
	{as: "scout", op: "remember", args: args{"key": "boards/example/rate-limit", "value": 30, "tags": list{"Board", "limit"}, "confidence": 0.8,
		"sources": list{map[string]any{"path": "limits.yml"}, map[string]any{"commit": "0123abc"}}, "request_key": "first"}},
	{as: "scout", op: "remember", args: args{"key": "boards/example/rate-limit", "value": 30, "tags": list{"Board", "limit"}, "confidence": 0.8,
		"sources": list{map[string]any{"path": "limits.yml"}, map[string]any{"commit": "0123abc"}}, "request_key": "first"}},
	{as: "executor", op: "remember", args: args{"key": "boards/example/rate-limit", "value": 30, "tags": list{"Board", "limit"}, "confidence": 0.9,
		"sources": list{map[string]any{"path": "limits.yml"}, map[string]any{"commit": "0123abc"}}}},
	{as: "scout", op: "recall", args: args{"key": "boards/example/rate-limit"}, keep: map[string]string{"made": "fact.created_at"}},
	{as: "scout", op: "remember", args: args{"key": "boards/example/rate-limit", "value": map[string]any{"per": "minute", "limit": 60}, "expected_version": 1}},
	{as: "scout", op: "remember", args: args{"key": "listing/482/assessment", "value": "a good fit; the rate limit is no trouble", "expected_version": 0, "tags": list{"listing"}}},
	{as: "scout", op: "remember", args: args{"scope": "house", "key": "style", "value": nil, "project": "none"}},
	{as: "scout", op: "remember", args: args{"key": "house/style", "value": "short sentences", "project": "none"}},
	{as: "scout", op: "remember", args: args{"key": "notes/long", "value": strings.Repeat("one word after the other ", 100)}},
	{as: "executor", op: "recall", args: args{"key": "boards/example/rate-limit"}},
	{as: "executor", op: "recall", args: args{"key": "boards/example/rate-limit", "version": 1}},
	{as: "executor", op: "recall", args: args{"key": "boards/example/rate-limit", "as_of": "$made"}},
	{as: "executor", op: "recall", args: args{"scope": "house", "key": "style", "project": "none"}},
	{as: "executor", op: "recall", args: args{"key": "notes/long", "max_chars": 40}, keep: map[string]string{"further": "fact.cursor"}},
	{as: "executor", op: "recall", args: args{"key": "notes/long", "max_chars": 40, "cursor": "$further"}},
	{as: "executor", op: "recall", args: args{}},
	{as: "executor", op: "recall", args: args{"query": "rate limit"}},
	{as: "executor", op: "recall", args: args{"query": "rate limit", "limit": 1}, keep: map[string]string{"page": "cursor"}},
	{as: "executor", op: "recall", args: args{"query": "rate limit", "limit": 1, "cursor": "$page"}},
	{as: "executor", op: "recall", args: args{"query": "word", "all_projects": true}},
	{as: "executor", op: "recall", args: args{"query": "nothing of the kind"}},
	{as: "executor", op: "recall", args: args{"scope": "boards", "min_confidence": 0.5}},
	{as: "executor", op: "recall", args: args{"tag": "LISTING", "project": project}},
	{as: "executor", op: "record_outcome", args: args{"outcome": "minor_failure", "outcome_ref": "ticket 12", "note": "position filled", "project": project,
		"refs": list{"listing/482/assessment@1", "boards/example/rate-limit"}}},
	{as: "executor", op: "history", args: args{"key": "boards/example/rate-limit"}},
	{as: "executor", op: "history", args: args{"key": "boards/example/rate-limit", "limit": 1, "project": project}, keep: map[string]string{"second": "cursor"}},
	{as: "executor", op: "history", args: args{"scope": "boards/example", "key": "rate-limit", "cursor": "$second"}},
}

// packets pass from the scout to the executor, with pins of which one moves on.
var packets = []step{
	{as: "scout", op: "handoff", args: args{"title": "Rate limit", "summary": "Back-off works.\nThe guess is unchecked.", "next_steps": list{"measure it", "-write it down"},
		"open_questions": list{"is 60 enough?"}, "tried": list{"no back-off at all"}, "refs": list{"boards/example/rate-limit@1", "listing/482/assessment"},
		"to_agent": "executor", "due_minutes": 90, "expires_at": "2099-01-01T00:00:00Z", "notify": "none", "request_key": "packet"},
		keep: map[string]string{"packet": "id"}},
	{as: "scout", op: "handoff", args: args{"title": "Rate limit", "summary": "Back-off works.\nThe guess is unchecked.", "next_steps": list{"measure it", "-write it down"},
		"open_questions": list{"is 60 enough?"}, "tried": list{"no back-off at all"}, "refs": list{"boards/example/rate-limit@1", "listing/482/assessment"},
		"to_agent": "executor", "due_minutes": 90, "expires_at": "2099-01-01T00:00:00Z", "notify": "none", "request_key": "packet"}},
	{as: "scout", op: "handoff", args: args{"title": "For whoever is next", "summary": "Everything this session touched.", "project": project}, keep: map[string]string{"anybodys": "id"}},
	{as: "scout", op: "handoff", args: args{"title": "For whoever is next", "summary": "Everything this session touched."}},
	{as: "scout", op: "handoff", args: args{"title": "For whoever is next", "summary": "Everything this session touched.", "allow_repeat": true}},
	{as: "scout", op: "handoff", args: args{"title": "For later", "summary": "It will come.", "to_agent": "newcomer", "allow_unknown": true, "expects_return": true}},
	{as: "executor", op: "resume", args: args{"peek": true}},
	{as: "executor", op: "resume", args: args{"peek": true, "project": project, "from_agent": "nobody", "cwd": "$cwd"}},
	{as: "executor", op: "resume", args: args{"peek": true, "handoff_id": "$packet"}},
	{as: "executor", op: "resume", args: args{"peek": true, "handoff_id": "$packet", "max_chars": 200}, keep: map[string]string{"parts": "cursor"}},
	{as: "executor", op: "resume", args: args{"peek": true, "handoff_id": "$packet", "max_chars": 200, "cursor": "$parts"}},
	{as: "executor", op: "resume", args: args{}},
	{as: "executor", op: "resume", args: args{"handoff_id": "$packet"}},
	{as: "executor", op: "resume", args: args{"put_back": true, "handoff_id": "$packet#1"}},
	{as: "executor", op: "resume", args: args{"from_agent": "scout"}},
	{as: "executor", op: "resume", args: args{"put_back": true}},
	{as: "executor", op: "resume", args: args{"handoff_id": "$packet"}},
	{as: "executor", op: "record_outcome", args: args{"outcome": "success", "outcome_ref": "ci run 1"}},
	{as: "executor", op: "record_outcome", args: args{"outcome": "success", "outcome_ref": "ci run 2", "handoff_id": "$packet#3"}},
	{as: "executor", op: "record_outcome", args: args{"outcome": "success", "outcome_ref": "ci run 2", "handoff_id": "$packet"}},
	{as: "executor", op: "resume", args: args{"handoff_id": "$anybodys"}},
	{as: "executor", op: "history", args: args{"key": "listing/482/assessment"}},
	{as: "executor", op: "handoff_status", args: args{"id": "$packet"}},
}

// work goes back and forth until it is done, beside messages that ask for nothing.
var work = []step{
	{as: "scout", op: "send_handoff", args: args{"to": "executor", "message": "The board was limited at noon.", "key": "note"}, keep: map[string]string{"note": "messageId"}},
	{as: "scout", op: "send_handoff", args: args{"to": "executor", "message": "The board was limited at noon.", "key": "note"}},
	{as: "scout", op: "send_handoff", args: args{"to": "executor", "message": "Draft the application.", "title": "Application", "due_minutes": 120,
		"refs": list{"listing/482/assessment", "boards/example/rate-limit@1"}, "next_steps": list{"write", "send"}, "open_questions": list{"which rate?"},
		"reply_to": "$note"}, keep: map[string]string{"work": "messageId"}},
	{as: "scout", op: "send_handoff", args: args{"to": "executor", "message": "- begins with a dash", "title": "Small"}, keep: map[string]string{"small": "messageId"}},
	{as: "executor", op: "inbox", args: args{}},
	{as: "executor", op: "inbox", args: args{"limit": 1}, keep: map[string]string{"mail": "cursor"}},
	{as: "executor", op: "inbox", args: args{"cursor": "$mail"}},
	{as: "executor", op: "read_message", args: args{"id": "$note"}},
	{as: "executor", op: "read_message", args: args{"id": "$note", "max_chars": 5}, keep: map[string]string{"body": "cursor"}},
	{as: "executor", op: "read_message", args: args{"id": "$note", "cursor": "$body"}},
	{as: "executor", op: "read_message", args: args{"id": "$work"}},
	{as: "executor", op: "accept_work", args: args{"id": "$work"}},
	{as: "executor", op: "accept_work", args: args{"id": "$work"}},
	{as: "executor", op: "return_work", args: args{"id": "$work#1", "summary": "Sent.", "evidence": "ci run 3", "claims": list{
		map[string]any{"claim": "they answer soon"},
		map[string]any{"claim": "tests pass", "how": "command", "ref": "go test ./...", "exit_code": 0},
		map[string]any{"claim": "the draft", "how": "hash", "ref": "draft.md@" + digest}}}, keep: map[string]string{"return": "returnMessageId"}},
	{as: "executor", op: "return_work", args: args{"id": "$small", "summary": "It cannot be done.", "blocked": true}, keep: map[string]string{"blocked": "returnMessageId"}},
	{as: "scout", op: "inbox", args: args{"all": false}},
	{as: "scout", op: "read_message", args: args{"id": "$return"}},
	{as: "scout", op: "close_work", args: args{"id": "$return", "outcome": "revision", "note": "Name the rate."}, keep: map[string]string{"next": "successor"}},
	{as: "scout", op: "close_work", args: args{"id": "$small", "outcome": "blocked", "note": "So be it."}},
	{as: "executor", op: "resume", args: args{"handoff_id": "$next"}},
	{as: "executor", op: "return_work", args: args{"id": "$next", "summary": "95 an hour."}, keep: map[string]string{"answer": "returnMessageId"}},
	{as: "scout", op: "close_work", args: args{"id": "$next", "outcome": "accepted"}},
	{as: "scout", op: "handoff_status", args: args{"id": "$work"}},
	{as: "executor", op: "handoff_status", args: args{"id": "$next"}},
	{as: "scout", op: "handoff_status", args: args{}},
	{as: "executor", op: "handoff_status", args: args{}},
	{as: "executor", op: "inbox", args: args{"all": true}},
	{as: "scout", op: "list_agents", args: args{}},
	{as: "bystander", op: "inbox", args: args{}},
	{as: "scout", op: "memory_stats", args: args{}},
	{as: "scout", op: "memory_stats", args: args{"verify": true}},
	{as: "scout", op: "verify", args: args{}},
	{as: "scout", op: "handoff", args: args{"title": "Nothing pinned", "summary": "On purpose.", "refs": list{}}},
}

var agents = []string{"scout", "executor", "bystander"}

// teller goes through a story at one face and remembers what was kept.
type teller struct {
	name string
	face
	kept map[string]string
}

func tellers(t *testing.T) []*teller {
	t.Helper()
	var out []*teller
	for _, f := range faces(t) {
		for _, a := range agents {
			f.arrive(t, a)
		}
		out = append(out, &teller{name: f.name, face: f.face, kept: map[string]string{"cwd": f.dir}})
	}
	return out
}

// do runs a step, which has to succeed, and keeps what it says.
func (f *teller) do(t *testing.T, s step) any {
	t.Helper()
	got := f.call(t, s.as, s.op, filled(s.args, f.kept).(args))
	if got.bad != nil {
		t.Fatalf("%s: %s refuses %s %v: %+v", f.name, s.as, s.op, s.args, *got.bad)
	}
	for _, name := range sortedKeys(s.keep) {
		f.kept[name] = at(t, got.value, s.keep[name])
	}
	return normal(got.value, f.kept)
}

// Every operation with the same arguments answers the same at every face (architecture.md, firm rule 2).
func TestAnswers(t *testing.T) {
	t.Parallel()
	all := tellers(t)
	needed := make([]bool, len(differences))
	for i, s := range story() {
		values := make([]any, len(all))
		for j, f := range all {
			values[j] = f.do(t, s)
		}
		alike(s.op, s.args, values, needed)
		for j, f := range all[1:] {
			if diff := cmp.Diff(values[0], values[j+1]); diff != "" {
				t.Errorf("step %d, %s %s %v (-%s +%s):\n%s", i, s.as, s.op, s.args, all[0].name, f.name, diff)
			}
		}
	}
	for i, d := range differences {
		if !needed[i] {
			t.Errorf("%s does not differ in %q: strike it from the differences", d.op, d.path)
		}
	}
}

// The story uses every argument that all faces offer, and every operation.
func TestStoryIsWhole(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, s := range story() {
		for name := range s.args {
			used[s.op+"."+name] = true
		}
		used[s.op] = true
	}
	for op, names := range offered(t) {
		if !used[op] {
			t.Errorf("the story has no %s", op)
		}
		for _, name := range names {
			if !used[op+"."+name] && notOffered[op+"."+name] == "" {
				t.Errorf("the story never gives %s to %s", name, op)
			}
		}
	}
	for _, s := range story() {
		for name := range s.args {
			if notOffered[s.op+"."+name] != "" {
				t.Errorf("%s.%s is said not to be offered everywhere, and the story gives it", s.op, name)
			}
		}
	}
}

func story() []step {
	var all []step
	for _, part := range [][]step{facts, packets, work} {
		all = append(all, part...)
	}
	return all
}
