package faces_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/testigo/testigo"
)

// exception is what one face says of a bad call in the place of what the use case says. A code of "" means that it takes
// the call.
type exception struct {
	what, face     string
	code           testigo.Code
	field, message string
	why            string
}

const (
	onePiece  = "a name is typed in one piece"
	spoken    = "a person reads flags where a model reads arguments: cli's table phrases"
	schema    = "the schema's own check comes before the use case and words the same rule otherwise"
	trimmed   = "a rule of one face: MCP trims recipients and ids, and of the ids only some"
	zeroGiven = "a rule of the faces: the use case cannot tell 0 from nothing, and each says it in other words"
)

var exceptions = []exception{
	{"no scope", "command line", testigo.CodeInvalid, "key", "has no scope", onePiece},
	{"a bad scope", "command line", testigo.CodeInvalid, "key", "must not contain an empty segment (//)", onePiece},
	{"version and time", "command line", testigo.CodeInvalid, "as_of", "cannot be combined with --version", spoken},
	{"a cursor of nothing", "command line", testigo.CodeInvalid, "cursor", "is not one that this command gave", spoken},

	{"an empty tag", "mcp", testigo.CodeInvalid, "tags[0]", "must not be empty", schema},
	{"shouting", "mcp", testigo.CodeInvalid, "notify", "must be one of none, quiet, wake", schema},
	{"a way that is none", "mcp", testigo.CodeInvalid, "claims[0].how", "must be one of stated, hash, command", schema},
	{"an unknown decision", "mcp", testigo.CodeInvalid, "outcome", "must be one of accepted, revision, blocked", schema},
	{"an empty message", "mcp", testigo.CodeInvalid, "message", "is required and must not be empty", schema},
	{"an empty summary", "mcp", testigo.CodeInvalid, "summary", "is required and must not be empty", schema},
	{"work due in a year", "mcp", testigo.CodeInvalid, "due_minutes", "must be between 1 and 43200", schema},

	{"to a name with spaces around", "mcp", "", "", "", trimmed},
	{"a spaced id", "mcp", testigo.CodeNotFound, "id", "there is no handoff <id> here", trimmed},
	{"an empty title", "mcp", testigo.CodeInvalid, "title", "must not be empty", "a rule of one face: elsewhere an empty optional text counts as none"},
	{"a limit of 0", "command line", testigo.CodeInvalid, "limit", "must be 1 or more", zeroGiven},
	{"a limit of 0", "mcp", testigo.CodeInvalid, "limit", "must be between 1 and 100", zeroGiven},
	{"a packet due at once", "command line", testigo.CodeInvalid, "due_minutes", `"0m" is no length of time: write 90m, 2h, 3d or 1w`, zeroGiven},
	{"work due at once", "command line", testigo.CodeInvalid, "due_minutes", `"0m" is no length of time: write 90m, 2h, 3d or 1w`, zeroGiven},
	{"work due at once", "mcp", testigo.CodeInvalid, "due_minutes", "must be between 1 and 43200", zeroGiven},
	{"a relative directory", "command line", testigo.CodeInvalid, "cwd", `there is no directory "here"`, "a person's paths start where the person stands"},
	{"a directory that is not there", "command line", testigo.CodeInvalid, "cwd", `there is no directory "/nowhere/at/all"`, "a rule of one face: a typing mistake in DIR would look like an empty queue"},
	{"a name with a space", "command line", "", "", "", "a gap: words with a space between are a search, so such a fact cannot be read by its name"},
	{"one fact in all projects", "command line", "", "", "", "a flag of the search makes it one: help says so"},
	{"characters of a search", "command line", testigo.CodeInvalid, "", "--version, --as-of and --max-chars read one fact by NAME, such as scope/key",
		"a rule of one face: the use case ignores max_chars in a search"},
	{"no title", "command line", "", "", "", "a person may leave out the title, which is then the summary's first line; a model is made to think of one"},
	{"a dash in an outcome", "command line", "", "", "", "words are typed with dashes as flags are"},
}

// Every face refuses the same calls with the same code, by the same rule, and with the same data to go on with. Next steps
// are not compared: each face names its own calls there, which its own tests check.
func TestRefusals(t *testing.T) {
	t.Parallel()
	all := tellers(t)
	for _, s := range before {
		for _, f := range all {
			f.do(t, s)
		}
	}
	for _, b := range refusals {
		rule := all[0].try(t, b)
		if rule.Code != b.code {
			t.Errorf("%s: the use case says %q, want %q: %s", b.what, rule.Code, b.code, rule.Message)
		}
		for _, f := range all[1:] {
			want, e := rule, exceptionOf(b.what, f.name)
			got := f.try(t, b)
			if e != nil {
				if cmp.Equal(rule, got) {
					t.Errorf("%s: %s says the same as the use case: strike it from the exceptions", b.what, f.name)
					continue
				}
				want = refusal{Code: e.code, Field: e.field, Message: e.message}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s %s %v (-want +%s):\n%s", b.what, b.as, b.op, b.args, f.name, diff)
			}
		}
	}
}

// try makes a call that should be refused and returns how it was; the zero refusal when it was taken.
func (f *teller) try(t *testing.T, b bad) refusal {
	t.Helper()
	got := f.call(t, b.as, b.op, filled(b.args, f.kept).(args))
	if got.bad == nil {
		return refusal{}
	}
	return refusal{Code: got.bad.Code, Field: got.bad.Field, Message: normal(got.bad.Message, f.kept).(string), Data: normal(got.bad.Data, f.kept)}
}

func exceptionOf(what, face string) *exception {
	for i, e := range exceptions {
		if e.what == what && e.face == face {
			return &exceptions[i]
		}
	}
	return nil
}

// Each exception is from a call that is made, so that none is left behind when the call goes.
func TestExceptionsAreUsed(t *testing.T) {
	t.Parallel()
	made := map[string]bool{}
	for _, b := range refusals {
		if made[b.what] {
			t.Errorf("two calls are called %q", b.what)
		}
		made[b.what] = true
	}
	for _, e := range exceptions {
		if !made[e.what] || e.why == "" {
			t.Errorf("the exception %q has no call or no reason", e.what)
		}
	}
}
