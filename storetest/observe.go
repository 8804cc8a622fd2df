package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/testigo/testigo"
)

// observation is every answer a store gave about a world, by question. Two stores that hold the same give equal ones.
type observation map[string]any

// notFound stands for the answer of a question about something that is not there.
const notFound = "not found"

// world is what there may be in a store: an observer asks about all of it, and about what it finds on the way.
type world struct {
	names    []testigo.Name
	agents   []string
	sessions []string
	keys     []string // request keys
	ids      []string // handoffs, and subjects of events
	terms    []string
	filters  []string
	settings []string
	times    []time.Time
}

type observer struct {
	*world
	ctx  context.Context
	r    testigo.Reader
	seen observation
	errs []error
}

// observe asks everything. Answers whose order the contract leaves open come sorted.
func (w *world) observe(ctx context.Context, r testigo.Reader) (observation, error) {
	o := &observer{world: w, ctx: ctx, r: r, seen: observation{}}
	o.wholes()
	for _, n := range w.names {
		o.fact(n)
	}
	o.searches()
	o.agentsOf()
	o.handoffs()
	o.deliveries()
	return o.seen, errors.Join(o.errs...)
}

func (w *world) mustObserve(f *fixture, s testigo.Store) observation {
	f.Helper()
	return readFrom(f, s, func(r testigo.Reader) (observation, error) { return w.observe(f.ctx, r) })
}

func (f *fixture) observe(w *world) observation {
	f.Helper()
	return w.mustObserve(f, f.store)
}

// see notes the answer to one question.
func see[T any](o *observer, answer T, err error, question string, args ...any) {
	question = fmt.Sprintf(question, args...)
	switch {
	case err == nil:
		o.seen[question] = answer
	case testigo.CodeOf(err) == testigo.CodeNotFound:
		o.seen[question] = notFound
	default:
		o.errs = append(o.errs, fmt.Errorf("%s: %w", question, err))
	}
}

func (o *observer) wholes() {
	log, err := o.r.Log(o.ctx)
	see(o, log, err, "log")
	stats, err := o.r.Stats(o.ctx)
	see(o, tidyStats(stats), err, "stats")
	projects, err := o.r.Projects(o.ctx)
	see(o, projects, err, "projects")
	agents, err := o.r.Agents(o.ctx)
	see(o, agents, err, "agents")
	rules, err := o.r.Connections(o.ctx)
	see(o, rules, err, "connections")
	for _, name := range o.settings {
		value, err := o.r.Setting(o.ctx, name)
		see(o, value, err, "setting %s", name)
	}
	leaves, err := o.r.Leaves(o.ctx, 0, 1000)
	see(o, leaves, err, "leaves")
	heads, err := o.r.Heads(o.ctx, testigo.Name{}, 1000)
	slices.SortFunc(heads, func(a, b testigo.Head) int { return cmp.Compare(fmt.Sprint(a.Name), fmt.Sprint(b.Name)) })
	see(o, heads, err, "heads")
}

func (o *observer) fact(n testigo.Name) {
	current, err := o.r.Current(o.ctx, n)
	see(o, current, err, "current %+v", n)
	others, err := o.r.HasOtherProjects(o.ctx, []string{n.Project})
	see(o, others, err, "projects beside %s", n.Project)
	for _, at := range o.times {
		v, err := o.r.VersionAsOf(o.ctx, n, at)
		see(o, v, err, "%+v as of %v", n, at)
	}
	list, err := o.r.Versions(o.ctx, n, 0, 1000)
	see(o, list, err, "versions of %+v", n)
	page, err := o.r.Versions(o.ctx, n, 1, 2)
	see(o, page, err, "a page of %+v", n)
	for _, v := range list {
		o.version(v)
	}
}

func (o *observer) version(v testigo.Version) {
	same, err := o.r.VersionOf(o.ctx, v.Name, v.Number)
	see(o, same, err, "version %d", v.Seq)
	outcomes, err := o.r.OutcomesOf(o.ctx, v.Seq, 100)
	see(o, outcomes, err, "outcomes of %d", v.Seq)
	for _, one := range outcomes {
		if one.Kind != "" { // an opinion has no reference to be found by
			found, err := o.r.OutcomeBy(o.ctx, v.Seq, one.Agent, one.OutcomeRef)
			see(o, found, err, "outcome of %d by %s under %s", v.Seq, one.Agent, one.OutcomeRef)
		}
	}
	text, err := o.r.IndexTextOf(o.ctx, v.Seq)
	see(o, text, err, "index text of %d", v.Seq)
	erasure, err := o.r.ErasureOf(o.ctx, v.Seq)
	see(o, erasure, err, "erasure of %d", v.Seq)
	for _, after := range []bool{false, true} {
		near, err := o.r.Neighbours(o.ctx, v.Author, v.Session, v.Name.Project, v.Seq, after, 2)
		see(o, near, err, "neighbours of %d, after: %v", v.Seq, after)
	}
}

func (o *observer) searches() {
	queries := []testigo.SearchQuery{{}, {Terms: o.terms}, {MinConfidence: 0.7}, {Terms: o.terms, MinConfidence: 0.7}}
	for _, t := range o.terms {
		queries = append(queries, testigo.SearchQuery{Terms: []string{t}})
	}
	for _, g := range o.filters {
		queries = append(queries, testigo.SearchQuery{Within: [][]string{{g}}},
			testigo.SearchQuery{Terms: o.terms, Within: [][]string{{g}, o.filters}})
	}
	for _, q := range queries {
		o.candidates(q)
	}
}

func (o *observer) candidates(q testigo.SearchQuery) {
	q.Limit = 1000
	c, err := o.r.Candidates(o.ctx, q)
	question := fmt.Sprintf("candidates for %+v", q)
	// Average lengths are compared in their own test: an index may keep them rounded.
	c.AvgBody, c.AvgContext = 0, 0
	if len(q.Terms) > 0 {
		slices.SortFunc(c.List, func(a, b testigo.Candidate) int { return cmp.Compare(a.Version.Seq, b.Version.Seq) })
		c.DocFreq = maps.Clone(c.DocFreq)
		maps.DeleteFunc(c.DocFreq, func(_ string, n int) bool { return n == 0 })
		see(o, c, err, "%s", question)
		return
	}
	c.Docs, c.DocFreq = 0, nil // nobody ranks without terms
	see(o, c, err, "%s", question)
	if len(c.List) > 1 {
		q.Before, q.Limit = c.List[0].Version.Seq, 1
		page, err := o.r.Candidates(o.ctx, q)
		see(o, page.List, err, "%s, second page", question)
	}
}

func (o *observer) agentsOf() {
	for _, agent := range o.agents {
		a, err := o.r.Agent(o.ctx, agent)
		see(o, a, err, "agent %s", agent)
		for _, other := range o.agents {
			rule, err := o.r.Connection(o.ctx, agent, other)
			see(o, rule, err, "connection from %s to %s", agent, other)
		}
		for _, session := range o.sessions {
			list, err := o.r.Touched(o.ctx, agent, session, 100)
			see(o, list, err, "touched by %s, %s", agent, session)
		}
		for _, key := range o.keys {
			request, err := o.r.Request(o.ctx, agent, key)
			see(o, request, err, "request %s of %s", key, agent)
		}
	}
}

func (o *observer) handoffs() {
	for _, id := range o.ids {
		h, err := o.r.Handoff(o.ctx, id)
		see(o, h, err, "handoff %s", id)
		events, err := o.r.Events(o.ctx, id, 0, 100)
		see(o, events, err, "events of %s", id)
		list, err := o.r.HandoffsByPrefix(o.ctx, id[:len(id)-1], 100)
		slices.Sort(list)
		see(o, list, err, "handoffs like %s", id)
		recent, err := o.r.RecentHandoff(o.ctx, h.From, h.FromSession, h.ContentHash, h.CreatedAt)
		see(o, recent, err, "repeats of %s", id)
	}
	for _, f := range o.handoffFilters() {
		list, err := o.r.Handoffs(o.ctx, f)
		see(o, list, err, "handoffs %+v", f)
		n, err := o.r.CountHandoffs(o.ctx, f)
		see(o, n, err, "count of handoffs %+v", f)
		f.Newest, f.Limit = true, 2
		list, err = o.r.Handoffs(o.ctx, f)
		see(o, list, err, "handoffs %+v", f)
		if len(list) > 0 {
			f.BeforeSeq = list[0].Seq
			list, err = o.r.Handoffs(o.ctx, f)
			see(o, list, err, "handoffs %+v, second page", f)
		}
	}
}

func (o *observer) handoffFilters() []testigo.HandoffFilter {
	pending := []testigo.HandoffState{testigo.Open, testigo.Claimed}
	filters := []testigo.HandoffFilter{{}, {Unaddressed: true, Projects: []string{"p"}}, {Limit: 2, AfterSeq: 1}, {Unread: true},
		{Kinds: []testigo.HandoffKind{testigo.KindWork, testigo.KindMessage}}}
	for _, state := range testigo.HandoffStates() {
		filters = append(filters, testigo.HandoffFilter{States: []testigo.HandoffState{state}})
	}
	for _, agent := range o.agents {
		filters = append(filters, testigo.HandoffFilter{To: agent, Unaddressed: true}, testigo.HandoffFilter{From: agent}, testigo.HandoffFilter{HolderAgent: agent},
			testigo.HandoffFilter{To: agent, Unread: true}, testigo.HandoffFilter{To: agent, States: pending, Unaddressed: true})
	}
	for _, id := range o.ids {
		filters = append(filters, testigo.HandoffFilter{Thread: id}, testigo.HandoffFilter{ReturnFor: id})
	}
	for _, at := range o.times {
		filters = append(filters, testigo.HandoffFilter{DueBefore: at, States: pending}, testigo.HandoffFilter{DueBefore: at})
	}
	return filters
}
