package search

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/testigo/testigo"
)

// contextFacts and contextTerms bound what a fact takes over from those written just before it: two facts, and of each
// as much as a paragraph. More facts, or longer ones, dilute what is about the fact itself.
const (
	contextFacts = 2
	contextTerms = 96
)

// nameReserve is the room kept for the scope behind a value that fills the body: at most 200 characters make at most 200
// words, each with its groups.
const nameReserve = 600

// Index returns the searchable form of v. before holds the index texts of the facts that the same agent wrote just
// before v in the same session and project, newest first; only the first two are used.
//
// Body holds key, tags, value and scope, in this order: its beginning is what later facts take as context, and those
// mostly share the scope.
func Index(v testigo.Version, before []testigo.IndexText) testigo.IndexText {
	l := newLexer(MaxTerms - nameReserve)
	defer l.free()
	l.add(v.Name.Key)
	for _, tag := range v.Tags {
		l.add(tag)
	}
	l.addValue(v.Value)
	l.max = MaxTerms
	l.add(v.Name.Scope)
	return testigo.IndexText{
		Filter:  filter(v),
		Body:    string(l.out),
		Context: contextOf(before),
	}
}

// contextOf joins the first terms of the facts before, less their stop words.
func contextOf(before []testigo.IndexText) string {
	var b strings.Builder
	for _, text := range before[:min(len(before), contextFacts)] {
		left := contextTerms
		for term := range strings.SplitSeq(text.Body, " ") {
			if left == 0 {
				break
			}
			if term == "" || stopWords[term] {
				continue
			}
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(term)
			left--
		}
	}
	return b.String()
}

// filter lists the opaque terms that narrow a search to a project, a scope prefix or a tag.
func filter(v testigo.Version) string {
	project, scope := v.Name.Project, v.Name.Scope
	b := make([]byte, 0, 22*(2+strings.Count(scope, "/")+len(v.Tags)+1))
	b = appendOpaque(b, 's', project+"\x00")
	for i := 0; i <= len(scope); i++ {
		if scope != "" && (i == len(scope) || scope[i] == '/') {
			b = appendOpaque(append(b, ' '), 's', project+"\x00"+scope[:i])
		}
	}
	for _, tag := range v.Tags {
		b = appendOpaque(append(b, ' '), 't', foldTag(tag))
	}
	return string(b)
}

// ScopeTerm returns the filter term of the facts of project whose scope is prefix or lies below it. The empty prefix
// stands for the whole project, and testigo.NoProject for the facts that all projects share.
func ScopeTerm(project, prefix string) string {
	return string(appendOpaque(nil, 's', project+"\x00"+prefix))
}

// TagTerm returns the filter term of the facts with tag, in whatever project. Case does not matter.
func TagTerm(tag string) string { return string(appendOpaque(nil, 't', foldTag(tag))) }

func foldTag(tag string) string { return norm.NFC.String(strings.ToLower(tag)) }

// appendOpaque appends a term that says nothing about text. With 80 bits of SHA-256, a collision becomes likely only at
// about 10^12 different texts.
func appendOpaque(b []byte, kind byte, text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return hex.AppendEncode(append(b, kind), sum[:10])
}
