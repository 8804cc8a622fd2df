package memstore

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/testigo/testigo"
)

// doc is the index text of one current version, taken apart.
type doc struct {
	text                      testigo.IndexText
	filter, body, context     map[string]bool
	bodyLength, contextLength int
}

func newDoc(text testigo.IndexText) *doc {
	d := &doc{text: text}
	d.filter, _ = terms(text.Filter)
	d.body, d.bodyLength = terms(text.Body)
	d.context, d.contextLength = terms(text.Context)
	return d
}

func terms(s string) (set map[string]bool, count int) {
	set = make(map[string]bool)
	for term := range strings.FieldsSeq(s) {
		set[term] = true
		count++
	}
	return set, count
}

// within reports whether d holds a term of every group.
func (d *doc) within(groups [][]string) bool {
	for _, group := range groups {
		if !slices.ContainsFunc(group, func(term string) bool { return d.filter[term] }) {
			return false
		}
	}
	return true
}

func (v *view) IndexTextOf(ctx context.Context, versionSeq int64) (testigo.IndexText, error) {
	if err := v.usable(ctx); err != nil {
		return testigo.IndexText{}, err
	}
	d, ok := v.state.docs.get(versionSeq)
	if !ok {
		return testigo.IndexText{}, missing("no index text: not a current version with content")
	}
	return d.text, nil
}

// Candidates walks over all current versions: a store in a test is small, and a list of postings would make every write
// dearer.
func (v *view) Candidates(ctx context.Context, q testigo.SearchQuery) (testigo.Candidates, error) {
	if err := v.usable(ctx); err != nil {
		return testigo.Candidates{}, err
	}
	q.Terms = slices.Compact(slices.Sorted(slices.Values(q.Terms)))
	c := v.corpus(q.Terms)
	hits := v.matches(q)
	c.Total, c.More = min(len(hits), testigo.CountLimit), len(hits) > testigo.CountLimit
	if len(q.Terms) > 0 {
		rank(hits, q.Terms, c)
	} else if q.Before > 0 {
		hits = slices.DeleteFunc(hits, func(h hit) bool { return h.version.Seq >= q.Before })
	}
	for _, h := range hits[:min(max(q.Limit, 0), len(hits))] {
		c.List = append(c.List, testigo.Candidate{Version: copyVersion(h.version), Text: h.doc.text})
	}
	return c, nil
}

// corpus counts what a ranking needs to know of all documents.
func (v *view) corpus(query []string) testigo.Candidates {
	c := testigo.Candidates{Docs: v.state.docs.len(), DocFreq: make(map[string]int, len(query))}
	body, context := 0, 0
	for _, d := range v.state.docs.all() {
		body += d.bodyLength
		context += d.contextLength
		for _, term := range query {
			if d.body[term] || d.context[term] {
				c.DocFreq[term]++
			}
		}
	}
	if c.Docs > 0 {
		c.AvgBody = float64(body) / float64(c.Docs)
		c.AvgContext = float64(context) / float64(c.Docs)
	}
	return c
}

type hit struct {
	version *testigo.Version
	doc     *doc
	score   float64
}

// matches lists everything a query selects, newest first.
func (v *view) matches(q testigo.SearchQuery) []hit {
	var hits []hit
	for seq, d := range v.state.docs.below(math.MaxInt64) {
		if !d.within(q.Within) {
			continue
		}
		if len(q.Terms) > 0 && !slices.ContainsFunc(q.Terms, func(t string) bool { return d.body[t] || d.context[t] }) {
			continue
		}
		if row, _ := v.state.versions.get(seq); row.Confidence >= q.MinConfidence {
			hits = append(hits, hit{version: row, doc: d})
		}
	}
	return hits
}

// rank sorts by the rarity of the matched words; the context counts about a third (specs/search.md).
func rank(hits []hit, query []string, c testigo.Candidates) {
	const contextWeight = 0.35
	for i, h := range hits {
		for _, term := range query {
			rarity := math.Log(1 + float64(c.Docs)/float64(1+c.DocFreq[term]))
			if h.doc.body[term] {
				hits[i].score += rarity
			}
			if h.doc.context[term] {
				hits[i].score += contextWeight * rarity
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
}
