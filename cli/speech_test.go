package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
)

// toolWords are words that only a tool call has: an argument with an underscore, or a tool with its arguments.
var toolWords = regexp.MustCompile(`\b[a-z]+_[a-z_]+\b|\b(?:recall|remember|resume|history|handoff) (?:with|without)\b|\bpass(?:ing)? cursor\b|\bwithout cursor\b`)

// ownWords have an underscore and are not a tool's: kinds of outcomes.
var ownWords = []string{"minor_failure", "critical_failure"}

// Every next step of the use cases has been looked at: it stands in the table, and what is typed for it names no tool.
func TestEveryNextStepCanBeTyped(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, p := range phrases {
		if known[p.said] {
			t.Errorf("%q stands in the table twice", p.said)
		}
		known[p.said] = true
		if w := toolWords.FindString(withoutPlaces(p.typed)); w != "" {
			t.Errorf("%q speaks of %q", p.typed, w)
		}
	}
	seen := 0
	useCaseTexts(t, func(at, text string, next bool) {
		if !next {
			return
		}
		seen++
		if !known[text] && strings.ContainsAny(text, "abcdefghijklmnopqrstuvwxyz") {
			t.Errorf("%s: the next step %q has no words for the command line (phrases.go)", at, text)
		}
	})
	if seen < 40 {
		t.Errorf("only %d next steps were found; the search is broken", seen)
	}
}

// No other text of the use cases brings a tool's words to the command line either.
func TestNoTextSpeaksOfTools(t *testing.T) {
	t.Parallel()
	cmd, _, err := newRootCmd(newTestApp()).Find([]string{"remember"})
	if err != nil {
		t.Fatal(err)
	}
	useCaseTexts(t, func(at, text string, _ bool) {
		w := toolWords.FindString(text)
		if w == "" || !strings.Contains(text, " ") || slices.Contains(ownWords, w) {
			return
		}
		if left := toolWords.FindString(typed(cmd, sample(text))); left != "" {
			t.Errorf("%s: %q says %q on the command line (phrases.go)", at, text, left)
		}
	})
}

var commandIn = regexp.MustCompile("testigo ([a-z]+)([^`;,)?]*)")

// What the table says can be typed: its commands and flags exist.
func TestPhrasesNameRealCommands(t *testing.T) {
	t.Parallel()
	root := newRootCmd(newTestApp())
	for _, p := range phrases {
		for _, m := range commandIn.FindAllStringSubmatch(p.typed, -1) {
			cmd, _, err := root.Find([]string{m[1]})
			if err != nil || cmd == root {
				t.Errorf("%q names the command %q", p.typed, m[1])
				continue
			}
			for _, f := range option.FindAllStringSubmatch(m[2], -1) {
				if cmd.Flag(strings.TrimLeft(f[1], "-")) == nil {
					t.Errorf("%q: testigo %s has no flag %s", p.typed, m[1], f[1])
				}
			}
		}
	}
}

func TestArgumentsAreNamedAsTyped(t *testing.T) {
	t.Parallel()
	root := newRootCmd(newTestApp())
	for _, c := range []struct{ command, arg, want string }{
		{"handoff", "to_agent", "--to"}, {"handoff", "summary", "SUMMARY"}, {"handoff", "refs", "--ref"}, {"handoff", "next_steps[1]", "--next number 2"},
		{"handoff", "expires_at", "--expires"}, {"handoff", "request_key", "--request-key"}, {"remember", "key", "NAME"}, {"remember", "scope", "NAME"},
		{"remember", "value", "VALUE"}, {"remember", "expected_version", "--expected-version"}, {"remember", "tags", "--tag"},
		{"recall", "as_of", "--as-of"}, {"recall", "min_confidence", "--min-confidence"}, {"recall", "scope", "NAME"}, {"recall", "query", "WORD"},
		{"outcome", "refs", "NAME"}, {"outcome", "handoff_id", "--handoff"}, {"outcome", "outcome_ref", "REF"}, {"outcome", "outcome", "OUTCOME"},
		{"resume", "handoff_id", "ID"}, {"resume", "from_agent", "--from"}, {"resume", "cwd", "DIR"}, {"log", "id", "ID"},
		{"send", "to", "TO"}, {"send", "to_agent", "TO"}, {"send", "message", "MESSAGE"}, {"send", "request_key", "--key"}, {"send", "due_minutes", "--due"}, {"send", "reply_to", "--reply-to"},
		{"return", "claims[0].how", "--claim number 1 (how)"}, {"return", "summary", "--summary"}, {"close", "outcome", "DECISION"}, {"close", "note", "--note"},
		{"allow", "sender", "SENDER"}, {"config", "connections", "VALUE"}, {"stats", "TESTIGO_AGENT", "TESTIGO_AGENT"}, {"stats", "--db", "--db"},
	} {
		cmd, _, err := root.Find([]string{c.command})
		if err != nil {
			t.Fatal(err)
		}
		if got := word(cmd, c.arg); got != c.want {
			t.Errorf("%s: %s is called %s, want %s", c.command, c.arg, got, c.want)
		}
	}
}

// A flag that was given is named before an argument that means the same.
func TestWhatWasGivenIsNamed(t *testing.T) {
	t.Parallel()
	root := newRootCmd(newTestApp())
	cmd, _, err := root.Find([]string{"recall"})
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.ParseFlags([]string{"--scope", "a//b"}); err != nil {
		t.Fatal(err)
	}
	if got := word(cmd, "scope"); got != "--scope" {
		t.Errorf("got %s", got)
	}
}

func TestTyped(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"resume with peek and handoff_id h_1a2b3c4d shows it": "testigo resume h_1a2b3c4d shows it",
		"name one of h_1, h_2":                                "name one of h_1, h_2",
		"resume with handoff_id h_1 takes it over once that session's process has ended, or after two hours without a sign of life": "testigo resume --claim h_1 takes it over once that session's process has ended, or after two hours without a sign of life",
		"1 of 1 versions shown, oldest first":                  "1 of 1 version shown, oldest first",
		"1 versions and 0 erasures checked: no damage":         "1 version and 0 erasures checked: no damage",
		"version 1 had the tags as_of, b; this one has none":   "version 1 had the tags as_of, b; this one has none",
		"history recall with peek":                             "testigo history recall with peek",
		"characters 1 to 100 of 99002; pass cursor to read on": "characters 1 to 100 of 99002",
	} {
		if got := typed(nil, in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	e := typedError(nil, testigo.Invalid("a", "b"))
	if e.Field != "a" || e.Msg != "b" {
		t.Errorf("an error of no command became %+v", e)
	}
}

func TestShellWords(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"plain": "plain", "": "''", "two words": "'two words'", "it's": `'it'\''s'`, "a/b@3": "a/b@3", "$x": "'$x'"} {
		if got := shellWord("linux", in); got != want {
			t.Errorf("%q became %s, want %s", in, got, want)
		}
	}
	if got := shellWord("windows", `say "so"`); got != `"say \"so\""` {
		t.Errorf("on Windows: %s", got)
	}
	a := &app{env: Env{Args: []string{"recall", "two words", "--cursor", "old", "--limit", "3", "--", "--flag"}}}
	if got := a.again("n7.0a"); got != "testigo recall 'two words' --limit 3 --cursor n7.0a -- --flag" {
		t.Errorf("again: %s", got)
	}
	a.cmd, a.acting = &cobra.Command{}, decided{Value: "scout"}
	if got := a.command("status"); got != "testigo status --as scout" {
		t.Errorf("command: %s", got)
	}
}

// withoutPlaces takes the places out of a text of the table: what is in braces is replaced before anybody reads it.
func withoutPlaces(text string) string {
	return regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(text, "X")
}

// sample is a text as a format would make it.
func sample(format string) string {
	return strings.NewReplacer("%s", "X", "%d", "7", "%q", `"X"`, "%v", "[X Y]").Replace(format)
}

// useCaseTexts visits every text in the packages whose errors and answers the command line shows. Joined texts are one, with
// %s for what is not written out.
func useCaseTexts(t *testing.T, visit func(at, text string, next bool)) {
	t.Helper()
	for _, dir := range []string{"..", "../memory", "../handoff", "../workspace"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", dir, err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			textsOf(file, func(e ast.Expr, text string, next bool) { visit(fset.Position(e.Pos()).String(), text, next) })
		}
	}
}

func textsOf(file *ast.File, visit func(ast.Expr, string, bool)) {
	nexts := map[ast.Expr]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field: // its tag
			return false
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "WithNext" && len(n.Args) > 0 {
				nexts[n.Args[0]] = true
			}
		case *ast.KeyValueExpr:
			if k, ok := n.Key.(*ast.Ident); ok && k.Name == "Next" {
				nexts[n.Value] = true
			}
		}
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		text, some := joined(e)
		if some {
			visit(e, text, nexts[e])
		}
		return !some
	})
}

// joined writes out an expression of joined texts; false for one without any text in it.
func joined(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, e.Kind == token.STRING && err == nil
	case *ast.BinaryExpr:
		left, l := joined(e.X)
		right, r := joined(e.Y)
		if e.Op != token.ADD || !l && !r {
			return "", false
		}
		return left + right, true
	}
	return "%s", false
}
