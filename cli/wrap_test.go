package cli

import (
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
)

func TestWrapBreaksBetweenWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"one two three", 7, []string{"one two", "three"}},
		{"one two three", 8, []string{"one two", "three"}},
		{"a remarkably long word", 13, []string{"a remarkably", "long word"}},
		{"incomprehensibilities", 8, []string{"incompre", "hensibil", "ities"}},
		{"see incomprehensibilities", 8, []string{"see inco", "mprehens", "ibilitie", "s"}},
		{"\x1b[1mone\x1b[0m two three", 7, []string{"\x1b[1mone\x1b[0m two", "three"}},
		{"汉字汉字", 4, []string{"汉字", "汉字"}},
		{"no width", 0, []string{"no width"}},
	} {
		if got := wrap(c.text, c.width); strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("wrap(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestReflow(t *testing.T) {
	t.Parallel()
	got := reflow("One paragraph laid out\nby hand.\n\nFlags:\n  --a   what it does\n  --b", 12)
	if want := "One\nparagraph\nlaid out by\nhand.\n\nFlags:\n  --a   what\n    it does\n  --b"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// No line of any list is wider than the terminal, and no word is cut that would fit a line.
func TestNarrowTerminal(t *testing.T) {
	t.Parallel()
	u := newTerminal(t)
	u.env["NO_COLOR"] = "1"
	u.ok("remember", "source/boards-example/rate-limit", `"thirty requests per minute, measured twice and never exceeded since"`, "--as", "executor")
	id := strings.TrimSpace(u.ok("handoff", "--title", "Two listings and one caveat about the source of them", "-m", "Measured twice.",
		"--ref", "source/boards-example/rate-limit", "--as", "scout", "--to", "executor").out)
	u.ok("remember", "source/boards-example/rate-limit", `"twenty"`, "--as", "executor")
	work := strings.TrimSpace(u.ok("send", "scout", "executor", "Draft the application for listing 482, please.", "--title", "Application for listing 482", "--due", "2h").out)
	const width = 40
	u.tty, u.width = true, width
	for _, args := range [][]string{
		{"recall"}, {"recall", "source/boards-example/rate-limit"}, {"history", "source/boards-example/rate-limit"}, {"resume", "--as", "executor"},
		{"resume", id}, {"log", id}, {"inbox", "executor"}, {"read", work}, {"status"}, {"status", work}, {"status", "--as", "scout"}, {"agent", "list"},
		{"stats"}, {"verify"}, {"whoami"}, {"config"}, {"help", "send"}, {"remember", "--help"}, {"--help"}, {},
	} {
		a := u.ok(args...)
		for l := range strings.SplitSeq(a.out, "\n") {
			if lipgloss.Width(l) > width {
				t.Errorf("%v: %d columns: %q", args, lipgloss.Width(l), l)
			}
		}
		for l := range strings.SplitSeq(a.err, "\n") {
			if lipgloss.Width(l) > width && !strings.HasPrefix(l, "next: ") {
				t.Errorf("%v on stderr: %d columns: %q", args, lipgloss.Width(l), l)
			}
		}
	}
}

// Where lines are not broken, a list shows the beginning of a value and how to read the rest.
func TestPipedPreviewsAreShort(t *testing.T) {
	t.Parallel()
	u := newTerminal(t)
	u.ok("remember", "notes/long", strings.Repeat("many words ", 60))
	for l := range strings.SplitSeq(u.ok("recall").out, "\n") {
		if n := len(l); n > 210 {
			t.Errorf("a line of %d characters: %q", n, l)
		}
	}
	if a := u.ok("recall"); !strings.Contains(a.out, "of 66") || !strings.Contains(a.out, "`testigo recall notes/long`") {
		t.Errorf("it does not say how much there is: %s", a.out)
	}
}
