package engine

import (
	"fmt"
	"strings"
	"unicode"
)

// markerBytes bounds what Marker looks through for a separator; our own cards are far smaller, imported ones are not.
const markerBytes = 60_000

// cardLines are how the lines of a card's upper part may begin.
var cardLines = []string{"From ", "Sent: ", "Due: ", "Message:", "Summary:", "Result: ", "Evidence: ", "Claim: ", "Decision: ",
	"Next step: ", "Open question: ", "Pin: ", "More: ", ">"}

// Marker reports whether a text is the delivery of this very request: a whole card, or its technical part alone. A card
// that is quoted, or forwarded inside another, is not: it stands in a fence or behind other words.
func Marker(text, requestID string) bool {
	if requestID == "" {
		return false
	}
	text = strings.TrimLeft(strings.ReplaceAll(text, "\r\n", "\n"), " \n\t")
	if strings.HasPrefix(text, mark) {
		var ok bool
		if text, ok = belowCard(text); !ok {
			return false
		}
	}
	rest, ok := strings.CutPrefix(text, "HANDOFF "+requestID+"\n")
	return ok && strings.HasPrefix(rest, "Exact sender: ")
}

// belowCard returns what stands below a well-formed upper part.
func belowCard(text string) (string, bool) {
	fence := ""
	for n, at := 0, 0; at < len(text) && at <= markerBytes; n++ {
		l, _, _ := strings.Cut(text[at:], "\n")
		at += len(l) + 1
		l = strings.TrimRight(l, " ")
		switch {
		case fence != "":
			if l == fence {
				fence = ""
			}
		case n == 0:
		case n == 1 && !strings.HasPrefix(l, "From "):
			return "", false
		case l == "---":
			rest, ok := strings.CutPrefix(text[at:], strings.TrimPrefix(separator, "---\n"))
			return rest, ok
		case strings.HasPrefix(l, "```"):
			if strings.Trim(l, "`") != "" {
				return "", false
			}
			fence = l
		case l != "" && !startsAny(l, cardLines):
			return "", false
		}
	}
	return "", false
}

func startsAny(s string, with []string) bool {
	for _, w := range with {
		if strings.HasPrefix(s, w) {
			return true
		}
	}
	return false
}

// visible makes control and direction characters readable and leaves all else as it was written. Line breaks and tabs
// are text, joiners belong to scripts and emoji.
func visible(s string) string {
	plain := true
	for _, r := range s {
		plain = plain && !hidden(r)
	}
	if plain {
		return s
	}
	var b strings.Builder
	rest := []rune(s)
	for i, r := range rest {
		if !hidden(r) || r == '\r' && i+1 < len(rest) && rest[i+1] == '\n' {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, "⟦U+%04X⟧", r)
	}
	return b.String()
}

func hidden(r rune) bool {
	switch r {
	case '\n', '\t', 0x200c, 0x200d:
		return false
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == 0x2028 || r == 0x2029
}

// line makes one short line of a text of others.
func line(s string, limit int) string {
	s = visible(strings.Join(strings.Fields(s), " "))
	if cut := cutChars(s, limit); cut != s {
		return cut + "…"
	}
	return s
}

func cutChars(s string, limit int) string {
	n := 0
	for i := range s {
		if n == limit {
			return s[:i]
		}
		n++
	}
	return s
}
