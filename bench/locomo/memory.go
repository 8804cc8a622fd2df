package locomo

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/search"
)

// Memory is a Searcher over package search alone, so that its weights can be judged without a database. It selects
// candidates as SQLite's FTS5 does (BM25 with k1 1.2, b 0.75, a row's length over all columns, context at 0.35) and
// leaves their order to search.Plan.Rank. All conversations share one index, as they would share one store.
type Memory struct {
	// Candidates is how many Rank gets to see; 0 means 50.
	Candidates int

	facts []testigo.Candidate
	last  map[int][]testigo.IndexText // by conversation, newest first

	postings map[string][]posting
	lengths  []int // terms of each fact, over all columns
	// sums over all facts
	allTerms, bodyTerms, contextTerms int
}

// posting says how often a term stands in the two columns of a fact.
type posting struct{ fact, body, context int }

// project is where the conversations' facts lie; agent is who writes all of them.
const (
	project = "locomo"
	agent   = "narrator"
)

// NewMemory returns an empty Memory.
func NewMemory() *Memory {
	return &Memory{last: map[int][]testigo.IndexText{}, postings: map[string][]posting{}}
}

// Add implements Searcher.
func (m *Memory) Add(conversation int, t Turn) error {
	name, err := testigo.NewName(project, Scope(conversation), t.Key())
	if err != nil {
		return err
	}
	v := testigo.Version{
		Seq: int64(len(m.facts) + 1), Name: name, Number: 1, Value: t.Value(), Tags: []string{t.Speaker},
		Confidence: testigo.DefaultConfidence, Author: agent, Session: Scope(conversation),
	}
	before := m.last[conversation]
	text := search.Index(v, before)
	m.last[conversation] = append([]testigo.IndexText{text}, before[:min(1, len(before))]...)

	n := len(m.facts)
	m.facts = append(m.facts, testigo.Candidate{Version: v, Text: text})
	body, context := strings.Fields(text.Body), strings.Fields(text.Context)
	length := len(strings.Fields(text.Filter)) + len(body) + len(context)
	m.lengths = append(m.lengths, length)
	m.allTerms += length
	m.bodyTerms += len(body)
	m.contextTerms += len(context)
	counts := map[string]posting{}
	for _, term := range body {
		p := counts[term]
		p.body++
		counts[term] = p
	}
	for _, term := range context {
		p := counts[term]
		p.context++
		counts[term] = p
	}
	for term, p := range counts {
		p.fact = n
		m.postings[term] = append(m.postings[term], p)
	}
	return nil
}

// Search implements Searcher.
func (m *Memory) Search(conversation int, question string, limit int) ([]string, error) {
	plan := search.Parse(question)
	if plan.Empty() {
		return nil, nil
	}
	hits := plan.Rank(m.find(plan.Terms(), search.ScopeTerm(project, Scope(conversation))), limit)
	ids := make([]string, len(hits))
	for i, h := range hits {
		ids[i] = TurnID(h.Candidate.Version.Name.Key)
	}
	return ids, nil
}

// find answers as a store does.
func (m *Memory) find(terms []string, within string) testigo.Candidates {
	docs := float64(len(m.facts))
	average := float64(m.allTerms) / docs
	c := testigo.Candidates{
		Docs: len(m.facts), DocFreq: map[string]int{},
		AvgBody: float64(m.bodyTerms) / docs, AvgContext: float64(m.contextTerms) / docs,
	}
	scores := map[int]float64{}
	for _, term := range terms {
		list := m.postings[term]
		c.DocFreq[term] = len(list)
		holding := float64(len(list))
		worth := max(math.Log((docs-holding+0.5)/(holding+0.5)), 1e-6)
		for _, p := range list {
			if !strings.Contains(m.facts[p.fact].Text.Filter, within) {
				continue
			}
			tf := float64(p.body) + 0.35*float64(p.context)
			scores[p.fact] += worth * tf * 2.2 / (tf + 1.2*(0.25+0.75*float64(m.lengths[p.fact])/average))
		}
	}
	order := make([]int, 0, len(scores))
	for n := range scores {
		order = append(order, n)
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(b, a))
	})
	c.Total = min(len(order), testigo.CountLimit)
	c.More = len(order) > testigo.CountLimit
	for _, n := range order[:min(len(order), cmp.Or(m.Candidates, 50))] {
		c.List = append(c.List, m.facts[n])
	}
	return c
}
