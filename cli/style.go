package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
)

// ansi16 is lipgloss's name for the sixteen colours that every terminal has. Naming the profile keeps lipgloss from
// asking the terminal what it is, which would cost a round trip at every start.
const ansi16 = 2

// styles paint text; without colours they hand it back.
type styles struct {
	bold, dim, good, warn, bad func(string) string
	width                      int
	bars                       bool
}

func newStyles(out io.Writer, colour bool, terminal bool, width int) styles {
	keep := func(s string) string { return s }
	st := styles{bold: keep, dim: keep, good: keep, warn: keep, bad: keep, width: width, bars: terminal}
	if !colour {
		return st
	}
	r := lipgloss.NewRenderer(out)
	r.SetColorProfile(ansi16)
	paint := func(s lipgloss.Style) func(string) string {
		return func(text string) string { return s.Render(text) }
	}
	st.bold = paint(r.NewStyle().Bold(true))
	st.dim = paint(r.NewStyle().Faint(true))
	st.good = paint(r.NewStyle().Foreground(lipgloss.Color("2")))
	st.warn = paint(r.NewStyle().Foreground(lipgloss.Color("3")))
	st.bad = paint(r.NewStyle().Foreground(lipgloss.Color("1")))
	return st
}

// confidence shows a number between 0 and 1, on a terminal with a bar of five cells.
func (s styles) confidence(c float64) string {
	text := fmt.Sprintf("%.2f", c)
	if s.bars {
		full := int(c*5 + 0.5)
		text = strings.Repeat("▰", full) + strings.Repeat("▱", 5-full) + " " + text
	}
	switch {
	case c >= 0.7:
		return s.good(text)
	case c >= 0.4:
		return s.warn(text)
	}
	return s.bad(text)
}

// pad fills text up to width columns as a terminal counts them.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-lipgloss.Width(text)))
}

// columns lines cells up under each other, two spaces apart; the last one of a row is not filled up.
func columns(rows [][]string) []string {
	var widths []int
	for _, r := range rows {
		for i, cell := range r {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], lipgloss.Width(cell))
		}
	}
	lines := make([]string, len(rows))
	for n, r := range rows {
		var b strings.Builder
		for i, cell := range r {
			if i == len(r)-1 {
				b.WriteString(cell)
				break
			}
			b.WriteString(pad(cell, widths[i]) + "  ")
		}
		lines[n] = strings.TrimRight(b.String(), " ")
	}
	return lines
}
