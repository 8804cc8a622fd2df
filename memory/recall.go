package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/search"
	"github.com/testigo/testigo/workspace"
)

// RecallParams are the arguments of recall. With a key it is a point read; without one it is a search.
type RecallParams struct {
	Project     string `json:"project,omitempty"`
	AllProjects bool   `json:"all_projects,omitempty"`
	Scope       string `json:"scope,omitempty"`
	Key         string `json:"key,omitempty"`
	// Version or AsOf (RFC 3339) read an older version.
	Version int    `json:"version,omitempty"`
	AsOf    string `json:"as_of,omitempty"`
	// Tag, Query, MinConfidence, Limit and Explain belong to a search.
	Tag           string   `json:"tag,omitempty"`
	Query         string   `json:"query,omitempty"`
	MinConfidence *float64 `json:"min_confidence,omitempty"`
	Limit         int      `json:"limit,omitempty"`
	Explain       bool     `json:"explain,omitempty"`
	// MaxChars bounds the part of a long value that is shown; Cursor reads on, in a value or in a list.
	MaxChars int    `json:"max_chars,omitempty"`
	Cursor   string `json:"cursor,omitempty"`
}

// RecallResult is one fact or a list. As JSON a list always has facts, shown and total, and a point read has none of them.
type RecallResult struct {
	Fact  *Fact  `json:"fact,omitempty"`
	Facts []Fact `json:"facts"`
	// Shown of Total says how many matches this answer holds; AtLeast that there are more than Total.
	Shown   int    `json:"shown"`
	Total   int    `json:"total"`
	AtLeast bool   `json:"more_than_total,omitempty"`
	Summary string `json:"summary,omitempty"`
	Cursor  string `json:"cursor,omitempty"`
	// Project is where the call looked first.
	Project *string  `json:"project"`
	Notes   []string `json:"notes,omitempty"`
}

// MarshalJSON writes the shape that fits the question.
func (r RecallResult) MarshalJSON() ([]byte, error) {
	if r.Fact != nil {
		return json.Marshal(struct {
			Fact    *Fact    `json:"fact"`
			Project *string  `json:"project"`
			Notes   []string `json:"notes,omitempty"`
		}{r.Fact, r.Project, r.Notes})
	}
	type list RecallResult
	if r.Facts == nil {
		r.Facts = []Fact{}
	}
	return json.Marshal(list(r))
}

// Recall reads one fact by name, or searches current versions. It never writes. A point read of a fact that does not
// exist is not_found with the nearest names; an empty search is no error.
func (s *Service) Recall(ctx context.Context, c Caller, p RecallParams) (RecallResult, error) {
	if err := checkRecall(&p); err != nil {
		return RecallResult{}, err
	}
	explicit := p.Project
	if explicit == "*" {
		p.AllProjects, explicit = true, ""
	}
	project, err := s.Project(ctx, c, explicit)
	if err != nil {
		return RecallResult{}, err
	}
	if p.Key == "" {
		return s.find(ctx, c, project, p)
	}
	if p.AllProjects {
		return RecallResult{}, testigo.Invalid("all_projects", "belongs to a search; a read by key names one project").WithNext("recall with query instead of key")
	}
	return s.readPoint(ctx, c, project, p)
}

func checkRecall(p *RecallParams) error {
	p.Scope, p.Key, p.Tag = norm.NFC.String(p.Scope), norm.NFC.String(p.Key), strings.ToLower(norm.NFC.String(strings.TrimSpace(p.Tag)))
	switch {
	case p.Limit < 0 || p.Limit > 100:
		return testigo.Invalid("limit", "must be between 1 and 100")
	case p.MaxChars < 0 || p.MaxChars > MaxMaxChars:
		return testigo.Invalid("max_chars", "must be between 1 and %d", MaxMaxChars)
	case p.Version < 0:
		return testigo.Invalid("version", "must be 1 or more")
	case p.Version > 0 && p.AsOf != "":
		return testigo.Invalid("as_of", "cannot be combined with version")
	case p.Key == "" && (p.Version > 0 || p.AsOf != ""):
		return testigo.Invalid("key", "is required with version or as_of")
	case p.Key != "" && (p.Query != "" || p.Tag != "" || p.MinConfidence != nil):
		return testigo.Invalid("key", "reads one fact by name; query, tag and min_confidence belong to a search").WithNext("leave key out to search")
	case !utf8.ValidString(p.Query):
		return testigo.Invalid("query", "must be valid UTF-8")
	case len(p.Query) > 10_000:
		return testigo.Invalid("query", "has %d bytes; at most 10,000 are allowed", len(p.Query))
	case strings.ContainsRune(p.Query, 0):
		return testigo.Invalid("query", "contains a NUL character")
	case utf8.RuneCountInString(p.Tag) > testigo.MaxTagLen:
		return testigo.Invalid("tag", "has more than %d characters", testigo.MaxTagLen)
	}
	if p.Key == "" && p.Scope != "" {
		p.Scope = strings.TrimSuffix(p.Scope, "/")
		if err := testigo.CheckScope("scope", p.Scope); err != nil {
			return err
		}
	}
	if p.MinConfidence != nil && !(*p.MinConfidence >= 0 && *p.MinConfidence <= 1) {
		return testigo.Invalid("min_confidence", "must be between 0 and 1")
	}
	return nil
}

// readPoint reads one fact in the caller's project, then among those that all projects share.
func (s *Service) readPoint(ctx context.Context, c Caller, project testigo.Project, p RecallParams) (RecallResult, error) {
	var asOf time.Time
	if p.AsOf != "" {
		var err error
		if asOf, err = time.Parse(time.RFC3339, p.AsOf); err != nil {
			return RecallResult{}, testigo.Invalid("as_of", "must be an RFC 3339 time such as 2026-03-01T09:00:00+01:00")
		}
	}
	name, err := NewName(project.ID, p.Scope, p.Key)
	if err != nil {
		return RecallResult{}, err
	}
	var v testigo.Version
	err = s.store.Read(ctx, func(r testigo.Reader) error {
		v, err = lookIn(visible(project), name, func(n testigo.Name) (testigo.Version, error) {
			switch {
			case p.Version > 0:
				return r.VersionOf(ctx, n, p.Version)
			case !asOf.IsZero():
				return r.VersionAsOf(ctx, n, asOf)
			}
			return r.Current(ctx, n)
		})
		if testigo.CodeOf(err) == testigo.CodeNotFound {
			return missing(ctx, r, project, name, p)
		}
		return err
	})
	if err != nil {
		return RecallResult{}, err
	}
	now := s.now()
	f, err := part(v, now, p, c.Budget)
	if err != nil {
		return RecallResult{}, err
	}
	s.addStale(ctx, &f, v, project)
	c.Seen.Add(v.Name, v.Number, now)
	return RecallResult{Fact: &f, Project: projectField(project.ID)}, nil
}

// lookIn tries the projects in turn and returns the first hit, or the last project's not_found.
func lookIn(projects []string, n testigo.Name, read func(testigo.Name) (testigo.Version, error)) (testigo.Version, error) {
	var v testigo.Version
	var err error
	for _, p := range projects {
		n.Project = p
		if v, err = read(n); testigo.CodeOf(err) != testigo.CodeNotFound {
			return v, err
		}
	}
	return v, err
}

// Lookup reads the version a name and number mean in a project: number 0 is the current one.
func Lookup(ctx context.Context, r testigo.FactReader, project testigo.Project, n testigo.Name, number int) (testigo.Version, error) {
	return lookIn(visible(project), n, func(n testigo.Name) (testigo.Version, error) {
		if number > 0 {
			return r.VersionOf(ctx, n, number)
		}
		return r.Current(ctx, n)
	})
}

// missing makes the not_found error of a point read, with what is nearest.
func missing(ctx context.Context, r testigo.Reader, project testigo.Project, name testigo.Name, p RecallParams) error {
	if p.Version > 0 || p.AsOf != "" {
		if cur, err := Lookup(ctx, r, project, name, 0); err == nil {
			what := fmt.Sprintf("no version %d", p.Version)
			if p.AsOf != "" {
				what = "no version as old as " + p.AsOf
			}
			return testigo.Errorf(testigo.CodeNotFound, "%s has %s; its current version is %d", name, what, cur.Number).
				WithNext("history %s", name)
		}
	}
	return NotFound(ctx, r, project, name)
}

// NotFound makes the error for a fact that does not exist in a project, naming the nearest that do.
func NotFound(ctx context.Context, r testigo.FactReader, project testigo.Project, name testigo.Name) error {
	e := testigo.Errorf(testigo.CodeNotFound, "there is no fact %s in %s", name, projectWords(project.ID))
	near, err := nearest(ctx, r, visible(project), name)
	if err != nil || len(near) == 0 {
		return e.WithNext("recall with a query searches what is there")
	}
	return e.WithData(map[string]any{"nearest": near}).WithNext("did you mean %s? recall reads it", strings.Join(near, ", "))
}

func nearest(ctx context.Context, r testigo.FactReader, projects []string, name testigo.Name) ([]string, error) {
	names, err := r.NamesNear(ctx, projects, name.Scope, name.Key, 200)
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(names))
	for i, n := range names {
		texts[i] = n.String()
	}
	return search.NearestNames(name.String(), texts, 3), nil
}

func projectWords(id string) string {
	if id == testigo.NoProject {
		return "what all projects share"
	}
	return "project " + id + " or what all projects share"
}

// part shows a version's value, or the part of it that a cursor and max_chars ask for. Positions are characters of the
// value's JSON text.
func part(v testigo.Version, now time.Time, p RecallParams, budget int) (Fact, error) {
	limit := p.MaxChars
	if limit == 0 {
		limit = DefaultMaxChars
	} else {
		budget = 0 // the caller asked for that much
	}
	start := 0
	if p.Cursor != "" {
		version, pos, ok := strings.Cut(p.Cursor, ":")
		n, err1 := strconv.Atoi(version)
		at, err2 := strconv.Atoi(pos)
		if !ok || err1 != nil || err2 != nil || at < 0 {
			return Fact{}, testigo.Invalid("cursor", "is not one that recall gave for a value").WithNext("repeat the call without cursor")
		}
		if n != v.Number {
			return Fact{}, testigo.Errorf(testigo.CodeGone, "the value changed while it was being read: version %d became %d", n, v.Number).
				WithNext("recall %s with version %d to go on, or without cursor for the current value", v.Name, n)
		}
		start = at
	}
	total := utf8.RuneCount(v.Value)
	if f := View(v, now); start == 0 && total <= limit && (budget == 0 || jsonSize(f) <= budget) {
		return f, nil
	}
	if start > total {
		return Fact{}, testigo.Invalid("cursor", "lies behind the end of the value (%d characters)", total)
	}
	f := view(v, now, 1) // everything but the value
	f.ValueText, f.More = "", ""
	text := []rune(string(v.Value))[start:min(start+limit, total)]
	if budget > 0 {
		text = Fitting(text, budget-jsonSize(f)-pageSlack)
	}
	end := start + len(text)
	f.ValueText, f.ValueChars = string(text), total
	if end < total {
		f.Cursor = fmt.Sprintf("%d:%d", v.Number, end)
		f.More = fmt.Sprintf("characters %d to %d of %d; pass cursor to read on", start+1, end, total)
	}
	return f, nil
}

// pageSlack is room for what a page says about itself: cursor and how much is shown.
const pageSlack = 160

// Fitting returns the longest beginning of text whose JSON form takes at most size bytes, and at least one character.
func Fitting(text []rune, size int) []rune {
	n := sort.Search(len(text), func(n int) bool { return jsonSize(string(text[:n+1])) > size })
	return text[:max(n, min(1, len(text)))]
}

// addStale compares a fact's sources with the files of the caller's directory.
func (s *Service) addStale(ctx context.Context, f *Fact, v testigo.Version, project testigo.Project) {
	if len(v.Sources) == 0 {
		return
	}
	root := project.Root
	if v.Name.Project != project.ID && v.Name.Project != testigo.NoProject {
		root = "" // another project's files are not here
	}
	f.StaleSources = workspace.StaleSources(ctx, root, v.Sources)
}
