package memstore

import (
	"context"
	"strings"

	"github.com/testigo/testigo"
)

func (v *view) Request(ctx context.Context, agent, key string) (testigo.Request, error) {
	if err := v.usable(ctx); err != nil {
		return testigo.Request{}, err
	}
	r, ok := v.state.requests.get(requestKey{agent, key})
	if !ok {
		return testigo.Request{}, missing("no request %s of %s", key, agent)
	}
	return copyRequest(r), nil
}

func (v *view) Events(ctx context.Context, subject string, after int64, limit int) ([]testigo.Event, error) {
	if err := v.usable(ctx); err != nil {
		return nil, err
	}
	var list []testigo.Event
	for key, e := range v.state.events.from(eventKey{subject, after + 1}) {
		if key.subject != subject || len(list) >= limit {
			break
		}
		list = append(list, copyEvent(e))
	}
	return list, nil
}

func (v *view) Log(ctx context.Context) (testigo.LogState, error) {
	if err := v.usable(ctx); err != nil {
		return testigo.LogState{}, err
	}
	return copyLog(v.state.log), nil
}

func (v *view) Stats(ctx context.Context) (testigo.Stats, error) {
	if err := v.usable(ctx); err != nil {
		return testigo.Stats{}, err
	}
	s := testigo.Stats{
		Facts:    v.state.heads.len(),
		Versions: v.state.versions.len(),
		Erased:   v.state.erasures.len(),
		Outcomes: v.state.outcomes.len(),
		Handoffs: make(map[testigo.HandoffState]int),
		Agents:   v.state.agents.len(),
		Events:   v.state.events.len(),
	}
	for _, h := range v.state.handoffs.all() {
		s.Handoffs[h.State]++
	}
	v.countFacts(&s)
	v.countAuthors(&s)
	return s, nil
}

// countFacts gathers by key, because facts of one first segment are no neighbours in the order of names: "a-b" sorts
// between "a" and "a/b".
func (v *view) countFacts(s *testigo.Stats) {
	groups := newTable[testigo.Name, testigo.ScopeStats](compareNames)
	for n, h := range v.state.heads.all() {
		first, _, _ := strings.Cut(n.Scope, "/")
		row, _ := v.state.versions.get(h.seq)
		at := testigo.Name{Project: n.Project, Scope: first}
		g, _ := groups.get(at)
		g.Project, g.Scope = n.Project, first
		g.Facts++
		g.AvgConfidence += row.Confidence // a sum until the end
		groups.set(at, g)
	}
	for _, g := range groups.all() {
		s.AvgConfidence += g.AvgConfidence
		g.AvgConfidence /= float64(g.Facts)
		s.ByScope = append(s.ByScope, g)
	}
	if s.Facts > 0 {
		s.AvgConfidence /= float64(s.Facts)
	}
}

func (v *view) countAuthors(s *testigo.Stats) {
	groups := newTable[string, testigo.AgentStats](strings.Compare)
	for _, row := range v.state.versions.all() {
		g, _ := groups.get(row.Author)
		g.Agent = row.Author
		g.Versions++
		g.AvgConfidence += row.Confidence
		groups.set(row.Author, g)
	}
	for _, g := range groups.all() {
		g.AvgConfidence /= float64(g.Versions)
		s.ByAgent = append(s.ByAgent, g)
	}
}
