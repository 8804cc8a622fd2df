package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

// recalled shows one fact whole, or a list. Where the list goes across projects, each fact says in which it is.
func (p *page) recalled(res memory.RecallResult, across bool) {
	if res.Fact != nil {
		p.fact(*res.Fact)
		return
	}
	p.facts(res.Facts, across)
}

// facts shows a list: one aligned line for each fact, its value below.
func (p *page) facts(list []memory.Fact, across bool) {
	for i, head := range p.headings(list, across) {
		p.line("%s", head)
		p.valueBelow(list[i])
		p.staleSources("    ", list[i].StaleSources)
		if len(list[i].Explain) > 0 {
			p.line("    %s", p.dim(explained(list[i])))
		}
	}
}

// headings lines the facts up under each other. Where that is wider than the terminal, each name gets a line of its own.
func (p *page) headings(list []memory.Fact, across bool) []string {
	names, rest := make([]string, len(list)), make([][]string, len(list))
	for i, f := range list {
		names[i] = p.bold(visibleLine(f.Name))
		rest[i] = []string{fmt.Sprintf("v%d", f.Version), p.confidence(f.Confidence), f.Age, visibleLine(f.Author)}
		switch {
		case f.Project == nil:
			rest[i] = append(rest[i], p.dim("shared"))
		case across:
			rest[i] = append(rest[i], p.dim(visibleLine(*f.Project)))
		}
	}
	aligned := columns(rest)
	heads := make([][]string, len(list))
	for i := range list {
		heads[i] = []string{names[i], aligned[i]}
	}
	lines := columns(heads)
	for _, l := range lines {
		if p.width > 0 && lipgloss.Width(l) > p.width {
			for i := range lines {
				lines[i] = names[i] + "\n  " + aligned[i]
			}
			break
		}
	}
	return lines
}

func (p *page) valueBelow(f memory.Fact) {
	const margin = "    "
	text, total := plainText(f.Value), 0
	switch {
	case f.ErasedAt != nil:
		p.line("%s%s", margin, p.dim("erased on request"))
		return
	case f.ValueText != "":
		text, total = plainStart(f.ValueText), f.ValueChars
	}
	ref := f.Name
	if !f.Current {
		ref = fmt.Sprintf("%s@%d", f.Name, f.Version)
	}
	p.snippet(margin, text, total, "`testigo recall "+visibleLine(ref)+"`")
}

func explained(f memory.Fact) string {
	parts := make([]string, len(f.Explain))
	for i, e := range f.Explain {
		parts[i] = fmt.Sprintf("%s %.2f", visibleLine(e.Name), e.Value)
	}
	score := ""
	if f.Score != nil {
		score = fmt.Sprintf("score %.2f = ", *f.Score)
	}
	return score + strings.Join(parts, " + ")
}

func (p *page) staleSources(margin string, list []testigo.StaleSource) {
	for _, s := range list {
		what := s.Path
		if what == "" {
			what = "commit " + s.Commit
		}
		text := fmt.Sprintf("source %s: %s", visibleLine(what), s.State)
		if s.Reason != "" {
			text += " (" + visibleLine(s.Reason) + ")"
		}
		p.line("%s%s", margin, p.warn("! "+text))
	}
}

// fact shows one fact with all that is known of it.
func (p *page) fact(f memory.Fact) {
	state := ""
	if !f.Current {
		state = "  " + p.warn("superseded")
	}
	p.line("%s  v%d%s  %s", p.bold(visibleLine(f.Name)), f.Version, state, p.confidence(f.Confidence))
	p.soft(f.Standing)
	p.soft("written " + p.stamp(f.CreatedAt) + " (" + f.Age + ") in " + projectWords(f.Project))
	if f.ConfirmedAt != nil {
		p.soft("last confirmed " + p.stamp(*f.ConfirmedAt) + " by " + f.ConfirmedBy)
	}
	if f.SupersededAt != nil {
		p.soft("superseded " + p.stamp(*f.SupersededAt))
	}
	if len(f.Tags) > 0 {
		p.soft("tags " + strings.Join(f.Tags, ", "))
	}
	for _, s := range f.Sources {
		what := s.Path
		if what == "" {
			what = "commit " + s.Commit
		}
		p.soft("source " + what)
	}
	p.staleSources("", f.StaleSources)
	if f.Damage != "" {
		p.line("%s", p.bad("! "+visibleLine(f.Damage)))
	}
	p.line("")
	switch {
	case f.ErasedAt != nil:
		p.line("erased on request %s", p.stamp(*f.ErasedAt))
	case f.ValueText != "":
		p.quote(f.ValueText)
		if f.More != "" {
			p.line("%s", p.dim("… "+visibleLine(p.typed(f.More))))
		}
	default:
		p.quote(indented(f.Value))
	}
}

// indented is a JSON value as a person likes to read it; short ones stay on their line.
func indented(raw json.RawMessage) string {
	const short = 72
	text := plainText(raw)
	if len(text) <= short || len(raw) == 0 || (raw[0] != '{' && raw[0] != '[') {
		return text
	}
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return text
	}
	return b.String()
}
