package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// cutMark stands where a snippet leaves text out.
const cutMark = "…"

// lead is the share of a snippet shown before its match: a reader needs some of what leads up to it, and more of what
// follows.
const lead = 4

// Snippet returns at most max bytes of text around the first word of it that plan asks for, or its beginning when there
// is none. A cut is marked by …, falls between words where one ends near, and never inside a character.
func Snippet(text string, plan Plan, max int) string {
	if len(text) <= max {
		return text
	}
	if max < 2*len(cutMark) {
		return text[:runeStart(text, clamp(max, 0, len(text)))]
	}
	match := plan.firstMatch(text)
	start := 0
	if match > max/3 {
		start = wordStart(text, match-max/lead, match)
	}
	room := max
	if start > 0 {
		room -= len(cutMark)
	}
	if len(text)-start <= room {
		// The tail fits: show as much before it as there is room for.
		start = wordStart(text, len(text)-(max-len(cutMark)), match)
		return cutMark + text[start:]
	}
	end := wordEnd(text, start, start+room-len(cutMark))
	out := text[start:end] + cutMark
	if start > 0 {
		out = cutMark + out
	}
	return out
}

// firstMatch returns the offset of the first word of text that holds a term of the plan, or 0.
func (p Plan) firstMatch(text string) int {
	if p.Empty() {
		return 0
	}
	wanted := make(map[string]bool, len(p.terms))
	for _, t := range p.terms {
		wanted[t.text] = true
	}
	l := newLexer(MaxTerms)
	defer l.free()
	l.record = true
	for i := 0; i < len(text); {
		r, w := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) {
			i += w
			continue
		}
		end := i + strings.IndexFunc(text[i:], unicode.IsSpace)
		if end < i {
			end = len(text)
		}
		l.tokens, l.terms, l.out = l.tokens[:0], 0, l.out[:0]
		l.add(text[i:end])
		for _, t := range l.tokens {
			if wanted[t.term] {
				// Offsets are those of the normalised word, which is the word itself but for rare characters.
				return runeStart(text, min(i+t.at, end))
			}
		}
		i = end
	}
	return 0
}

// wordStart returns where the first word after from starts, if that is before limit, which is not before from; else the
// first character at or after from.
func wordStart(text string, from, limit int) int {
	if from <= 0 {
		return 0
	}
	for from < limit && !utf8.RuneStart(text[from]) {
		from++
	}
	if i := strings.IndexFunc(text[from:limit], unicode.IsSpace); i >= 0 {
		rest := text[from+i : limit]
		if word := strings.IndexFunc(rest, notSpace); word >= 0 {
			return from + i + word
		}
	}
	return from
}

// wordEnd returns where the last word that ends at or before to ends, if more than half of the text from start is left;
// else the character at to.
func wordEnd(text string, start, to int) int {
	to = runeStart(text, clamp(to, start, len(text)))
	if r, _ := utf8.DecodeRuneInString(text[to:]); unicode.IsSpace(r) {
		return start + len(strings.TrimRightFunc(text[start:to], unicode.IsSpace))
	}
	if i := strings.LastIndexFunc(text[start:to], unicode.IsSpace); i > (to-start)/2 {
		return start + len(strings.TrimRightFunc(text[start:start+i], unicode.IsSpace))
	}
	return to
}

func notSpace(r rune) bool { return !unicode.IsSpace(r) }

// runeStart moves i back to where a character starts.
func runeStart(text string, i int) int {
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}

func clamp(i, low, high int) int { return min(max(i, low), high) }
