package sqlite

import (
	"context"
	"database/sql"

	"github.com/testigo/testigo"
)

func (v *view) Stats(ctx context.Context) (testigo.Stats, error) {
	if err := v.ask(ctx); err != nil {
		return testigo.Stats{}, err
	}
	defer v.answer()
	s, err := v.stats(ctx)
	return s, v.fail(err)
}

func (v *view) stats(ctx context.Context) (testigo.Stats, error) {
	s := testigo.Stats{Handoffs: map[testigo.HandoffState]int{}}
	stop := ctx
	if v.writing {
		stop = context.Background()
	}
	ask := func(name string, fn func(*sql.Rows) error) error { return v.k.eachUntil(ctx, stop, name, nil, fn) }
	err := ask("stats_counts", func(rows *sql.Rows) error {
		return scan(rows, &s.Facts, &s.Versions, &s.Erased, &s.Outcomes, &s.Agents, &s.Events)
	})
	if err != nil {
		return s, err
	}
	err = ask("stats_authors", func(rows *sql.Rows) error {
		var a testigo.AgentStats
		err := scan(rows, &a.Agent, &a.Versions, &a.AvgConfidence)
		s.ByAgent = append(s.ByAgent, a)
		return err
	})
	if err != nil {
		return s, err
	}
	facts := 0
	err = ask("stats_scopes", func(rows *sql.Rows) error {
		var g testigo.ScopeStats
		var sum float64
		err := scan(rows, &g.Project, &g.Scope, &g.Facts, &sum)
		if g.Facts > 0 {
			g.AvgConfidence = sum / float64(g.Facts)
		}
		facts += g.Facts
		s.AvgConfidence += sum // until all are summed up
		s.ByScope = append(s.ByScope, g)
		return err
	})
	if err != nil {
		return s, err
	}
	if facts > 0 {
		s.AvgConfidence /= float64(facts)
	}
	return s, ask("stats_handoffs", func(rows *sql.Rows) error {
		var state testigo.HandoffState
		var n int
		err := scan(rows, &state, &n)
		s.Handoffs[state] = n
		return err
	})
}
