package search

import (
	"slices"
	"strings"
	"testing"
)

var fuzzSeeds = []string{
	"POL-358 38.101 a/b/c.go", `"unclosed`, "重跑gen-itgc后清零", "Ana’s O'Neill don't", "👩\u200d💻🇪🇸🇪", "x\u0301\u0327 ﾊﾞ ㎏ ½ Ⅳ",
	"\xff\xfe", "กี่ हिन्दी שָׁלוֹם مُحَمَّد", "a-_.:/\\@#'b", "İıſßẞ ǅ", "aBcDeFgHiJkL 1a2b3c4d", "to be or not", "ͺ ΅ ʰ ꞏ 1.2", "〇々ーｰ",
}

func FuzzParse(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, query string) {
		p := Parse(query)
		terms := p.Terms()
		if len(terms) > MaxQueryTerms {
			t.Errorf("%d terms", len(terms))
		}
		for i, term := range terms {
			checkTerm(t, term)
			if slices.Contains(terms[:i], term) {
				t.Errorf("%s twice", term)
			}
		}
		if again := Parse(query).Terms(); !slices.Equal(terms, again) {
			t.Errorf("%q, then %q", terms, again)
		}
	})
}

// Every word between spaces finds its text, up to the caps.
func FuzzIndexAgreesWithQuery(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4<<10 {
			return
		}
		body, _ := termsOf(text)
		for _, term := range strings.Fields(body) {
			checkTerm(t, term)
		}
		indexed := strings.Fields(body)
		for word := range strings.FieldsSeq(text) {
			terms := Parse(word).Terms()
			if len(terms) > 0 && !slices.ContainsFunc(terms, func(s string) bool { return slices.Contains(indexed, s) }) {
				t.Errorf("%q gives %q, none of them in %q", word, terms, body)
			}
		}
	})
}
