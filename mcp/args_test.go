package mcp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
)

// good is a call of each tool that would be accepted but for what a test puts in.
var good = map[string]map[string]string{
	"remember":       {"scope": `"a"`, "key": `"b"`, "value": `1`},
	"recall":         {},
	"history":        {"scope": `"stock"`, "key": `"item-000"`},
	"memory_stats":   {},
	"handoff":        {"title": `"t"`, "summary": `"s"`},
	"resume":         {"peek": `true`},
	"record_outcome": {"outcome": `"success"`, "outcome_ref": `"run 1"`, "refs": `["stock/item-000"]`},
	"send_handoff":   {"to": `"other"`, "message": `"m"`},
	"inbox":          {},
	"read_message":   {"id": `"$work"`},
	"accept_work":    {"id": `"$work"`},
	"return_work":    {"id": `"$work"`, "summary": `"s"`},
	"close_work":     {"id": `"$work"`, "outcome": `"accepted"`},
	"handoff_status": {"id": `"$work"`},
	"list_agents":    {},
}

// ordered is work for the peer from an agent named other, whose id stands for $work in the calls above.
func ordered(p *peer) *strings.Replacer {
	p.Helper()
	p.alive() // it is known by now, and can be written to
	mem := memory.New(p.store)
	res, err := handoff.New(mem).Send(p.Context(), memory.Caller{Agent: "other", Session: "other"}, handoff.SendParams{To: "scout", Message: "m", Title: "t"})
	if err != nil {
		p.Fatal(err)
	}
	return strings.NewReplacer("$work", res.MessageID)
}

func with(tool, name, raw string) string {
	base := good[tool]
	if tool == "recall" && slices.Contains([]string{"key", "version", "as_of"}, name) {
		base = good["history"] // a read by name
	}
	var parts []string
	for k, v := range base {
		if k != name {
			parts = append(parts, fmt.Sprintf("%q:%s", k, v))
		}
	}
	slices.Sort(parts)
	if raw != "" {
		parts = append(parts, fmt.Sprintf("%q:%s", name, raw))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// badFor lists what a parameter must not take.
func badFor(p param) map[string]string {
	bad := map[string]string{}
	wrong := map[string]string{"a string": `"x"`, "a number": `7`, "a boolean": `true`, "a list": `["x"]`, "an object": `{"x":1}`}
	switch p.kind {
	case text:
		delete(wrong, "a string")
		bad["a NUL"] = `"a\u0000b"`
		bad["half a surrogate pair"] = `"a\ud800b"`
		if !p.emptyOK {
			bad["empty"] = `""`
			bad["blank"] = `"  "`
		}
		if p.name != "query" { // a query is any text
			bad["too long"] = `"` + strings.Repeat("x", 210_000) + `"`
		}
		if !slices.Contains([]string{"query", "tag"}, p.name) { // text to look for: it finds nothing
			bad["a control character"] = `"a\u0007b"`
			bad["a direction character"] = `"a\u202eb"`
		}
	case integer, number:
		delete(wrong, "a number")
		bad["negative"] = `-1`
		bad["huge"] = `1e999`
		bad["many digits"] = strings.Repeat("9", 1_200)
		bad["beyond what is exact"] = `90071992547409931`
		if p.kind == integer {
			bad["a fraction"] = `1.5`
		}
	case boolean:
		delete(wrong, "a boolean")
	case list:
		delete(wrong, "a list")
		bad["a list of the wrong kind"] = `[[]]`
		bad["null in a list"] = `[null]`
		bad["too many items"] = `[` + strings.Repeat(`"x/y",`, 300) + `"x/y"]`
	case value:
		wrong = nil
		bad["half a surrogate pair"] = `"\ud800"`
		bad["too long"] = `"` + strings.Repeat("x", 300_000) + `"`
		bad["a long number"] = strings.Repeat("9", 1_200)
		bad["a name twice"] = `{"a":1,"a":2}`
	}
	bad["too deep"] = strings.Repeat("[", 66) + strings.Repeat("]", 66)
	for k, v := range wrong {
		bad[k] = v
	}
	return bad
}

// E05: every argument of every tool, given everything it must not be, is refused by name; nothing is
// written and the session lives.
func TestE05EveryArgumentTimesEveryBadInput(t *testing.T) {
	t.Parallel()
	tools, err := toolsOf(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		t.Run(tool.name, func(t *testing.T) {
			t.Parallel()
			p := fresh(t)
			p.fill(1, func(int) string { return `1` })
			id := ordered(p)
			with := func(tool, name, raw string) string { return id.Replace(with(tool, name, raw)) }
			before := p.print()
			for _, param := range tool.params {
				for what, raw := range badFor(param) {
					blames(t, param.name, what, p.call(tool.name, with(tool.name, param.name, raw)))
				}
				blames(t, param.name, "given twice", p.call(tool.name, `{"`+param.name+`":null,"`+param.name+`":null}`))
				if param.required {
					blames(t, param.name, "missing", p.call(tool.name, with(tool.name, param.name, "")))
					if param.kind != value {
						blames(t, param.name, "null", p.call(tool.name, with(tool.name, param.name, "null")))
					}
				}
			}
			for _, name := range append(slices.Clone(identityNames), "Scope", "no_such_argument", "") {
				if slices.Contains(names(tool.params), name) {
					continue // resume filters by from_agent, which claims nothing
				}
				blames(t, name, "unknown", p.call(tool.name, with(tool.name, name, `"x"`)))
			}
			for _, raw := range []string{`[]`, `"x"`, `7`, `true`} {
				p.refused(testigo.CodeInvalid, tool.name, raw)
			}
			if after := p.print(); after != before {
				t.Errorf("something was written:\n%s\n%s", before, after)
			}
			p.alive()
		})
	}
}

// blames fails unless r is a refusal that names an argument and says what to do.
func blames(t *testing.T, name, what string, r reply) {
	t.Helper()
	e := r.Error
	field, _, _ := strings.Cut(strings.ReplaceAll(e.Field, ".", "["), "[")
	if !r.IsError || e.Code != testigo.CodeInvalid && e.Code != testigo.CodeNotFound || field != name && e.Field != name {
		t.Errorf("%s %s: got %.300s", name, what, r.Text)
		return
	}
	if len(e.Message) < 8 || len(r.Text) > 1_500 {
		t.Errorf("%s %s: not one clear sentence: %.300s", name, what, r.Text)
	}
}

// P17: every argument that the list shows reaches the use case; null means that it was not given.
func TestP17EveryArgumentIsTaken(t *testing.T) {
	t.Parallel()
	fine := map[string]string{
		"scope": `"stock"`, "key": `"item-000"`, "value": `null`, "tags": `["T"]`, "confidence": `0.5`, "sources": `[]`, "expected_version": `0.0`,
		"request_key": `"k"`, "project": `"other"`, "query": `"item"`, "version": `1`, "as_of": `"2026-03-01T12:00:00Z"`, "tag": `"t"`,
		"min_confidence": `0.1`, "limit": `3.0`, "max_chars": `100`, "all_projects": `true`, "verify": `true`, "title": `"t"`, "summary": `"s"`,
		"next_steps": `["n"]`, "open_questions": `["q"]`, "tried": `["x"]`, "refs": `[{"scope":"stock","key":"item-000","project":"none","version":1}]`, "to_agent": `"scout"`,
		"allow_unknown": `true`, "allow_repeat": `true`, "peek": `true`, "from_agent": `"other"`, "cwd": `"/"`, "outcome": `"failure"`, "outcome_ref": `"r"`, "note": `"n"`,
		"to": `" other "`, "message": `"m"`, "due_minutes": `30.0`, "reply_to": `"$work"`, "unread_only": `false`, "wait_seconds": `0.0`,
		"id": `" $work "`, "evidence": `"e"`, "blocked": `true`, "claims": `[{"claim":"c","how":"command","ref":"go test","exit_code":0.0}]`,
	}
	tools, err := toolsOf(nil)
	if err != nil {
		t.Fatal(err)
	}
	p := fresh(t)
	p.fill(1, func(int) string { return `1` })
	id := ordered(p)
	with := func(tool, name, raw string) string { return id.Replace(with(tool, name, raw)) }
	for _, tool := range tools {
		for _, param := range tool.params {
			raw, ok := fine[param.name]
			if !ok { // an id, a claim or a cursor: the sessions in testdata use them
				continue
			}
			r := p.call(tool.name, with(tool.name, param.name, raw))
			if r.IsError && (r.Error.Code == testigo.CodeInternal || strings.Contains(r.Error.Message, "is not an argument")) {
				t.Errorf("%s.%s is not taken: %s", tool.name, param.name, r.Text)
			}
			if !param.required {
				if r := p.call(tool.name, with(tool.name, param.name, "null")); r.IsError && r.Error.Code == testigo.CodeInternal {
					t.Errorf("%s.%s null: %s", tool.name, param.name, r.Text)
				}
			}
		}
	}
}

// P17: a project that is given is the one that is stored and read.
func TestP17ProjectIsHonoured(t *testing.T) {
	t.Parallel()
	p := fresh(t, func(o *Options) { o.Dir = t.TempDir })
	p.ok("remember", `{"scope":"a","key":"b","value":1,"project":"other"}`)
	for _, tool := range []string{"recall", "history"} {
		p.ok(tool, `{"scope":"a","key":"b","project":"other"}`)
		p.refused(testigo.CodeNotFound, tool, `{"scope":"a","key":"b","project":"none"}`)
		p.refused(testigo.CodeNotFound, tool, `{"scope":"a","key":"b"}`)
	}
	h := into[struct{ Project string }](p, p.ok("handoff", `{"title":"t","summary":"s","project":"other","refs":["a/b"]}`))
	if h.Project != "other" {
		t.Errorf("the packet is in %q", h.Project)
	}
	p.ok("record_outcome", `{"outcome":"success","outcome_ref":"r","refs":["a/b"],"project":"other"}`)
	p.refused(testigo.CodeNotFound, "record_outcome", `{"outcome":"success","outcome_ref":"r","refs":["a/b"],"project":"none"}`)
	q := start(t, p.store, p.clock, as("executor"))
	q.greet()
	if r := q.ok("resume", `{"project":"none"}`); strings.Contains(r.Text, `"packet"`) {
		t.Errorf("a packet of another project: %s", r.Text)
	}
	if r := q.ok("resume", `{"project":"other"}`); !strings.Contains(r.Text, `"packet"`) {
		t.Errorf("no packet: %s", r.Text)
	}
}

// Numbers keep every digit, in text and in structured content; a value may be null.
func TestNumbersSurvive(t *testing.T) {
	t.Parallel()
	p := fresh(t)
	const v = `[12345678901234567890,1.0,1e400,-0,0.1000000000000000055511151231257827,null]`
	p.ok("remember", `{"scope":"n","key":"v","value":`+v+`}`)
	r := p.ok("recall", `{"scope":"n","key":"v"}`)
	if !strings.Contains(r.Text, v) || !strings.Contains(string(r.Structured), v) {
		t.Errorf("got %s\nand %s", r.Text, r.Structured)
	}
	p.ok("remember", `{"scope":"n","key":"nil","value":null}`)
	if r := p.ok("recall", `{"scope":"n","key":"nil"}`); !strings.Contains(r.Text, `"value":null`) {
		t.Error(r.Text)
	}
}
