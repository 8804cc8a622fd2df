package cli

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible makes text from agents safe to print on a terminal, and is the only function that does (fault X07). Every
// character that could move the cursor, change a colour, turn the direction of a line around, or hide between letters
// is written out as <U+XXXX>; line breaks and tabs stay. Bytes that are no UTF-8 are shown as <xFF>.
//
// Joiners (U+200C, U+200D) stay between two characters beyond ASCII, where scripts and emoji need them; between ASCII
// letters they only make two names look alike.
func visible(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	prev := rune(-1)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		next, _ := utf8.DecodeRuneInString(s[i+n:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "<x%02X>", s[i])
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case (r == 0x200c || r == 0x200d) && prev > unicode.MaxASCII && next > unicode.MaxASCII && next != utf8.RuneError:
			b.WriteRune(r)
		case hides(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
		prev = r
		i += n
	}
	return b.String()
}

// visibleLine is visible for a place of one line: line breaks become a sign of their own.
func visibleLine(s string) string {
	return strings.NewReplacer("\r\n", " ⏎ ", "\n", " ⏎ ", "\t", " ").Replace(visible(strings.ReplaceAll(s, "\r\n", "\n")))
}

func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < ' ' && c != '\n' && c != '\t') || c >= 0x7f {
			return false
		}
	}
	return true
}

// hides reports whether r prints nothing of its own, or moves what is around it.
func hides(r rune) bool {
	switch {
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
		return true
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x2800, r == 0x3164, r == 0xffa0: // fillers that print as nothing
		return true
	case r >= 0xe0100 && r <= 0xe01ef: // variation selectors of the supplement carry hidden text
		return true
	}
	return false
}

// escapeJSON writes the same characters as \u escapes into JSON text, which means the same to every reader of JSON and
// is harmless on a terminal. Outside strings JSON holds none of them.
func escapeJSON(text []byte) []byte {
	if plain(string(text)) {
		return text
	}
	var b strings.Builder
	for _, r := range string(text) {
		switch {
		case r == '\n' || r == '\t' || r == 0x200c || r == 0x200d || !hides(r):
			b.WriteRune(r)
		case r > 0xffff:
			hi, lo := (r-0x10000)>>10+0xd800, (r-0x10000)&0x3ff+0xdc00
			fmt.Fprintf(&b, `\u%04x\u%04x`, hi, lo)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return []byte(b.String())
}
