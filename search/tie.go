package search

import "unicode/utf8"

// What ties the words of an identifier, tightest first. A connector of one kind ends every group of the tighter kinds.
const (
	tieWords = 1 // hyphen, underscore, apostrophe
	tieDots  = 2
	tiePath  = 3 // slash, colon, at sign
	levels   = 4
)

// connector looks at what follows a word that ends at i. When that ties another word to it, connector returns how, where
// the next word starts, and whether the two are the sides of one decimal number.
func connector(s string, i int) (tie, next int, number bool) {
	if i+1 >= len(s) {
		return 0, 0, false
	}
	next = i + 1
	switch c := s[i]; c {
	case ' ', '\n':
		return 0, 0, false
	case '-', '\'', '&', '+':
		tie = tieWords
	case '_':
		tie = tieWords
		for next < len(s) && s[next] == '_' {
			next++
		}
	case '.':
		tie = tieDots
		number = i > 0 && isDigit(s[i-1]) && isDigit(s[next])
	case ',':
		if i == 0 || !isDigit(s[i-1]) || !isDigit(s[next]) {
			return 0, 0, false
		}
		tie = tieWords
	case ':':
		tie = tiePath
		if s[next] == ':' {
			next++
		}
	case '/', '\\', '@', '#':
		tie = tiePath
	default:
		if c < utf8.RuneSelf {
			return 0, 0, false
		}
		r, w := utf8.DecodeRuneInString(s[i:])
		if r != '’' && r != '‐' {
			return 0, 0, false
		}
		tie, next = tieWords, i+w
	}
	if next >= len(s) {
		return 0, 0, false
	}
	if c := s[next]; c < utf8.RuneSelf {
		if !asciiClass[c].isWord() {
			return 0, 0, false
		}
	} else if r, _ := utf8.DecodeRuneInString(s[next:]); !classOf(r).isWord() {
		return 0, 0, false
	}
	return tie, next, number
}

// clitic returns the length of an apostrophe with what English hangs on it ('s, n't, 'll, ...) at the start of s. It is
// dropped, so that "Ana's" is found as Ana; a name like O'Neill is not touched.
func clitic(s string) int {
	if s == "" {
		return 0
	}
	from := 0
	switch {
	case s[0] == '\'':
		from = 1
	case len(s) > 3 && s[:3] == "’":
		from = 3
	default:
		return 0
	}
	end := from
	for end < len(s) && end < from+3 && asciiClass[s[end]&0x7f].isWord() && s[end] < utf8.RuneSelf {
		end++
	}
	if end < len(s) {
		if r, _ := utf8.DecodeRuneInString(s[end:]); classOf(r).isWord() {
			return 0
		}
	}
	switch s[from:end] {
	case "s", "t", "ll", "m", "re", "ve", "d", "S", "T", "LL", "M", "RE", "VE", "D":
		return end
	}
	return 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
