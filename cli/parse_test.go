package cli

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
)

// parsed runs a command's parser only, and returns the options that its run function would have been given.
func parsed[O any](build func(*app, func(context.Context, O) error) *cobra.Command, args ...string) (O, error) {
	var got O
	a := &app{env: Env{Dir: func() (string, error) { return "/nowhere", nil }}}
	cmd := build(a, func(_ context.Context, o O) error { got = o; return nil })
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append([]string{}, args...))
	cmd.SetOut(&bytes.Buffer{})
	cmd.SetErr(&bytes.Buffer{})
	return got, cmd.ExecuteContext(context.Background())
}

func ptr[T any](v T) *T { return &v }

func TestRememberParses(t *testing.T) {
	t.Parallel()
	got, err := parsed(newRememberCmd, "a/b", "-", "--tag", "x", "--tag", "y,z", "--confidence", "0", "--expected-version", "0", "--source", "f.go", "--commit", "abc", "--request-key", "k", "--string")
	if err != nil {
		t.Fatal(err)
	}
	want := rememberOptions{Name: "a/b", Value: "-", HasValue: true, Text: true, Tags: []string{"x", "y,z"}, Sources: []string{"f.go"},
		Commits: []string{"abc"}, Confidence: ptr(0.0), ExpectedVersion: ptr(0), RequestKey: "k"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got, err := parsed(newRememberCmd, "a/b", ""); err != nil || !got.HasValue || got.Confidence != nil || got.ExpectedVersion != nil {
		t.Errorf("an empty VALUE: %+v, %v", got, err)
	}
}

// One argument with a slash is a name; everything else is a search.
func TestRecallTellsNamesFromSearches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want recallOptions
	}{
		{nil, recallOptions{}},
		{[]string{"a/b"}, recallOptions{Name: "a/b"}},
		{[]string{"a/b@3"}, recallOptions{Name: "a/b", Version: 3}},
		{[]string{"a/b@"}, recallOptions{Name: "a/b@"}},
		{[]string{"a/me@home"}, recallOptions{Name: "a/me@home"}},
		{[]string{"a/b", "--version", "3"}, recallOptions{Name: "a/b", Version: 3}},
		{[]string{"a/b@3", "--version", "3"}, recallOptions{Name: "a/b", Version: 3}},
		{[]string{"a/b", "--as-of", "2026-03-01T09:00:00Z"}, recallOptions{Name: "a/b", AsOf: "2026-03-01T09:00:00Z"}},
		{[]string{"word"}, recallOptions{Query: "word"}},
		{[]string{"word@3"}, recallOptions{Query: "word@3"}},
		{[]string{"two words"}, recallOptions{Query: "two words"}},
		{[]string{"a/b c"}, recallOptions{Query: "a/b c"}},
		{[]string{"a/b", "c/d"}, recallOptions{Query: "a/b c/d"}},
		{[]string{"--query", "a/b"}, recallOptions{Query: "a/b"}},
		{[]string{"--query", "--flag"}, recallOptions{Query: "--flag"}},
		{[]string{"--", "--flag"}, recallOptions{Query: "--flag"}},
		{[]string{"a/b", "--scope", "s"}, recallOptions{Query: "a/b", Scope: "s"}},
		{[]string{"a/b", "--all-projects"}, recallOptions{Query: "a/b", AllProjects: true}},
		{[]string{"--min-confidence", "0"}, recallOptions{MinConfidence: ptr(0.0)}},
	} {
		got, err := parsed(newRecallCmd, c.args...)
		if err != nil {
			t.Errorf("%q: %v", c.args, err)
			continue
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%q: %s", c.args, d)
		}
	}
}

func TestResumeTellsDirectoriesFromPackets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want resumeOptions
	}{
		{nil, resumeOptions{}},
		{[]string{"."}, resumeOptions{Dir: "."}},
		{[]string{"../x"}, resumeOptions{Dir: "../x"}},
		{[]string{"h_1a2b3c4d"}, resumeOptions{ID: "h_1a2b3c4d"}},
		{[]string{"--claim"}, resumeOptions{Claim: true}},
		{[]string{"--claim", "h_1a2b3c4d"}, resumeOptions{Claim: true, ID: "h_1a2b3c4d"}},
		{[]string{"h_1a2b3c4d", "--dir", "x", "--claim"}, resumeOptions{Claim: true, ID: "h_1a2b3c4d", Dir: "x"}},
		{[]string{"--put-back", "--from", "scout"}, resumeOptions{PutBack: true, From: "scout"}},
	} {
		got, err := parsed(newResumeCmd, c.args...)
		if err != nil {
			t.Errorf("%q: %v", c.args, err)
			continue
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%q: %s", c.args, d)
		}
	}
}

func TestOutcomeParses(t *testing.T) {
	t.Parallel()
	got, err := parsed(newOutcomeCmd, "minor-failure", "run 12", "a/b", "--ref", "c/d@2", "--handoff", "h_1a2b3c4d#2", "--note", "n")
	if err != nil {
		t.Fatal(err)
	}
	want := outcomeOptions{Outcome: "minor_failure", Ref: "run 12", Names: []string{"a/b", "c/d@2"}, Handoff: "h_1a2b3c4d#2", Note: "n"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestHandoffParses(t *testing.T) {
	t.Parallel()
	got, err := parsed(newHandoffCmd, "body", "--title", "t", "--next", "a, b", "--next", "c", "--open", "q", "--tried", "x", "--ref", "a/b@1", "--to", "executor")
	if err != nil {
		t.Fatal(err)
	}
	want := handoffOptions{Title: "t", Summary: "body", NextSteps: []string{"a, b", "c"}, OpenQuestions: []string{"q"}, Tried: []string{"x"}, Refs: []string{"a/b@1"}, To: "executor"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got, err := parsed(newHandoffCmd, "-m", "-"); err != nil || !got.FromInput {
		t.Errorf("- was not taken as the standard input: %+v, %v", got, err)
	}
}

// What cannot be parsed never runs.
func TestParsersRefuse(t *testing.T) {
	t.Parallel()
	refused := map[string]error{}
	note := func(what string, err error) { refused[what] = err }
	_, err := parsed(newRememberCmd)
	note("remember without NAME", err)
	_, err = parsed(newRememberCmd, "a/b")
	note("remember without VALUE", err)
	_, err = parsed(newRememberCmd, "a/b", "1", "2")
	note("remember with three arguments", err)
	_, err = parsed(newRememberCmd, "a/b", "1", "--value-file", "f")
	note("remember with two values", err)
	_, err = parsed(newRecallCmd, "a/b@1", "--version", "2")
	note("recall of two versions", err)
	_, err = parsed(newRecallCmd, "a/b@0")
	note("recall of version 0", err)
	_, err = parsed(newRecallCmd, "a/b@99999999999999999999")
	note("recall of a version that no number holds", err)
	_, err = parsed(newRecallCmd, "word", "--version", "2")
	note("recall of a version of a search", err)
	_, err = parsed(newRecallCmd, "word", "--query", "x")
	note("recall with two queries", err)
	_, err = parsed(newHandoffCmd, "body", "-m", "other")
	note("handoff with two summaries", err)
	_, err = parsed(newResumeCmd, "--claim", "--put-back")
	note("resume both ways", err)
	_, err = parsed(newOutcomeCmd, "success")
	note("outcome without REF", err)
	_, err = parsed(newForgetCmd)
	note("forget without NAME", err)
	for what, err := range refused {
		if testigo.CodeOf(err) != testigo.CodeInvalid {
			t.Errorf("%s: got %v, want invalid", what, err)
		}
	}
}

func TestSpansOfTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for in, want := range map[string]string{"": "", "2h": "2026-03-01T11:00:00Z", "3d": "2026-03-04T09:00:00Z", "1w": "2026-03-08T09:00:00Z",
		"2026-04-01T00:00:00+02:00": "2026-04-01T00:00:00+02:00"} {
		if got, err := expiry(in, now); err != nil || got != want {
			t.Errorf("expiry(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"x", "0h", "-1h", "0d", "99999999999d", "1e9h", "9999999h", "1.5d"} {
		if got, err := expiry(in, now); err == nil {
			t.Errorf("expiry(%q) = %q, want an error", in, got)
		}
	}
	for in, want := range map[string]int{"": 0, "90m": 90, "2h": 120, "3d": 4320} {
		if got, err := dueMinutes(in); err != nil || got != want {
			t.Errorf("dueMinutes(%q) = %d, %v; want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"30s", "90s", "1ms"} {
		if _, err := dueMinutes(in); err == nil {
			t.Errorf("dueMinutes(%q): want an error", in)
		}
	}
}
