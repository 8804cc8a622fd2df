package command

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/testigo/testigo"
)

// A string is cut into words and never given to a shell.
func TestP13StringCommandIsSplit(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		`prog a  b`:              {"prog", "a", "b"},
		`prog 'a b' "c d"`:       {"prog", "a b", "c d"},
		`prog a\ b "q\"x" 'i\n'`: {"prog", "a b", `q"x`, `i\n`},
		`prog "" ''`:             {"prog", "", ""},
		`prog $HOME | cat > x`:   {"prog", "$HOME", "|", "cat", ">", "x"},
		`a"b"'c'd`:               {"abcd"},
		`prog "\x \\ \$"`:        {"prog", `\x \ $`},
		" \t\n":                  nil,
		`prog "open`:             nil,
		`prog 'open`:             nil,
		`prog \`:                 nil,
	} {
		got, err := split(line)
		if !slices.Equal(got, want) || (err != nil) != (want == nil && strings.Contains(line, "prog")) {
			t.Errorf("%q: %q %v", line, got, err)
		}
	}
	s, err := parse(json.RawMessage(`{"command":"prog '{text_file}' x"}`))
	if err != nil || !slices.Equal(s.argv, []string{"prog", "{text_file}", "x"}) || s.timeout != time.Hour || s.requestTimeout != 30*time.Second {
		t.Errorf("%+v %v", s, err)
	}
}

// Each bad setting is named and explained; what is not ours is left alone.
func TestP14BadSettingsAreExplained(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		``:                                    "command",
		`null`:                                "command",
		`{}`:                                  "command",
		`[]`:                                  "settings",
		`{"command":[]}`:                      "command",
		`{"command":""}`:                      "command",
		`{"command":[""]}`:                    "command",
		`{"command":7}`:                       "command",
		`{"command":["a",1]}`:                 "command",
		`{"command":"a 'b"}`:                  "command",
		`{"command":["a\u0000"]}`:             "command",
		`{"command":"a","timeout":0}`:         "timeout",
		`{"command":"a","timeout":-1}`:        "timeout",
		`{"command":"a","timeout":"1h"}`:      "timeout",
		`{"command":"a","timeout":1e300}`:     "timeout",
		`{"command":"a","env":"HOME"}`:        "env",
		`{"command":"a","env":["A=b"]}`:       "env",
		`{"command":"a","inherit_env":"yes"}`: "inherit_env",
		`{"command":"a","status_url":"http://h"}`:               "url",
		`{"command":"a","callback":true}`:                       "url",
		`{"url":"ftp://h"}`:                                     "url",
		`{"url":"h/x"}`:                                         "url",
		`{"url":"http://"}`:                                     "url",
		`{"url":"http://u:p@h"}`:                                "url",
		`{"url":1}`:                                             "url",
		`{"url":"http://h","status_url":"x"}`:                   "status_url",
		`{"url":"http://h","request_timeout":0}`:                "request_timeout",
		`{"url":"http://h","headers":[]}`:                       "headers",
		`{"url":"http://h","headers":{"A b":"c"}}`:              "headers",
		`{"url":"http://h","headers":{"A":"b\r\nC: d"}}`:        "headers",
		`{"url":"http://h","headers":{"idempotency-key":"1"}}`:  "headers",
		`{"url":"http://h","headers":{"X-Idempotency-Key":""}}`: "headers",
		`{"url":"http://h","headers":{"authorization":"x"}}`:    "headers",
		`{"url":"http://h","headers":{"Host":"x"}}`:             "headers",
		`{"url":"http://h","bearer_file":"token"}`:              "bearer_file",
		`{"url":"http://h","hmac_file":3}`:                      "hmac_file",
	} {
		err := Validate(json.RawMessage(raw))
		e := testigo.AsError(err)
		if err == nil || e.Code != testigo.CodeInvalid || e.Field != want || e.Msg == "" {
			t.Errorf("%s: %v", raw, err)
		}
	}
	for _, raw := range []string{`{"command":["a"]}`, `{"url":"http://h","command":["a"],"max_turn":5,"headers":{"X-Team":"blue"}}`, `{"command":"a","timeout":null}`} {
		if err := Validate(json.RawMessage(raw)); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

// Prepare tells about bad settings first, activity does not: the target is idle.
func TestP15PrepareRaisesFirst(t *testing.T) {
	t.Parallel()
	p := New(Options{Runs: t.TempDir()})
	target := testigo.Target{Settings: json.RawMessage(`{"command":7}`)}
	if a, err := p.Activity(t.Context(), target); err != nil || a.State != testigo.TurnFinished {
		t.Error(a, err)
	}
	if err := p.Prepare(t.Context(), target); testigo.CodeOf(err) != testigo.CodeInvalid {
		t.Error(err)
	}
	if _, err := p.Start(t.Context(), target, testigo.Turn{RequestID: "r"}); err == nil {
		t.Error("it started")
	}
}

func FuzzSplit(f *testing.F) {
	f.Add(`prog 'a b' "c\"d" e\ f`)
	f.Fuzz(func(t *testing.T, line string) {
		words, err := split(line)
		if err != nil {
			return
		}
		quoted := make([]string, len(words))
		for i, w := range words {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		again, err := split(strings.Join(quoted, " "))
		if err != nil || !slices.Equal(words, again) {
			t.Errorf("%q: %q, again %q %v", line, words, again, err)
		}
	})
}
