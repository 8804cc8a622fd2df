package search

import "strings"

// matcher finds which terms of a text are terms of the query, without a map or a copy of the text.
type matcher struct {
	terms []queryTerm
	// heads holds, by the first byte and the length of a term, 1 + the index of the first query term like it; next
	// continues the list. Most terms of a text fall on an empty head.
	heads [256]uint8
	next  [MaxQueryTerms]uint8
}

func newMatcher(terms []queryTerm) matcher {
	m := matcher{terms: terms}
	for i, t := range terms {
		h := head(t.text)
		m.next[i] = m.heads[h]
		m.heads[h] = uint8(i + 1)
	}
	return m
}

// head mixes what tells short words apart at least cost: first byte, last byte, length.
func head(term string) uint8 {
	return term[0]*7 ^ term[len(term)-1]*31 ^ uint8(len(term))<<3
}

// count adds up how often each query term stands in text. It returns the number of terms and, when asked for, whether one
// of them names a time.
func (m *matcher) count(text string, found *[MaxQueryTerms]uint16, times bool) (terms int, time bool) {
	for len(text) > 0 {
		term := text
		if i := strings.IndexByte(text, ' '); i >= 0 {
			term, text = text[:i], text[i+1:]
		} else {
			text = ""
		}
		if term == "" {
			continue
		}
		terms++
		for i := m.heads[head(term)]; i != 0; i = m.next[i-1] {
			if m.terms[i-1].text == term {
				found[i-1]++
				break
			}
		}
		if times && !time {
			time = isTime(term)
		}
	}
	return terms, time
}

// naming tells which query terms name an author or a tag. Candidates share few of either, so answers are kept.
type naming struct {
	terms []queryTerm
	known map[string]uint64
}

func newNaming(terms []queryTerm) *naming {
	return &naming{terms: terms, known: map[string]uint64{}}
}

// named returns the query terms that name, as bits, when the query holds all words of it: release-notes is named by
// "release notes" and not by "release".
func (n *naming) named(name string) uint64 {
	if name == "" || len(n.terms) == 0 {
		return 0
	}
	if bits, ok := n.known[name]; ok {
		return bits
	}
	var bits uint64
	l := newLexer(MaxTerms)
	l.record = true
	l.add(name)
	for _, t := range l.tokens {
		bit := n.bit(t.term)
		if bit == 0 && !t.whole && !t.single {
			bits = 0
			break
		}
		bits |= bit
	}
	l.free()
	n.known[name] = bits
	return bits
}

func (n *naming) bit(term string) uint64 {
	for i := range n.terms {
		if n.terms[i].text == term {
			return 1 << i
		}
	}
	return 0
}
