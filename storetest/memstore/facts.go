package memstore

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/testigo/testigo"
)

func (v *view) Current(ctx context.Context, n testigo.Name) (testigo.Version, error) {
	if err := v.usable(ctx); err != nil {
		return testigo.Version{}, err
	}
	h, ok := v.state.heads.get(n)
	if !ok {
		return testigo.Version{}, missing("no fact %s", n)
	}
	return v.version(h.seq), nil
}

func (v *view) VersionOf(ctx context.Context, n testigo.Name, number int) (testigo.Version, error) {
	if err := v.usable(ctx); err != nil {
		return testigo.Version{}, err
	}
	seq, ok := v.state.numbers.get(testigo.Pin{Name: n, Version: number})
	if !ok {
		return testigo.Version{}, missing("no version %s", n.Ref(number))
	}
	return v.version(seq), nil
}

func (v *view) VersionAsOf(ctx context.Context, n testigo.Name, at time.Time) (testigo.Version, error) {
	if err := v.usable(ctx); err != nil {
		return testigo.Version{}, err
	}
	for pin, seq := range v.state.numbers.below(testigo.Pin{Name: n, Version: math.MaxInt}) {
		if pin.Name != n {
			break
		}
		if row, _ := v.state.versions.get(seq); !row.CreatedAt.After(at) {
			return copyVersion(row), nil
		}
	}
	return testigo.Version{}, missing("no version of %s at that time", n)
}

func (v *view) Versions(ctx context.Context, n testigo.Name, after, limit int) ([]testigo.Version, error) {
	if err := v.usable(ctx); err != nil {
		return nil, err
	}
	var list []testigo.Version
	for pin, seq := range v.state.numbers.from(testigo.Pin{Name: n, Version: after + 1}) {
		if pin.Name != n || len(list) >= limit {
			break
		}
		list = append(list, v.version(seq))
	}
	return list, nil
}

// version copies a version that is known to be there.
func (v *view) version(seq int64) testigo.Version {
	row, _ := v.state.versions.get(seq)
	return copyVersion(row)
}

func (v *view) OutcomesOf(ctx context.Context, versionSeq int64, limit int) ([]testigo.Outcome, error) {
	if err := v.usable(ctx); err != nil {
		return nil, err
	}
	var list []testigo.Outcome
	for key, o := range v.state.outcomes.from(outcomeKey{version: versionSeq}) {
		if key.version != versionSeq || len(list) >= limit {
			break
		}
		list = append(list, *o)
	}
	return list, nil
}

func (v *view) OutcomeBy(ctx context.Context, versionSeq int64, agent, outcomeRef string) (testigo.Outcome, error) {
	if err := v.usable(ctx); err != nil {
		return testigo.Outcome{}, err
	}
	for key, o := range v.state.outcomes.from(outcomeKey{version: versionSeq}) {
		if key.version != versionSeq {
			break
		}
		if o.Kind != "" && o.Agent == agent && o.OutcomeRef == outcomeRef {
			return *o, nil
		}
	}
	return testigo.Outcome{}, missing("no outcome %q by %s for this version", outcomeRef, agent)
}

func (v *view) NamesNear(ctx context.Context, projects []string, scope, key string, limit int) ([]testigo.Name, error) {
	if err := v.usable(ctx); err != nil {
		return nil, err
	}
	// Three ranks of likeness; the tree's order within each.
	var near [3][]testigo.Name
	first, _, _ := strings.Cut(scope, "/")
	for _, p := range slices.Compact(slices.Sorted(slices.Values(projects))) {
		for n := range v.state.heads.from(testigo.Name{Project: p}) {
			if n.Project != p {
				break
			}
			switch {
			case n.Key == key:
				near[0] = append(near[0], n)
			case n.Scope == scope:
				near[1] = append(near[1], n)
			case n.Scope == first || strings.HasPrefix(n.Scope, first+"/") || strings.Contains(n.Key, key) || strings.Contains(key, n.Key):
				near[2] = append(near[2], n)
			}
		}
	}
	list := slices.Concat(near[:]...)
	return list[:min(max(limit, 0), len(list))], nil
}

func (v *view) Projects(ctx context.Context) ([]string, error) {
	if err := v.usable(ctx); err != nil {
		return nil, err
	}
	return v.projects(), nil
}

// projects jumps from the first name of a project to the first name of the next.
func (v *view) projects() []string {
	var list []string
	for from, more := "", true; more; {
		more = false
		for n := range v.state.heads.from(testigo.Name{Project: from}) {
			list = append(list, n.Project)
			from, more = n.Project+"\x00", true
			break
		}
	}
	return list
}

func (v *view) HasOtherProjects(ctx context.Context, projects []string) (bool, error) {
	if err := v.usable(ctx); err != nil {
		return false, err
	}
	return slices.ContainsFunc(v.projects(), func(p string) bool { return !slices.Contains(projects, p) }), nil
}

func (v *view) Neighbours(ctx context.Context, author, session, project string, seq int64, after bool, limit int) ([]testigo.Version, error) {
	if err := v.usable(ctx); err != nil {
		return nil, err
	}
	at := saidKey{author, session, project, seq}
	walk := v.state.said.below(at)
	if after {
		at.seq++
		walk = v.state.said.from(at)
	}
	var list []testigo.Version
	for key, seq := range walk {
		if key.by() != at.by() || len(list) >= limit {
			break
		}
		list = append(list, v.version(seq))
	}
	return list, nil
}

func (v *view) Touched(ctx context.Context, agent, session string, limit int) ([]testigo.Touch, error) {
	if err := v.usable(ctx); err != nil {
		return nil, err
	}
	var rows []touch
	for key, t := range v.state.touched.from(touchKey{agent: agent, session: session}) {
		if key.agent != agent || key.session != session {
			break
		}
		rows = append(rows, t)
	}
	slices.SortFunc(rows, func(a, b touch) int { return cmp.Compare(b.order, a.order) })
	var list []testigo.Touch
	for _, t := range rows[:min(max(limit, 0), len(rows))] {
		list = append(list, t.Touch)
	}
	return list, nil
}

func (v *view) Leaves(ctx context.Context, from int64, limit int) ([]testigo.Leaf, error) {
	if err := v.usable(ctx); err != nil {
		return nil, err
	}
	var list []testigo.Leaf
	for position, ref := range v.state.leaves.from(from) {
		if len(list) >= limit {
			break
		}
		list = append(list, v.leaf(position, ref))
	}
	return list, nil
}

// leaf fills in what stands there now: opinions and erasure move after a version's leaf was written.
func (v *view) leaf(position int64, ref leafRef) testigo.Leaf {
	if ref.erasure {
		e, _ := v.state.erasures.get(ref.versionSeq)
		return testigo.Leaf{Position: position, Erasure: &e}
	}
	row := v.version(ref.versionSeq)
	return testigo.Leaf{Position: position, Version: &row}
}

func (v *view) ErasureOf(ctx context.Context, versionSeq int64) (testigo.Erasure, error) {
	if err := v.usable(ctx); err != nil {
		return testigo.Erasure{}, err
	}
	e, ok := v.state.erasures.get(versionSeq)
	if !ok {
		return testigo.Erasure{}, missing("no erasure of version %d", versionSeq)
	}
	return e, nil
}

func (v *view) Heads(ctx context.Context, after testigo.Name, limit int) ([]testigo.Head, error) {
	if err := v.usable(ctx); err != nil {
		return nil, err
	}
	var list []testigo.Head
	for n, h := range v.state.heads.from(after) {
		if n == after {
			continue
		}
		if len(list) >= limit {
			break
		}
		list = append(list, h.Head)
	}
	return list, nil
}
