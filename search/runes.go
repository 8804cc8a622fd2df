package search

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// class says what a character is to the lexer.
type class uint8

const (
	separator class = iota
	lower           // a letter without upper case form counts as lower
	upper
	digit
	dense  // a letter of a script written without spaces between words
	symbol // emoji and other pictures, a term each
	silent // belongs to its neighbours and changes nothing: joiners, accents standing alone
)

// asciiClass is the class of each ASCII byte.
var asciiClass = func() (t [utf8.RuneSelf]class) {
	for c := range t {
		switch {
		case 'a' <= c && c <= 'z':
			t[c] = lower
		case 'A' <= c && c <= 'Z':
			t[c] = upper
		case '0' <= c && c <= '9':
			t[c] = digit
		}
	}
	return t
}()

// isWord reports whether characters of class c make up words that are separated by something.
func (c class) isWord() bool { return c == lower || c == upper || c == digit }

func classOf(r rune) class {
	if r < utf8.RuneSelf {
		return asciiClass[r]
	}
	switch {
	case r == utf8.RuneError:
		return separator
	case isSilent(r):
		return silent
	case isDense(r):
		return dense
	case unicode.IsUpper(r) || unicode.IsTitle(r):
		return upper
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return lower
	case unicode.IsNumber(r):
		return digit
	case isSymbol(r):
		return symbol
	}
	return separator
}

// isSilent covers joiners, variation selectors, accents and the vowel points that Arabic and Hebrew texts mostly leave
// out. NFKC has already merged accents with their letter where a merged form exists; the letter then loses them in fold.
func isSilent(r rune) bool {
	switch {
	case r == 0xad || r == 0x200c || r == 0x200d || r == 0x2060 || r == 0xfeff:
		return true
	case 0x300 <= r && r <= 0x36f, 0x1ab0 <= r && r <= 0x1aff, 0x1dc0 <= r && r <= 0x1dff, 0x20d0 <= r && r <= 0x20ff:
		return true
	case 0xfe00 <= r && r <= 0xfe0f, 0xfe20 <= r && r <= 0xfe2f, 0xe0000 <= r && r <= 0xe01ef:
		return true
	case 0x64b <= r && r <= 0x65f, r == 0x670, 0x591 <= r && r <= 0x5c7 && unicode.Is(unicode.Mn, r):
		return true
	}
	return false
}

// isDense covers the scripts whose words touch: Thai, Lao, Burmese, Khmer, kana, Han and their relatives. Hangul has
// spaces but glues endings to words, and finds more as pairs too.
func isDense(r rune) bool {
	if r < 0xe00 {
		return false
	}
	switch {
	case r <= 0xeff, 0x1000 <= r && r <= 0x109f, 0x1100 <= r && r <= 0x11ff, 0x1780 <= r && r <= 0x17ff:
	case 0x3005 <= r && r <= 0x3007, 0x3040 <= r && r <= 0x31ff, 0x3400 <= r && r <= 0x4dbf, 0x4e00 <= r && r <= 0x9fff:
	case 0xa960 <= r && r <= 0xa97f, 0xaa60 <= r && r <= 0xaa7f, 0xac00 <= r && r <= 0xd7ff, 0xf900 <= r && r <= 0xfaff:
	case 0xff66 <= r && r <= 0xffdc, 0x1b000 <= r && r <= 0x1b16f, 0x20000 <= r && r <= 0x3ffff:
	default:
		return false
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || r == 0x3007
}

// isSymbol covers pictures worth a search, less those that draw tables and progress bars.
func isSymbol(r rune) bool {
	if 0x2500 <= r && r <= 0x259f || 0x2800 <= r && r <= 0x28ff {
		return false
	}
	return unicode.Is(unicode.So, r) || 0x1f3fb <= r && r <= 0x1f3ff
}

// isRegional reports the letters that make flags in pairs.
func isRegional(r rune) bool { return 0x1f1e6 <= r && r <= 0x1f1ff }

// appendFolded appends r in lower case and without accents. r comes from a text in NFKC.
func appendFolded(b []byte, r rune) []byte {
	if r < utf8.RuneSelf {
		if asciiClass[r] == upper {
			r += 'a' - 'A'
		}
		return append(b, byte(r))
	}
	r = unicode.ToLower(r)
	switch r {
	case 'ß':
		return append(b, "ss"...)
	case 'æ':
		return append(b, "ae"...)
	case 'œ':
		return append(b, "oe"...)
	case 'ø':
		return append(b, 'o')
	case 'ł':
		return append(b, 'l')
	case 'đ', 'ð':
		return append(b, 'd')
	case 'ı':
		return append(b, 'i')
	case 'ς':
		r = 'σ'
	}
	if r < 0x530 || 0x1e00 <= r && r <= 0x1fff {
		var raw [utf8.UTFMax]byte
		if base := norm.NFD.Properties(utf8.AppendRune(raw[:0], r)).Decomposition(); len(base) > 0 {
			first, _ := utf8.DecodeRune(base)
			r = first
		}
	}
	if r < utf8.RuneSelf && !asciiClass[r].isWord() {
		return b // a spacing accent that stands for itself
	}
	return utf8.AppendRune(b, r)
}

// normal returns s in NFKC, the only form the lexer reads. Texts in ASCII pay one pass over their bytes.
func normal(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			if norm.NFKC.IsNormalString(s) {
				return s
			}
			return norm.NFKC.String(s)
		}
	}
	return s
}
