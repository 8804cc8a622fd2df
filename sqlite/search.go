package sqlite

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"

	"github.com/testigo/testigo"
)

const (
	// manyDocs is from where on frequent terms are left out of the ranking when rarer ones give enough. Below it every term
	// is looked at.
	manyDocs = 100_000
	// enoughRows is how many rows, summed over terms, are ranked then. In the search study 50,000 of a million kept 99 % of the
	// top 10, 20,000 only 79 %.
	enoughRows = 50_000
	// filteringPays is from where on a filter that most rows pass is checked on the rows found, not by the index: the index
	// would walk over every row of the store for it.
	filteringPays = 5_000
	// passedByMost is the share of rows from which on a group of filter terms counts as such.
	passedByMost = 0.4
)

// search is one SearchQuery on its way through a view.
type search struct {
	*view
	ctx   context.Context
	q     testigo.SearchQuery
	terms []string
	freq  map[string]int // DocFreq of terms
	total int            // matches, at most CountLimit + 1
}

func (v *view) Candidates(ctx context.Context, q testigo.SearchQuery) (testigo.Candidates, error) {
	if err := v.ask(ctx); err != nil {
		return testigo.Candidates{}, err
	}
	defer v.answer()
	if err := v.loadLog(); err != nil {
		return testigo.Candidates{}, err
	}
	s := &search{view: v, ctx: ctx, q: q, terms: distinct(q.Terms), freq: make(map[string]int, len(q.Terms))}
	c := testigo.Candidates{Docs: int(v.log.docs), DocFreq: s.freq}
	if c.Docs > 0 {
		c.AvgBody = float64(v.log.body) / float64(c.Docs)
		c.AvgContext = float64(v.log.context) / float64(c.Docs)
	}
	if slices.ContainsFunc(q.Within, func(group []string) bool { return len(group) == 0 }) {
		return c, nil // a group of which nothing can match
	}
	if len(q.Terms) > 0 && len(s.terms) == 0 {
		return c, nil
	}
	err := s.run(&c)
	return c, v.fail(err)
}

func (s *search) run(c *testigo.Candidates) error {
	for _, t := range s.terms {
		n, err := s.rowsOf(matchText(t))
		if err != nil {
			return err
		}
		if n > 0 {
			s.freq[t] = n
		}
	}
	if err := s.count(); err != nil {
		return err
	}
	c.Total, c.More = min(s.total, testigo.CountLimit), s.total > testigo.CountLimit
	limit := max(s.q.Limit, 0)
	var err error
	switch {
	case s.total == 0 || limit == 0:
	case len(s.terms) == 0:
		c.List, err = s.newest(limit)
	case s.total <= limit: // all of them: nothing to rank
		s.q.Before = 0
		c.List, err = s.newest(limit)
	default:
		c.List, err = s.ranked(limit)
	}
	return err
}

// count counts matches up to one more than is told exactly.
func (s *search) count() error {
	match, limit := s.match(s.terms, s.q.Within), testigo.CountLimit+1
	switch sure := s.q.MinConfidence > 0; {
	case match == "" && !sure:
		s.total = int(min(s.log.docs, int64(limit)))
		return nil
	case !sure && len(s.q.Within) == 0 && (len(s.terms) == 1 || s.mostRows() >= limit): // the words were counted before
		s.total = min(s.mostRows(), limit)
		return nil
	case match == "":
		return s.k.row("count_sure", []any{s.q.MinConfidence, limit}, &s.total)
	case sure:
		return s.k.row("count_matches_sure", []any{match, limit, s.q.MinConfidence}, &s.total)
	}
	return s.k.row("count_matches", []any{match, limit}, &s.total)
}

// mostRows is in how many rows the most frequent term occurs.
func (s *search) mostRows() int {
	most := 0
	for _, n := range s.freq {
		most = max(most, n)
	}
	return most
}

// newest lists what matches, newest first.
func (s *search) newest(limit int) ([]testigo.Candidate, error) {
	before := s.q.Before
	if before <= 0 {
		before = math.MaxInt64
	}
	if match := s.match(s.terms, s.q.Within); match != "" {
		return s.list("search_newest_within", before, s.q.MinConfidence, limit, match)
	}
	return s.list("search_newest", before, s.q.MinConfidence, limit)
}

// ranked lists the best matches. What is left out to be quick is asked for after all when there is too little without it.
func (s *search) ranked(limit int) ([]testigo.Candidate, error) {
	terms := s.rarest(limit)
	inIndex, onRows, share, err := s.split()
	if err != nil {
		return nil, err
	}
	if len(onRows) > 0 || len(terms) < len(s.terms) {
		asked := limit
		if len(onRows) > 0 {
			asked = int(1.3*float64(limit)/share) + 8
		}
		list, err := s.best(terms, inIndex, asked)
		if err != nil {
			return nil, err
		}
		list = slices.DeleteFunc(list, func(c testigo.Candidate) bool { return !passes(c.Text.Filter, onRows) })
		if len(list) >= limit {
			return list[:limit], nil
		}
	}
	return s.best(s.terms, s.q.Within, limit)
}

func (s *search) best(terms []string, within [][]string, limit int) ([]testigo.Candidate, error) {
	match := s.match(terms, within)
	if s.q.MinConfidence > 0 {
		return s.list("search_ranked_sure", match, limit, s.q.MinConfidence)
	}
	return s.list("search_ranked", match, limit)
}

// rarest leaves out the most frequent terms in a large store, as long as the others give enough rows to choose from.
func (s *search) rarest(limit int) []string {
	if s.log.docs <= manyDocs {
		return s.terms
	}
	terms := slices.Clone(s.terms)
	slices.SortStableFunc(terms, func(a, b string) int { return s.freq[a] - s.freq[b] })
	sum := 0
	for i, t := range terms {
		if sum += s.freq[t]; sum > enoughRows && i > 0 && sum-s.freq[t] >= 20*limit {
			return terms[:i]
		}
	}
	return terms
}

// split parts the filter into groups that the index checks and groups that nearly all rows pass, and tells which share of
// the rows does.
func (s *search) split() (inIndex, onRows [][]string, share float64, err error) {
	share = 1
	if s.log.docs < filteringPays {
		return s.q.Within, nil, share, nil
	}
	for _, group := range s.q.Within {
		sum := 0
		for _, t := range group {
			n, err := s.rowsOf(matchFilter(t))
			if err != nil {
				return nil, nil, 0, err
			}
			sum += n
		}
		if part := min(float64(sum)/float64(s.log.docs), 1); part >= passedByMost {
			onRows, share = append(onRows, group), share*part
		} else {
			inIndex = append(inIndex, group)
		}
	}
	return inIndex, onRows, share, nil
}

// passes reports whether a filter text holds a term of every group.
func passes(filter string, groups [][]string) bool {
	for _, group := range groups {
		if !slices.ContainsFunc(group, func(t string) bool { return hasTerm(filter, t) }) {
			return false
		}
	}
	return true
}

func hasTerm(text, term string) bool {
	for word := range strings.SplitSeq(text, " ") {
		if word == term {
			return true
		}
	}
	return false
}

func (s *search) list(query string, args ...any) ([]testigo.Candidate, error) {
	var list []testigo.Candidate
	r := newVersionRow()
	stop := s.ctx
	if s.writing {
		stop = context.Background()
	}
	err := s.k.eachUntil(s.ctx, stop, query, args, func(rows *sql.Rows) error {
		c, err := r.scanCandidate(rows)
		list = append(list, c)
		return err
	})
	return list, err
}

// distinct drops empty and repeated terms and those that no index text can hold.
func distinct(terms []string) []string {
	list := make([]string, 0, len(terms))
	for _, t := range terms {
		if t != "" && !strings.ContainsRune(t, 0) && !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return list
}

// match is the query in the index's own language. Every term is quoted: what a user typed is never syntax.
func (s *search) match(terms []string, within [][]string) string {
	var b strings.Builder
	for _, group := range within {
		if b.Len() > 0 {
			b.WriteString(" AND ")
		}
		anyOf(&b, "{filter}", group)
	}
	if len(terms) > 0 {
		if b.Len() > 0 {
			b.WriteString(" AND ")
		}
		anyOf(&b, "{body context}", terms)
	}
	return b.String()
}

func matchText(term string) string   { return matchOne("{body context}", term) }
func matchFilter(term string) string { return matchOne("{filter}", term) }

func matchOne(columns, term string) string {
	var b strings.Builder
	anyOf(&b, columns, []string{term})
	return b.String()
}

func anyOf(b *strings.Builder, columns string, terms []string) {
	b.WriteString(columns)
	b.WriteString(" : (")
	for i, t := range terms {
		if i > 0 {
			b.WriteString(" OR ")
		}
		b.WriteByte('"')
		b.WriteString(strings.ReplaceAll(t, `"`, `""`))
		b.WriteByte('"')
	}
	b.WriteByte(')')
}
