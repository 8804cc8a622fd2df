package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var (
	mention = regexp.MustCompile("(?m)(?:^ *|`)testigo ([a-z-]+)([^\n`|;)#]*)")
	option  = regexp.MustCompile(`(?:^|\s)(--[a-z][a-z-]*|-[a-z])\b`)
)

// Z04: every command and flag that the documents name exists, and the one command that removes anything is never
// recommended: where it is named, it says that it is a person's.
func TestDocumentsNameRealCommandsZ04(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, "../README.md", "../CONTRIBUTING.md", "../CHANGELOG.md")
	root := newRootCmd(&app{env: FromOS()})
	root.InitDefaultCompletionCmd("testigo")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mention.FindAllStringSubmatch(string(text), -1) {
			cmd, _, err := root.Find([]string{m[1]})
			if err != nil || cmd == root {
				if isCode(m[0]) {
					t.Errorf("%s names the command %q, which does not exist", file, "testigo "+m[1])
				}
				continue
			}
			checkFlags(t, file, cmd, m[2])
			if cmd.Name() == "forget" && !strings.Contains(string(text), "person") {
				t.Errorf("%s names forget and does not say whose command it is", file)
			}
		}
	}
}

// isCode tells a command line from the product's name in a sentence.
func isCode(s string) bool { return strings.HasPrefix(s, "`") || strings.HasPrefix(s, "    ") }

func checkFlags(t *testing.T, file string, cmd *cobra.Command, args string) {
	t.Helper()
	for _, f := range option.FindAllStringSubmatch(args, -1) {
		name := strings.TrimLeft(f[1], "-")
		found := cmd.Flags().Lookup(name) != nil || cmd.InheritedFlags().Lookup(name) != nil || name == "help"
		if len(name) == 1 {
			found = found || cmd.Flags().ShorthandLookup(name) != nil
		}
		for _, sub := range cmd.Commands() {
			found = found || sub.Flags().Lookup(name) != nil
		}
		if !found {
			t.Errorf("%s: testigo %s has no flag %s", file, cmd.Name(), f[1])
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`)

// Every link from one document to another leads somewhere.
func TestDocumentsLinkToWhatExists(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, "../README.md", "../CONTRIBUTING.md", "../CHANGELOG.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), m[1])); err != nil {
				t.Errorf("%s links to %s, which does not exist", file, m[1])
			}
		}
	}
}
