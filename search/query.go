package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plan is a query made ready: what a store is asked for, and what Rank scores by. The zero Plan is empty.
type Plan struct {
	terms   []queryTerm
	phrases []string // quoted passages as runs of terms, with a space at both ends
	when    bool     // asks for a time
}

type queryTerm struct {
	text string
	at   int // offset of its word, which orders the terms
}

// Parse reads a query. Whatever the caller types is text: there is no syntax and no error. Stop words are dropped unless
// nothing else is left, repeated terms are asked for once, and past MaxQueryTerms the likeliest to be rare are kept.
func Parse(query string) Plan {
	query = normal(query)
	l := newLexer(MaxTerms)
	defer l.free()
	l.record = true
	l.add(query)

	var p Plan
	kept := chooseTerms(l.tokens, query)
	for _, t := range kept {
		p.terms = append(p.terms, queryTerm{t.term, t.at})
	}
	p.phrases = phrases(query)
	p.when = asksWhen(l.tokens)
	return p
}

// Terms returns the terms to ask a store for, in the order of the query. The caller may keep the slice.
func (p Plan) Terms() []string {
	if len(p.terms) == 0 {
		return nil
	}
	out := make([]string, len(p.terms))
	for i, t := range p.terms {
		out[i] = t.text
	}
	return out
}

// Empty reports that the query holds nothing that could be found: it is blank or made of punctuation. A caller who was
// given such a query answers with nothing found; asking a store without terms would list the newest facts instead.
func (p Plan) Empty() bool { return len(p.terms) == 0 }

// chooseTerms returns the tokens worth asking for, each term once, in the order of the query.
func chooseTerms(tokens []token, query string) []token {
	kept := make([]token, 0, min(len(tokens), 2*MaxQueryTerms))
	seen := make(map[string]bool, len(tokens))
	keep := func(want func(token) bool) {
		for _, t := range tokens {
			if !seen[t.term] && want(t) {
				seen[t.term] = true
				kept = append(kept, t)
			}
		}
	}
	keep(func(t token) bool {
		return !t.single && (!t.stop || isName(query, t.at))
	})
	if len(kept) == 0 {
		keep(func(t token) bool { return !t.single })
	}
	if len(kept) > MaxQueryTerms {
		slices.SortStableFunc(kept, func(a, b token) int { return rarity(b) - rarity(a) })
		kept = kept[:MaxQueryTerms]
		slices.SortStableFunc(kept, func(a, b token) int { return a.at - b.at })
	}
	return kept
}

// rarity guesses how few texts hold a term, from its looks alone: a whole identifier is rarer than its parts, digits are
// rarer than letters, long words are rarer than short ones.
func rarity(t token) int {
	r := min(utf8.RuneCountInString(t.term), 20)
	if t.whole {
		r += 12
	}
	if t.part {
		r -= 6
	}
	if strings.ContainsAny(t.term, "0123456789") {
		r += 6
	}
	if t.stop {
		r -= 20
	}
	return r
}

// isName reports whether the word at offset at looks like a name although it may be a stop word: Will, May, Don. It has
// a capital and small letters after it, and something before it in the sentence.
func isName(query string, at int) bool {
	first, w := utf8.DecodeRuneInString(query[at:])
	if !unicode.IsUpper(first) {
		return false
	}
	second, _ := utf8.DecodeRuneInString(query[at+w:])
	if !unicode.IsLower(second) {
		return false
	}
	before := strings.TrimRightFunc(query[:at], unicode.IsSpace)
	return before != "" && len(before) < at && !strings.ContainsRune(".?!:;\"“'", lastRune(before))
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// quotes pairs each opening quotation mark with its closing one. A single ' is an apostrophe too often to count.
var quotes = map[rune]rune{'"': '"', '“': '”', '„': '“', '«': '»', '「': '」', '『': '』', '`': '`'}

// maxPhrases bounds the passages looked for in every candidate.
const maxPhrases = 4

// phrases returns the quoted passages of two terms or more. An unclosed quotation mark is ignored.
func phrases(query string) []string {
	var out []string
	var unclosed string // marks that nothing closes from here on; looking again would cost the square of the query
	for i := 0; i < len(query) && len(out) < maxPhrases; {
		r, w := utf8.DecodeRuneInString(query[i:])
		i += w
		closing, ok := quotes[r]
		if !ok || strings.ContainsRune(unclosed, r) {
			continue
		}
		n := strings.IndexRune(query[i:], closing)
		if n < 0 {
			unclosed += string(r)
			continue
		}
		if run, count := termsOf(query[i : i+n]); count > 1 {
			out = append(out, " "+run+" ")
		}
		i += n + utf8.RuneLen(closing)
	}
	return out
}

// termsOf returns the terms of s as they stand in a body, and their number.
func termsOf(s string) (string, int) {
	l := newLexer(MaxTerms)
	defer l.free()
	l.add(s)
	return string(l.out), l.terms
}
