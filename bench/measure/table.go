package measure

import (
	"fmt"
	"strings"
)

// Table is a Markdown table with a title and remarks below.
type Table struct {
	Title string
	Head  []string
	rows  []string
	notes []string
}

// Row adds a line. The cells behind the name are one format text with "|" between them, so that a line of code reads like
// the line of the table.
func (t *Table) Row(name, cells string, args ...any) {
	t.rows = append(t.rows, "| "+name+" | "+fmt.Sprintf(cells, args...)+" |")
}

// Note adds a remark.
func (t *Table) Note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

func (t Table) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n### %s\n\n| %s |\n|%s\n", t.Title, strings.Join(t.Head, " | "), strings.Repeat("---|", len(t.Head)))
	for _, r := range t.rows {
		b.WriteString(r + "\n")
	}
	for i, n := range t.notes {
		if i == 0 {
			b.WriteByte('\n')
		}
		b.WriteString("- " + n + "\n")
	}
	return b.String()
}

func (r Ratio) String() string { return fmt.Sprintf("%.2f (%.2f–%.2f)", r.Median, r.Low, r.High) }

// AtLeast and AtMost say what a target asks and whether it is met. Nothing fails by it: benchmarks report.
func AtLeast(got, target float64) string { return verdict("≥", target, got >= target) }

// AtMost is the other direction of AtLeast.
func AtMost(got, target float64) string { return verdict("≤", target, got <= target) }

func verdict(sign string, target float64, ok bool) string {
	if ok {
		return fmt.Sprintf("%s %v met", sign, target)
	}
	return fmt.Sprintf("%s %v missed", sign, target)
}
