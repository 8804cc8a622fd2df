package memory

import (
	"context"
	"math"

	"github.com/testigo/testigo"
)

// StatsParams are the arguments of memory_stats.
type StatsParams struct {
	Verify bool `json:"verify,omitempty"`
}

// StatsResult counts what the store holds.
type StatsResult struct {
	testigo.Stats
	Store   testigo.StoreInfo `json:"store"`
	LogSize int64             `json:"log_size"`
	LogRoot string            `json:"log_root"`
	// Verification is present when it was asked for.
	Verification *Verification `json:"verification,omitempty"`
	Notes        []string      `json:"notes,omitempty"`
}

// rounded keeps four digits of an average: its last ones depend on the order a store adds in.
func rounded(avg float64) float64 { return math.Round(avg*1e4) / 1e4 }

// statRows is how many agents and scopes an answer to a model lists.
const statRows = 20

// Stats counts facts, versions, outcomes and handoffs, and with Verify checks every row.
func (s *Service) Stats(ctx context.Context, c Caller, p StatsParams) (StatsResult, error) {
	var res StatsResult
	err := s.store.Read(ctx, func(r testigo.Reader) error {
		st, err := r.Stats(ctx)
		if err != nil {
			return err
		}
		log, err := r.Log(ctx)
		st.AvgConfidence = rounded(st.AvgConfidence)
		for i := range st.ByAgent {
			st.ByAgent[i].AvgConfidence = rounded(st.ByAgent[i].AvgConfidence)
		}
		for i := range st.ByScope {
			st.ByScope[i].AvgConfidence = rounded(st.ByScope[i].AvgConfidence)
		}
		res.Stats, res.LogSize, res.LogRoot = st, log.Size, log.Root.String()
		return err
	})
	if err != nil {
		return StatsResult{}, err
	}
	if res.Store, err = s.store.Info(ctx); err != nil {
		return StatsResult{}, err
	}
	if c.Budget > 0 {
		if n := len(res.ByAgent); n > statRows {
			res.ByAgent = res.ByAgent[:statRows]
			res.Notes = append(res.Notes, "by_agent shows the first 20; `testigo stats` shows all")
		}
		if n := len(res.ByScope); n > statRows {
			res.ByScope = res.ByScope[:statRows]
			res.Notes = append(res.Notes, "by_scope shows the first 20; `testigo stats` shows all")
		}
	}
	if p.Verify {
		v, err := s.Verify(ctx, nil)
		if err != nil {
			return StatsResult{}, err
		}
		res.Verification = &v
	}
	return res, nil
}
