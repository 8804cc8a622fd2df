package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// offeredTo is what a shell would offer for the last word of a command line.
func (u *terminal) offeredTo(line ...string) []string {
	u.t.Helper()
	a := u.ok(append([]string{"__complete"}, line...)...)
	var out []string
	for l := range strings.SplitSeq(strings.TrimSpace(a.out), "\n") {
		if !strings.HasPrefix(l, ":") && l != "" {
			word, _, _ := strings.Cut(l, "\t")
			out = append(out, word)
		}
	}
	return out
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	u := newTerminal(t)
	for _, name := range []string{"boards/example/rate-limit", "boards/example/url", "boards/other/url", "listing/482"} {
		u.ok("remember", name, "1", "--tag", "source", "--tag", "seen")
	}
	u.ok("remember", "shared/one", "1", "--project", "none", "--as", "executor")
	packet := strings.TrimSpace(u.ok("handoff", "Two listings", "--as", "scout", "--to", "executor").out)
	work := strings.TrimSpace(u.ok("send", "scout", "executor", "Draft it", "--title", "Application").out)
	for _, c := range []struct{ line, want string }{
		{"recall boards/ex", "boards/example/rate-limit boards/example/url"},
		{"recall boards/example/u", "boards/example/url"},
		{"recall boards", "boards/example/rate-limit boards/example/url boards/other/url"},
		{"recall ", "boards/example/rate-limit boards/example/url boards/other/url listing/482 shared/one"},
		{"recall nothing", ""},
		{"recall a/b ", ""},
		{"history listing/", "listing/482"},
		{"remember li", "listing/482"},
		{"forget li", "listing/482"},
		{"handoff --ref li", "listing/482"},
		{"outcome success REF li", "listing/482"},
		{"outcome --ref li", "listing/482"},
		{"outcome s", "success"},
		{"recall --tag so", "source"},
		{"handoff --notify q", "quiet"},
		{"handoff --to s", "scout"},
		{"stats --as exe", "executor"},
		{"send exe", "executor"},
		{"allow scout exe", "executor"},
		{"log h_", work + " " + packet},
		{"log " + packet[:6], packet},
		{"resume --claim --as executor " + packet[:6], packet},
		{"read --as executor h_", work},
		{"accept --as executor h_", work},
		{"return --as executor h_", work},
		{"close --as scout h_", work},
		{"close " + work + " r", "revision"},
		{"cancel --as scout h_", work + " " + packet},
		{"cancel --as executor h_", ""},
		{"config c", "connections"},
		{"config connections e", "explicit"},
		{"recall boards/ex --db " + filepath.Join(u.env["HOME"], "none.db") + " --explain li", ""},
		{"recall --as service:x li", ""},
	} {
		if got := strings.Join(u.offeredTo(strings.Split(c.line, " ")...), " "); got != c.want {
			t.Errorf("%q: offered %q, want %q", c.line, got, c.want)
		}
	}
	if _, err := os.Stat(filepath.Join(u.env["HOME"], "none.db")); err == nil {
		t.Error("a store was made to offer words")
	}
}

func TestCompletionIsBounded(t *testing.T) {
	t.Parallel()
	u := newTerminal(t)
	for i := range 60 {
		u.ok("remember", fmt.Sprintf("many/%02d", i), "1")
	}
	if got := u.offeredTo("recall", "many/"); len(got) != offered || got[0] != "many/00" {
		t.Errorf("%d offered: %v", len(got), got)
	}
}

// A shell is never told about an error: without a store there is nothing to offer, and no store is made.
func TestCompletionIsSilent(t *testing.T) {
	t.Parallel()
	u := newTerminal(t)
	a := u.ok("__complete", "recall", "")
	if strings.Contains(a.out+a.err, "testigo:") || !strings.HasPrefix(a.out, ":4") {
		t.Errorf("%q %q", a.out, a.err)
	}
	if _, err := os.Stat(u.env["XDG_DATA_HOME"]); err == nil {
		t.Error("a store was made")
	}
}

// Every flag that the table of offers names exists, and so does every command.
func TestOffersAreRegistered(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		flags []string
	}{
		{"recall", []string{"tag"}}, {"remember", []string{"tag"}}, {"handoff", []string{"ref", "to", "notify"}},
		{"outcome", []string{"ref", "handoff"}}, {"resume", []string{"from"}}, {"send", []string{"to", "ref", "reply-to"}},
	} {
		cmd, _, err := newRootCmd(newTestApp()).Find([]string{c.name})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range c.flags {
			if fn, ok := cmd.GetFlagCompletionFunc(f); !ok || fn == nil {
				t.Errorf("%s --%s offers nothing", c.name, f)
			}
		}
	}
	everyCommand(t, func(c *cobra.Command) {
		if strings.HasSuffix(c.Use, " ID") && c.ValidArgsFunction == nil {
			t.Errorf("%s offers no ids", c.CommandPath())
		}
	})
}
