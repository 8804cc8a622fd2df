package cli

import (
	"fmt"

	"github.com/testigo/testigo/memory"
)

// checkup shows what doctor found; what deserves attention comes last, where the eye is.
func (p *page) checkup(c checkup) {
	p.line("%s %s", p.bold("program"), c.Program.Version)
	p.section("settings", settingRows(p, c.Settings))
	p.line("%s %s", p.bold("store"), visibleLine(c.Store.Value))
	if i := c.Info; i != nil {
		kind := "with projects"
		if i.Flat {
			kind = "flat"
		}
		if i.ReadOnly {
			kind += ", open read-only"
		}
		p.line("  %s, schema %d, %s, %s", i.Backend, i.Schema, bytesWords(i.Bytes), kind)
	}
	if c.Device != "" {
		p.line("  %s", visibleLine(c.Device))
	}
	var files [][]string
	for _, f := range c.Files {
		files = append(files, []string{f.Mode, bytesWords(f.Bytes), visibleLine(f.Path)})
	}
	p.rows("  ", files)
	if c.Writer != "" {
		p.line("  %s", c.Writer)
	}
	p.checks(c)
	var programs [][]string
	for _, i := range c.Programs {
		mark := ""
		if i.First {
			mark = "first"
		}
		if i.This {
			mark += " this one"
		}
		programs = append(programs, []string{visibleLine(i.Path), visibleLine(i.Version), p.dim(mark)})
	}
	p.section("programs on PATH", programs)
	if len(c.Problems) == 0 {
		p.line("%s", p.good("nothing to complain about"))
		return
	}
	p.line("%s", p.bold("worth attention"))
	for _, w := range c.Problems {
		p.line("  %s %s", p.warn("!"), visible(w))
	}
}

func settingRows(p *page, list []setting) [][]string {
	var rows [][]string
	for _, s := range list {
		rows = append(rows, []string{s.What, visibleLine(s.Value), p.dim(from(s.decided))})
	}
	return rows
}

func (p *page) checks(c checkup) {
	if c.Info == nil {
		return
	}
	if c.Reindexed {
		p.line("  the search index was made anew")
	}
	switch {
	case c.Verification != nil:
		p.verification(*c.Verification)
	case len(c.Index) == 0:
		p.line("  %s %s", p.good("pages, rows and search index agree"), p.dim("(--full checks every hash)"))
	default:
		for _, d := range c.Index {
			p.line("  %s %s %s", p.bad(string(d.Kind)), visibleLine(d.Name), visibleLine(d.Detail))
		}
	}
	scope := "all"
	if !c.Secrets.All {
		scope = "the newest"
	}
	p.line("  %s", p.dim(fmt.Sprintf("looked for secrets in %s %s: %d found", scope, memory.Count(c.Secrets.Looked, "row", "rows"), len(c.Secrets.Rows))))
	for _, r := range c.Secrets.Rows {
		p.line("  %s %s %s", p.warn("!"), visibleLine(r.Name), p.dim(r.Rule))
	}
}
