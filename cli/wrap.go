package cli

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
)

// wrap breaks text into lines of at most width columns: between words, and inside a word only where it is longer than a
// line. Escape sequences that paint take no room. Width 0 does not break.
func wrap(text string, width int) []string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		for width > 0 {
			head := lineOf(line, width)
			if len(head) == len(line) {
				break
			}
			out = append(out, head)
			line = strings.TrimPrefix(line[len(head):], " ")
		}
		out = append(out, line)
	}
	return out
}

// hanging breaks one line to a width; what does not fit stands under it behind a margin.
func hanging(line string, width, margin int) string {
	if width <= 0 || lipgloss.Width(line) <= width {
		return line
	}
	margin = min(margin, width/2)
	head := lineOf(line, width)
	rest := wrap(strings.TrimPrefix(line[len(head):], " "), width-margin)
	under := "\n" + strings.Repeat(" ", margin)
	return head + under + strings.Join(rest, under)
}

// reflow breaks a text that was laid out by hand for wide lines: lines at the margin are one paragraph until an empty one,
// indented lines stand for themselves.
func reflow(text string, width int) string {
	var out []string
	paragraph := ""
	end := func() {
		if paragraph != "" {
			out, paragraph = append(out, hanging(paragraph, width, 0)), ""
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		margin := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case line == "" || margin > 0:
			end()
			out = append(out, hanging(line, width, margin+2))
		case paragraph == "":
			paragraph = line
		default:
			paragraph += " " + line
		}
	}
	end()
	return strings.Join(out, "\n")
}

// lineOf returns the beginning of a text that one line of it holds.
func lineOf(text string, width int) string {
	head := cutColumns(text, width)
	if len(head) == len(text) || text[len(head)] == ' ' {
		return head
	}
	i := strings.LastIndexByte(head, ' ')
	if i < 0 || strings.TrimSpace(head[:i]) == "" {
		return head // one word fills the line
	}
	word, _, _ := strings.Cut(text[i+1:], " ")
	if lipgloss.Width(word) > width && i < len(head)/2 {
		return head // it has to be broken anyway
	}
	return strings.TrimRight(head[:i], " ")
}

// cutColumns returns the longest beginning of s of at most width columns, and at least one character.
func cutColumns(s string, width int) string {
	used := 0
	painting := false
	for i, r := range s {
		switch {
		case r == '\x1b':
			painting = true
			continue
		case painting:
			painting = r != 'm'
			continue
		}
		w := lipgloss.Width(string(r))
		if used+w > width && used > 0 {
			return s[:i]
		}
		used += w
	}
	return s
}
