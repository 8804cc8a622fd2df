package memory

import (
	"context"
	"strconv"
	"time"

	"github.com/testigo/testigo"
)

// HistoryParams are the arguments of history.
type HistoryParams struct {
	Project string `json:"project,omitempty"`
	Scope   string `json:"scope,omitempty"`
	Key     string `json:"key"`
	Limit   int    `json:"limit,omitempty"`
	Cursor  string `json:"cursor,omitempty"`
}

// HistoryResult is a fact's versions, oldest first.
type HistoryResult struct {
	Name     string         `json:"name"`
	Project  *string        `json:"project"`
	Versions []HistoryEntry `json:"versions"`
	Shown    int            `json:"shown"`
	Total    int            `json:"total"`
	Summary  string         `json:"summary"`
	Cursor   string         `json:"cursor,omitempty"`
}

// HistoryEntry is one version with its hashes and what moved its confidence.
type HistoryEntry struct {
	Fact
	PrevHash string        `json:"prev_hash"`
	BodyHash string        `json:"body_hash"`
	Hash     string        `json:"hash"`
	Moves    []OutcomeView `json:"moves,omitempty"`
	// MovesShown is set when a version has more moves than the list holds.
	MovesShown string `json:"moves_shown,omitempty"`
}

// OutcomeView is one audit row: what moved a confidence. An empty outcome is an opinion given with a repeated write.
type OutcomeView struct {
	Outcome    testigo.OutcomeKind `json:"outcome,omitempty"`
	OutcomeRef string              `json:"outcome_ref"`
	Note       string              `json:"note,omitempty"`
	Agent      string              `json:"agent"`
	HandoffID  string              `json:"handoff_id,omitempty"`
	At         time.Time           `json:"at"`
	Before     float64             `json:"before"`
	After      float64             `json:"after"`
}

// movesShown is how many audit rows one version shows.
const movesShown = 20

// History lists every version of one fact. It never writes.
func (s *Service) History(ctx context.Context, c Caller, p HistoryParams) (HistoryResult, error) {
	if p.Limit < 0 || p.Limit > 100 {
		return HistoryResult{}, testigo.Invalid("limit", "must be between 1 and 100")
	}
	limit := p.Limit
	if limit == 0 {
		limit = 2 * testigo.DefaultPageSize
	}
	after := 0
	if p.Cursor != "" {
		var err error
		if after, err = strconv.Atoi(p.Cursor); err != nil || after < 0 {
			return HistoryResult{}, testigo.Invalid("cursor", "is not one that history gave").WithNext("repeat the call without cursor")
		}
	}
	project, err := s.Project(ctx, c, p.Project)
	if err != nil {
		return HistoryResult{}, err
	}
	name, err := NewName(project.ID, p.Scope, p.Key)
	if err != nil {
		return HistoryResult{}, err
	}
	var res HistoryResult
	err = s.store.Read(ctx, func(r testigo.Reader) error {
		cur, err := Lookup(ctx, r, project, name, 0)
		if testigo.CodeOf(err) == testigo.CodeNotFound {
			return NotFound(ctx, r, project, name)
		}
		if err != nil {
			return err
		}
		res = HistoryResult{Name: cur.Name.String(), Project: projectField(cur.Name.Project), Total: cur.Number, Versions: []HistoryEntry{}}
		vs, err := r.Versions(ctx, cur.Name, after, limit)
		if err != nil {
			return err
		}
		return s.entries(ctx, r, c, vs, &res)
	})
	if err != nil {
		return HistoryResult{}, err
	}
	res.Shown = len(res.Versions)
	res.Summary = strconv.Itoa(res.Shown) + " of " + Count(res.Total, "version", "versions") + " shown, oldest first"
	if n := res.Shown; n > 0 && res.Versions[n-1].Version < res.Total {
		res.Cursor = strconv.Itoa(res.Versions[n-1].Version)
	}
	return res, nil
}

// entries fills res until the caller's budget is used up.
func (s *Service) entries(ctx context.Context, r testigo.FactReader, c Caller, vs []testigo.Version, res *HistoryResult) error {
	used := 0
	for _, v := range vs {
		moves, err := r.OutcomesOf(ctx, v.Seq, movesShown+1)
		if err != nil {
			return err
		}
		e := HistoryEntry{Fact: view(v, s.now(), listValueBytes), PrevHash: v.PrevHash.String(), BodyHash: v.BodyHash.String(), Hash: v.Hash.String()}
		for _, o := range moves[:min(movesShown, len(moves))] {
			e.Moves = append(e.Moves, OutcomeView{Outcome: o.Kind, OutcomeRef: o.OutcomeRef, Note: o.Note, Agent: o.Agent,
				HandoffID: o.HandoffID, At: o.At, Before: o.Before, After: o.After})
		}
		if len(moves) > movesShown {
			e.MovesShown = "the first " + strconv.Itoa(movesShown) + " moves are shown; there are more"
		}
		size := jsonSize(e)
		if c.Budget > 0 && used+size > c.Budget && len(res.Versions) > 0 {
			return nil
		}
		used += size
		res.Versions = append(res.Versions, e)
	}
	return nil
}
