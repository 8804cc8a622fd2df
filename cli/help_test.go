package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
)

func everyCommand(t *testing.T, visit func(*cobra.Command)) {
	t.Helper()
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		visit(c)
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRootCmd(newTestApp()))
}

func newTestApp() *app {
	return &app{env: Env{Getenv: func(string) string { return "" }, Dir: func() (string, error) { return "/nowhere", nil }}}
}

// Every help text says what a command is for and shows how it is used.
func TestEveryCommandHasHelp(t *testing.T) {
	t.Parallel()
	everyCommand(t, func(c *cobra.Command) {
		if !c.HasParent() {
			return
		}
		if c.Short == "" || c.Example == "" {
			t.Errorf("%s has no short text or no example", c.CommandPath())
		}
		if strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: a short text is no sentence", c.CommandPath())
		}
		if c.Args == nil {
			t.Errorf("%s does not say how many arguments it takes", c.CommandPath())
		}
		for line := range strings.SplitSeq(c.Long+"\n"+c.Example, "\n") {
			if len([]rune(line)) > 120 {
				t.Errorf("%s: a line of %d characters: %s", c.CommandPath(), len([]rune(line)), line)
			}
		}
	})
}

// Every example can be parsed: its command, flags and number of arguments exist.
func TestExamplesParse(t *testing.T) {
	t.Parallel()
	everyCommand(t, func(c *cobra.Command) {
		if !c.HasParent() {
			return
		}
		for line := range strings.SplitSeq(strings.ReplaceAll(c.Example, "\\\n", " "), "\n") {
			words := shellWords(line)
			at := -1
			for i, w := range words {
				if w == "testigo" && at < 0 {
					at = i + 1
				}
			}
			if at < 0 {
				t.Errorf("%s: an example without testigo: %s", c.CommandPath(), line)
				continue
			}
			cmd, rest, err := newRootCmd(newTestApp()).Find(words[at:])
			if err == nil {
				err = cmd.ParseFlags(rest)
			}
			if err == nil {
				err = cmd.ValidateArgs(cmd.Flags().Args())
			}
			if err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	})
}

// shellWords splits a command line at blanks outside quotes and ends at a redirection.
func shellWords(line string) []string {
	var words []string
	var word strings.Builder
	quoted, some := false, false
	for _, r := range line + " " {
		switch {
		case r == '\'':
			quoted, some = !quoted, true
		case r == ' ' && !quoted:
			if word.String() == "<" {
				return words
			}
			if word.Len() > 0 || some {
				words = append(words, word.String())
			}
			word.Reset()
			some = false
		default:
			word.WriteRune(r)
		}
	}
	return words
}

// The root help lists every exit code, and every word code under the exit code it leads to.
func TestExitTable(t *testing.T) {
	t.Parallel()
	table := exitTable()
	for _, code := range testigo.Codes() {
		found := false
		for line := range strings.SplitSeq(table, "\n") {
			if strings.Contains(line, string(code)) && strings.HasPrefix(strings.TrimSpace(line), string(rune('0'+code.Exit()))) {
				found = true
			}
		}
		if !found {
			t.Errorf("%s is not under %d:\n%s", code, code.Exit(), table)
		}
	}
}

// A fault of ours is one line for a person, and its place only for who asked for it.
func TestPanicIsAnInternalError(t *testing.T) {
	t.Parallel()
	u := newTerminal(t)
	u.in = ""
	broken := func(args ...string) answer {
		var out, errs strings.Builder
		env := u.environment(nil, nil, args)
		env.Out, env.Err = &out, &errs
		env.Login = func() string { panic("a fault") }
		return answer{Run(t.Context(), env), out.String(), errs.String()}
	}
	a := broken("whoami")
	if a.code != 1 || !strings.Contains(a.err, "testigo: internal error") || strings.Contains(a.err, "goroutine") || strings.Contains(a.err, "a fault") {
		t.Errorf("exit code %d: %s", a.code, a.err)
	}
	if a := broken("whoami", "--json"); !strings.HasPrefix(a.err, `{"error":{"code":"internal"`) {
		t.Errorf("--json: %s", a.err)
	}
	u.env["TESTIGO_DEBUG"] = "1"
	if a := broken("whoami"); !strings.Contains(a.err, "goroutine") {
		t.Errorf("TESTIGO_DEBUG shows nothing: %s", a.err)
	}
}
