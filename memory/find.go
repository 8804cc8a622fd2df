package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/search"
)

// rankDepth is how many candidates a store hands over for ranking: 200 gained nothing over 50 in the search study.
const rankDepth = 50

// find searches current versions.
func (s *Service) find(ctx context.Context, c Caller, project testigo.Project, p RecallParams) (RecallResult, error) {
	limit := p.Limit
	if limit == 0 {
		limit = testigo.DefaultPageSize
	}
	plan := search.Parse(p.Query)
	if strings.TrimSpace(p.Query) != "" && plan.Empty() {
		return RecallResult{Summary: "no match: the query holds no word, number or sign to look for", Project: projectField(project.ID)}, nil
	}
	at, err := readCursor(p)
	if err != nil {
		return RecallResult{}, err
	}
	q := testigo.SearchQuery{Terms: plan.Terms(), Limit: limit}
	if p.MinConfidence != nil {
		q.MinConfidence = *p.MinConfidence
	}
	if plan.Empty() {
		q.Before, q.Limit = int64(at), limit+1 // one more tells whether there is a next page
	} else {
		q.Limit = rankDepth
	}
	var found, deep testigo.Candidates
	err = s.store.Read(ctx, func(r testigo.Reader) error {
		if q.Within, err = within(ctx, r, project, p); err != nil || q.Within == nil {
			return err
		}
		if found, err = r.Candidates(ctx, q); err != nil || plan.Empty() || at+limit <= rankDepth {
			return err
		}
		q.Limit = testigo.CountLimit
		deep, err = r.Candidates(ctx, q)
		return err
	})
	if err != nil {
		return RecallResult{}, err
	}
	return s.listing(ctx, c, project, p, plan, found, deep, at, limit), nil
}

// within makes the filter groups of a search: nil means nothing can match.
func within(ctx context.Context, r testigo.FactReader, project testigo.Project, p RecallParams) ([][]string, error) {
	groups := [][]string{}
	projects := visible(project)
	if p.AllProjects {
		all, err := r.Projects(ctx)
		if err != nil {
			return nil, err
		}
		if len(all) == 0 {
			return nil, nil
		}
		projects = all
	}
	narrow := p.Scope != ""
	if !narrow && !p.AllProjects {
		// A filter that every row passes would only cost time.
		others, err := r.HasOtherProjects(ctx, projects)
		if err != nil {
			return nil, err
		}
		narrow = others
	}
	if narrow {
		var terms []string
		for _, id := range projects {
			terms = append(terms, search.ScopeTerm(id, p.Scope))
		}
		groups = append(groups, terms)
	}
	if p.Tag != "" {
		groups = append(groups, []string{search.TagTerm(p.Tag)})
	}
	return groups, nil
}

// listing ranks, cuts to page and budget, and says what is not shown.
func (s *Service) listing(ctx context.Context, c Caller, project testigo.Project, p RecallParams, plan search.Plan, found, deep testigo.Candidates, at, limit int) RecallResult {
	now := s.now()
	res := RecallResult{Total: found.Total, AtLeast: found.More, Project: projectField(project.ID)}
	hits := ranked(p.Query, plan, found, deep, at, limit)
	used := 0
	for i, h := range hits {
		v := h.Candidate.Version
		f := view(v, now, listValueBytes)
		if f.ValueText != "" && !plan.Empty() { // a long value is cut around what was looked for
			f.ValueText = search.Snippet(string(v.Value), plan, listValueBytes)
		}
		s.addStale(ctx, &f, v, project)
		if p.Explain && !plan.Empty() {
			f.Score = &hits[i].Score
			for _, part := range h.Parts {
				f.Explain = append(f.Explain, ScorePart(part))
			}
		}
		size := jsonSize(f)
		if c.Budget > 0 && used+size > c.Budget && len(res.Facts) > 0 {
			break
		}
		used += size
		res.Facts = append(res.Facts, f)
	}
	res.Shown = len(res.Facts)
	if res.Shown > 0 && (res.Shown < len(hits) || more(plan, found, at, res.Shown)) {
		res.Cursor = nextCursor(p, plan, hits[res.Shown-1].Candidate.Version.Seq, at+res.Shown)
	}
	res.Summary = summary(res, at)
	return res
}

// ranked orders what was found. The order never depends on the page: the first rankDepth stand as ranked among themselves,
// and what a deeper search found beside them comes after, ranked too.
func ranked(query string, plan search.Plan, found, deep testigo.Candidates, at, limit int) []search.Hit {
	if !plan.Empty() {
		hits := namedFirst(query, plan.Rank(found, 0))
		if len(deep.List) > 0 {
			first := map[int64]bool{}
			for _, h := range hits {
				first[h.Candidate.Version.Seq] = true
			}
			for _, h := range plan.Rank(deep, 0) {
				if !first[h.Candidate.Version.Seq] {
					hits = append(hits, h)
				}
			}
		}
		return hits[min(at, len(hits)):min(at+limit, len(hits))]
	}
	hits := make([]search.Hit, len(found.List))
	for i, cand := range found.List {
		hits[i].Candidate = cand
	}
	return hits[:min(limit, len(hits))]
}

// namedFirst moves the fact whose very name was typed to the front.
func namedFirst(query string, hits []search.Hit) []search.Hit {
	query = norm.NFC.String(strings.TrimSpace(query))
	for i, h := range hits {
		if h.Candidate.Version.Name.String() == query {
			copy(hits[1:i+1], hits[:i])
			hits[0] = h
			break
		}
	}
	return hits
}

// more reports whether matches lie behind the ones shown.
func more(plan search.Plan, found testigo.Candidates, at, shown int) bool {
	if plan.Empty() {
		return len(found.List) > shown
	}
	return at+shown < min(found.Total, testigo.CountLimit) // deeper than that nobody pages: a narrower search is the way
}

func summary(res RecallResult, at int) string {
	switch {
	case res.Total == 0:
		return "no match"
	case res.AtLeast:
		return fmt.Sprintf("%s shown of more than 1,000", span(at, res.Shown))
	}
	return fmt.Sprintf("%s shown of %d", span(at, res.Shown), res.Total)
}

func span(at, shown int) string {
	if at == 0 || shown == 0 {
		return strconv.Itoa(shown)
	}
	return fmt.Sprintf("%d more", shown)
}

func jsonSize(v any) int {
	b, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return len(b)
}

// nextCursor says where a list goes on: a position in the ranking, or the sequence number of the last row by newest. It
// carries a mark of the search, so that it is not used for another one.
func nextCursor(p RecallParams, plan search.Plan, seq int64, rank int) string {
	if plan.Empty() {
		return fmt.Sprintf("n%d.%08x", seq, searchMark(p))
	}
	return fmt.Sprintf("r%d.%08x", rank, searchMark(p))
}

func readCursor(p RecallParams) (int, error) {
	if p.Cursor == "" {
		return 0, nil
	}
	bad := testigo.Invalid("cursor", "does not belong to this search").WithNext("repeat the search without cursor")
	pos, mark, ok := strings.Cut(p.Cursor, ".")
	if !ok || len(pos) < 2 || !slices.Contains([]byte("nr"), pos[0]) || mark != fmt.Sprintf("%08x", searchMark(p)) {
		return 0, bad
	}
	n, err := strconv.Atoi(pos[1:])
	if err != nil || n < 0 || (pos[0] == 'r') != (strings.TrimSpace(p.Query) != "") || (pos[0] == 'r' && n > testigo.CountLimit) {
		return 0, bad
	}
	return n, nil
}

func searchMark(p RecallParams) uint32 {
	h := fnv.New32a()
	fmt.Fprintf(h, "%q %v %q %q %q", p.Project, p.AllProjects, p.Scope, p.Tag, p.Query)
	if p.MinConfidence != nil {
		fmt.Fprintf(h, " %v", *p.MinConfidence)
	}
	return h.Sum32()
}
