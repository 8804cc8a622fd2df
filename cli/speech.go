package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

// The use cases speak of tools and their arguments, because models are their first readers. A person types commands and
// flags: here, and only here, the one becomes the other. The texts are in the table phrases; a test walks the use cases
// and fails when one of theirs is missing.

// argWords says how an argument of a tool may be written on the command line, the form to prefer first. What stands here
// in capitals is an argument of a command, as its usage line calls it.
var argWords = map[string][]string{
	"to_agent": {"TO", "--to"}, "to": {"TO", "--to"}, "from_agent": {"--from"}, "sender": {"SENDER"}, "recipient": {"RECIPIENT"},
	"handoff_id": {"--handoff", "ID"}, "id": {"ID"}, "cwd": {"DIR", "--dir"}, "dir": {"DIR", "--dir"}, "agent": {"AGENT", "--as"},
	"key": {"NAME", "--key"}, "scope": {"NAME", "--scope"}, "value": {"VALUE"}, "query": {"WORD", "--query"},
	"tags": {"--tag"}, "sources": {"--source"}, "refs": {"NAME", "--ref"}, "request_key": {"--request-key", "--key"},
	"outcome": {"OUTCOME", "DECISION"}, "outcome_ref": {"REF"}, "summary": {"SUMMARY", "--summary"}, "message": {"MESSAGE"},
	"next_steps": {"--next"}, "open_questions": {"--open"}, "due_minutes": {"--due"}, "expires_at": {"--expires"},
	"claims": {"--claim"}, "connections": {"VALUE"}, "versions": {"--version"},
}

// word names an argument of a tool as it is written for cmd: what was given wins, then the form to prefer. What a
// command does not take keeps its name.
func word(cmd *cobra.Command, arg string) string {
	base, place := arg, ""
	if i := strings.IndexAny(arg, "[."); i > 0 {
		base, place = arg[:i], placeWords(arg[i:])
	}
	if cmd == nil || base == "" {
		return arg
	}
	forms := append(slices.Clone(argWords[base]), "--"+strings.ReplaceAll(base, "_", "-"))
	for _, f := range forms {
		if flag := cmd.Flag(strings.TrimPrefix(f, "--")); strings.HasPrefix(f, "--") && flag != nil && flag.Changed {
			return f + place
		}
	}
	for _, f := range forms {
		if name, isFlag := strings.CutPrefix(f, "--"); isFlag && cmd.Flag(name) != nil || !isFlag && takes(cmd, f) {
			return f + place
		}
	}
	return arg
}

// takes reports whether a command's usage line names an argument.
func takes(cmd *cobra.Command, arg string) bool {
	for _, w := range strings.FieldsFunc(cmd.Use, func(r rune) bool { return !('A' <= r && r <= 'Z') }) {
		if w == arg {
			return true
		}
	}
	return false
}

// placeWords says which of several is meant: "[1].how" is " number 2 (how)".
func placeWords(place string) string {
	index, rest, _ := strings.Cut(strings.TrimPrefix(place, "["), "]")
	n, err := strconv.Atoi(index)
	if err != nil {
		return place
	}
	text := fmt.Sprintf(" number %d", n+1)
	if rest = strings.TrimPrefix(rest, "."); rest != "" {
		text += " (" + rest + ")"
	}
	return text
}

// typed translates a text of a use case for the command that runs. A text that is not in the table stays as it is.
func (a *app) typed(text string) string { return typed(a.cmd, text) }

func typed(cmd *cobra.Command, text string) string {
	for _, p := range phrases {
		if parts, ok := matches(p.said, text); ok {
			return fill(cmd, p.typed, parts)
		}
	}
	return text
}

// typedError translates an error for the command that ran.
func typedError(cmd *cobra.Command, err error) *testigo.Error {
	e := *testigo.AsError(err)
	e.Msg, e.Next = typed(cmd, e.Msg), typed(cmd, e.Next)
	if e.Field == "scope" && word(cmd, "scope") == "NAME" && e.Msg == "is required" {
		e.Msg = "has no scope" // who types a name gives both at once
	}
	if e.Field != "" {
		e.Field = word(cmd, e.Field)
	}
	return &e
}

// matches compares a text with the format it was made from and returns what stands for its verbs.
func matches(format, text string) ([]string, bool) {
	var parts []string
	for {
		i := verb(format)
		if i < 0 {
			return parts, text == format
		}
		rest, ok := strings.CutPrefix(text, format[:i])
		if !ok {
			return nil, false
		}
		format = format[i+2:]
		end := len(rest)
		if next := verb(format); next >= 0 {
			end = strings.Index(rest, format[:next])
		} else if !strings.HasSuffix(rest, format) {
			return nil, false
		} else {
			end -= len(format)
		}
		if end < 0 {
			return nil, false
		}
		parts, text = append(parts, rest[:end]), rest[end:]
	}
}

// verb is where the first verb of a format is, or -1.
func verb(format string) int {
	for i := 0; i+1 < len(format); i++ {
		if format[i] == '%' && strings.IndexByte("sdvq", format[i+1]) >= 0 {
			return i
		}
	}
	return -1
}

// fill puts into {1}, {2} what was found, and into {name} how the command calls an argument. {1|row rows} is a count with
// the word that agrees with it.
func fill(cmd *cobra.Command, text string, parts []string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		inner, after, _ := strings.Cut(rest, "}")
		text = after
		name, form, _ := strings.Cut(inner, "|")
		n, err := strconv.Atoi(name)
		if err != nil || n < 1 || n > len(parts) {
			b.WriteString(word(cmd, name))
			continue
		}
		b.WriteString(shaped(parts[n-1], form))
	}
}

func shaped(part, form string) string {
	if form == "" {
		return part
	}
	n, err := strconv.Atoi(part)
	one, many, _ := strings.Cut(form, " ")
	if err != nil {
		return part + " " + many
	}
	return memory.Count(n, one, many)
}

// spanWords is a length of time as people say it, in at most two units: 45 s, 10 min, 1 h 30 min, 3 d.
func spanWords(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		h, m := int(d.Hours()), int(d.Minutes())%60
		if m == 0 {
			return fmt.Sprintf("%d h", h)
		}
		return fmt.Sprintf("%d h %d min", h, m)
	}
	return fmt.Sprintf("%d d", int(d.Hours()/24))
}
