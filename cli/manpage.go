package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The pages are written here and not by cobra's generator: that one goes through Markdown, and its parser costs every
// start of this program 2.4 ms although only packagers ever call it.

// writePages writes one manual page for cmd and for each command below it.
func writePages(dir string, cmd *cobra.Command) error {
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	if err := os.WriteFile(filepath.Join(dir, name+".1"), []byte(manPage(cmd)), 0o644); err != nil {
		return err
	}
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			continue
		}
		if err := writePages(dir, sub); err != nil {
			return err
		}
	}
	return nil
}

// manPage writes a command's help as a page in the man macros.
func manPage(cmd *cobra.Command) string {
	var b strings.Builder
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".TH \"%s\" \"1\" \"\" \"Testigo\" \"Testigo\"\n", strings.ToUpper(roff(name)))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(cmd.UseLine()))
	about := cmd.Long
	if about == "" {
		about = cmd.Short
	}
	b.WriteString(".SH DESCRIPTION\n" + verbatim(about))
	flags(&b, "OPTIONS", cmd.NonInheritedFlags())
	flags(&b, "OPTIONS OF ALL COMMANDS", cmd.InheritedFlags())
	if cmd.Example != "" {
		b.WriteString(".SH EXAMPLES\n" + verbatim(cmd.Example))
	}
	if also := related(cmd); len(also) > 0 {
		b.WriteString(".SH SEE ALSO\n" + strings.Join(also, ", ") + "\n")
	}
	return b.String()
}

func flags(b *strings.Builder, head string, set *pflag.FlagSet) {
	if !set.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", head)
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		what, usage := pflag.UnquoteUsage(f)
		form := "--" + f.Name
		if f.Shorthand != "" {
			form = "-" + f.Shorthand + ", " + form
		}
		if what != "" {
			form += " " + what
		}
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(form), roff(usage))
	})
}

// related lists the pages above and below.
func related(cmd *cobra.Command) []string {
	var out []string
	add := func(c *cobra.Command) {
		out = append(out, fmt.Sprintf("\\fB%s\\fP(1)", roff(strings.ReplaceAll(c.CommandPath(), " ", "-"))))
	}
	if cmd.HasParent() {
		add(cmd.Parent())
	}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			add(c)
		}
	}
	return out
}

// verbatim keeps the lines of a text as they are: help texts are laid out by hand.
func verbatim(text string) string {
	var b strings.Builder
	b.WriteString(".nf\n")
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		b.WriteString(roff(line) + "\n")
	}
	return b.String() + ".fi\n"
}

// roff escapes what the formatter would take for its own: backslashes, hyphens, and a dot or quote that starts a line.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
