package search

import (
	"encoding/hex"
	"hash/fnv"
	"strconv"
	"sync"
	"unicode"
	"unicode/utf8"
)

// lexer writes the terms of texts, joined by spaces, into out. A word becomes a term; an identifier becomes its parts,
// then its groups, then itself, each stemmed:
//
//	userName            user name username
//	gen-itgc            gen itgc genitgc
//	pkg/fileName.go     pkg file name filename go filenamego pkgfilenamego
//
// so that every way of writing the same identifier shares its whole. Two numbers around a dot keep a letter between them
// (numberDot): 38.101 must not be 38101.
type lexer struct {
	out   []byte
	terms int
	max   int // terms that may be in out
	// record, when set, keeps a token per term; only queries need that.
	record bool
	tokens []token

	text string
	at   int    // where in text the current word starts
	buf  []byte // the folded letters of the current identifier
	// Groups of the identifier, by what ties them: start is where the open group starts in buf, parts how many it has.
	start [levels]int
	parts [levels]int
}

// token is a term of a query with what planning wants to know.
type token struct {
	term   string
	at     int  // byte offset of its word in the normalised text
	stop   bool // the word is a stop word
	part   bool // an identifier holds it
	whole  bool // it is an identifier of several parts
	single bool // one character of a run without spaces that has more
}

// numberDot stands for the dot inside a number. It is a letter, so that a store keeps it within the term.
const numberDot = "\ua78f"

// maxPieces bounds the parts taken out of one word by its capitals and digits. A word with more of them is no name
// somebody made up but random letters, whose parts would only dilute the document.
const maxPieces = 8

var lexers = sync.Pool{New: func() any { return new(lexer) }}

func newLexer(max int) *lexer {
	l := lexers.Get().(*lexer)
	l.out, l.tokens = l.out[:0], l.tokens[:0]
	l.terms, l.max, l.record = 0, max, false
	return l
}

// free gives l back. Its buffers are kept unless one large document made them so.
func (l *lexer) free() {
	l.text = ""
	clear(l.tokens)
	if cap(l.out) < 64<<10 && cap(l.buf) < 64<<10 {
		lexers.Put(l)
	}
}

// add appends the terms of s. Words of two calls never join.
func (l *lexer) add(s string) {
	s = normal(s)
	l.text = s
	for i := 0; i < len(s) && l.terms < l.max; {
		if c := s[i]; c < utf8.RuneSelf {
			if asciiClass[c] == separator {
				i++
			} else {
				i = l.identifier(i)
			}
			continue
		}
		r, w := utf8.DecodeRuneInString(s[i:])
		switch classOf(r) {
		case separator, silent:
			i += w
		case dense:
			i = l.denseRun(i)
		case symbol:
			i = l.symbol(i, r, w)
		default:
			i = l.identifier(i)
		}
	}
}

// identifier reads the word that starts at i, and what hyphens, dots and slashes tie to it. It returns where it ends.
func (l *lexer) identifier(i int) int {
	l.buf, l.at = l.buf[:0], i
	l.start, l.parts = [levels]int{}, [levels]int{}
	first := len(l.tokens)
	for {
		i = l.word(i)
		tie, next, number := connector(l.text, i)
		if tie == 0 {
			break
		}
		l.closeGroups(tie)
		if number {
			l.buf = append(l.buf, numberDot...)
		}
		for k := range tie {
			l.start[k] = len(l.buf)
		}
		i = next
	}
	l.closeGroups(levels)
	for k := first; k < len(l.tokens); k++ {
		l.tokens[k].part = k < len(l.tokens)-1
		l.tokens[k].whole = k > first && !l.tokens[k].part
	}
	return i
}

// closeGroups ends the open groups below level. A group of two parts or more is a term of its own.
func (l *lexer) closeGroups(level int) {
	for k := tieWords; k < level; k++ {
		if l.parts[k] > 1 {
			l.term(l.buf[l.start[k]:], false)
		}
		l.parts[k] = 0
		if k+1 < levels {
			l.parts[k+1]++
		}
	}
}

// word reads one word: letters and digits of scripts that write spaces. It adds its pieces and itself.
func (l *lexer) word(i int) int {
	s, begin := l.text, len(l.buf)
	var cuts [maxPieces]int
	pieces, changes := 0, 0
	prev, capitals, last := separator, 0, begin
	cut := func(at int) {
		if at > begin && pieces < maxPieces {
			cuts[pieces] = at
		}
		pieces++
	}
	for i < len(s) {
		r, w := rune(s[i]), 1
		k := separator
		if r < utf8.RuneSelf {
			k = asciiClass[r]
		} else {
			r, w = utf8.DecodeRuneInString(s[i:])
			if k = classOf(r); k == silent {
				i += w
				continue
			}
		}
		if !k.isWord() {
			break
		}
		at := len(l.buf)
		if prev != separator && k != prev {
			switch {
			case k == digit || prev == digit:
				changes++
				cut(at)
			case k == upper:
				cut(at)
			case capitals > 1: // HTTPServer: the last capital belongs to what follows
				cut(last)
			}
		}
		if capitals++; k != upper {
			capitals = 0
		}
		if r < utf8.RuneSelf {
			if k == upper {
				r += 'a' - 'A'
			}
			l.buf = append(l.buf, byte(r))
		} else {
			l.buf = appendFolded(l.buf, r)
		}
		prev, last = k, at
		i += w
	}
	if pieces > 0 && pieces < maxPieces && changes < 4 {
		from := begin
		for _, at := range cuts[:pieces] {
			l.piece(l.buf[from:at])
			from = at
		}
		l.piece(l.buf[from:])
	}
	l.term(l.buf[begin:], false)
	l.parts[tieWords]++
	return i + clitic(s[i:])
}

// piece adds a part of a word, unless it is a letter alone, which says nothing.
func (l *lexer) piece(b []byte) {
	if len(b) > 1 || len(b) == 1 && isDigit(b[0]) {
		l.term(b, false)
	}
}

// denseRun adds each character of a run without spaces and each pair of neighbours, in reading order. A character is a
// letter with the marks that follow it. Queries use the single ones only when there is nothing else.
func (l *lexer) denseRun(i int) int {
	s := l.text
	first := len(l.tokens)
	l.buf = l.buf[:0]
	prev, cur := 0, 0     // buf[prev:cur] is the character before, buf[cur:] the current one
	prevAt, curAt := i, i // where in s they start
	flush := func() {
		if cur == len(l.buf) {
			return
		}
		if prev < cur {
			l.at = prevAt
			l.term(l.buf[prev:], false)
		}
		l.at = curAt
		l.term(l.buf[cur:], true)
		// Only the character before is needed any more; the buffer must not grow with the text.
		l.buf = append(l.buf[:0], l.buf[cur:]...)
		prev, cur, prevAt = 0, len(l.buf), curAt
	}
	for i < len(s) && l.terms < l.max {
		r, w := utf8.DecodeRuneInString(s[i:])
		k := classOf(r)
		if k != dense && k != silent {
			break
		}
		if k == dense {
			if !unicode.IsMark(r) {
				flush()
				curAt = i
			}
			l.buf = appendFolded(l.buf, r)
		}
		i += w
	}
	flush()
	if l.record && len(l.tokens)-first == 1 {
		l.tokens[first].single = false
	}
	return i
}

// symbol adds a picture as a word of its code point. Two regional letters are one flag.
func (l *lexer) symbol(i int, r rune, w int) int {
	l.at = i
	b := l.buf[:0]
	b = append(b, "emoji"...)
	b = strconv.AppendInt(b, int64(r), 16)
	i += w
	if isRegional(r) {
		if second, w := utf8.DecodeRuneInString(l.text[i:]); isRegional(second) {
			b = strconv.AppendInt(b, int64(second), 16)
			i += w
		}
	}
	l.term(b, false)
	l.buf = b
	return i
}

// term adds b, stemmed or shortened. b itself is left as it is.
func (l *lexer) term(b []byte, single bool) {
	if len(b) == 0 || l.terms >= l.max {
		return
	}
	if l.terms > 0 {
		l.out = append(l.out, ' ')
	}
	from := len(l.out)
	if root, ok := stem(b); ok {
		l.out = append(l.out, root...)
	} else if len(b) <= MaxTermBytes {
		l.out = append(l.out, b...)
	} else {
		l.out = appendShortened(l.out, b)
	}
	l.terms++
	if l.record {
		l.tokens = append(l.tokens, token{term: string(l.out[from:]), at: l.at, stop: isStop(b), single: single})
	}
}

// appendShortened appends the beginning of b and a hash of all of it, MaxTermBytes at most.
func appendShortened(out, b []byte) []byte {
	h := fnv.New64a()
	h.Write(b)
	keep := MaxTermBytes - 16
	for !utf8.RuneStart(b[keep]) {
		keep--
	}
	return hex.AppendEncode(append(out, b[:keep]...), h.Sum(nil))
}
