package cli

import (
	"strings"

	"github.com/spf13/pflag"
)

// again is the command line that was typed, with a cursor in the place of the one it had.
func (a *app) again(cursor string) string {
	words := []string{"testigo"}
	rest := a.env.Args
	for i := 0; i < len(rest); i++ {
		switch {
		case rest[i] == "--":
			return a.line(append(append(words, "--cursor", cursor), rest[i:]...)...)
		case rest[i] == "--cursor":
			i++ // and its value
		case !strings.HasPrefix(rest[i], "--cursor="):
			words = append(words, rest[i])
		}
	}
	return a.line(append(words, "--cursor", cursor)...)
}

// command is a command line that goes on from the one that ran: in the same store, as the same agent, in the same project.
func (a *app) command(words ...string) string {
	line := append([]string{"testigo"}, words...)
	if a.acting.Value != "" && !a.looking {
		line = append(line, "--as", a.acting.Value)
	}
	if a.cmd != nil {
		a.cmd.Flags().Visit(func(f *pflag.Flag) {
			switch f.Name {
			case "as":
				if a.acting.Value == "" {
					line = append(line, "--as", f.Value.String())
				}
			case "db", "project":
				line = append(line, "--"+f.Name, f.Value.String())
			}
		})
	}
	return a.line(line...)
}

// line joins words so that a shell takes them apart the same way.
func (a *app) line(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = shellWord(a.env.OS, w)
	}
	return strings.Join(quoted, " ")
}

// shellWord quotes a word where a shell would read more into it.
func shellWord(system, w string) string {
	plain := w != ""
	for _, r := range w {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./:@=+,", r)) {
			plain = false
		}
	}
	switch {
	case plain:
		return w
	case system == "windows":
		return `"` + strings.ReplaceAll(w, `"`, `\"`) + `"`
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// next tells the command that goes on from here. It is never broken into lines: a terminal does that itself, and copies it
// whole.
func (a *app) next(line string) {
	if !a.global.JSON {
		a.env.Err.Write([]byte("next: " + visibleLine(line) + "\n")) //nolint:errcheck // there is nobody left to tell
	}
}
