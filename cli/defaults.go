package cli

import (
	"context"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
)

const (
	// maxTakenTitle is how long a title taken from a summary gets, in characters: about one line of a list.
	maxTakenTitle = 80
	// noSummary says that nothing was said; a packet never makes something up.
	noSummary = "No summary was given."
)

// fillIn gives a packet the title and summary that its writer left out (fault D11).
func (a *app) fillIn(ctx context.Context, d *desk, p *handoff.Params) error {
	if p.Title == "" {
		p.Title = titleOf(p.Summary)
	}
	if p.Title == "" {
		p.Title = plainTitle(d)
		if project, err := d.mem.Project(ctx, d.caller, p.Project); err != nil {
			return err
		} else if project.ID != testigo.NoProject {
			p.Title += " in " + titleOf(filepath.Base(project.ID))
		}
	}
	if strings.TrimSpace(p.Summary) == "" {
		p.Summary = noSummary
	}
	return nil
}

func plainTitle(d *desk) string { return "Handoff from " + d.caller.Agent }

// titleOf makes a title of the first line that says something: what a title may not hold becomes a space.
func titleOf(summary string) string {
	for line := range strings.SplitSeq(summary, "\n") {
		line = strings.Map(func(r rune) rune {
			if hides(r) && r != 0x200c && r != 0x200d {
				return ' '
			}
			return r
		}, strings.ToValidUTF8(line, ""))
		line = strings.TrimSpace(strings.TrimLeft(strings.Join(strings.Fields(line), " "), "#>*- "))
		if line == "" {
			continue
		}
		if utf8.RuneCountInString(line) <= maxTakenTitle {
			return line
		}
		cut := string([]rune(line)[:maxTakenTitle-1])
		if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
			cut = cut[:i]
		}
		return cut + "…"
	}
	return ""
}
