package handoff

import (
	"context"
	"fmt"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

// pins resolves what a packet pins: the refs given, or everything the session touched. The notes say what was decided
// for the caller.
func (s *Service) pins(ctx context.Context, tx testigo.Reader, c Caller, p Params, project string) ([]testigo.Pin, []string, error) {
	if p.Refs != nil {
		pins, err := s.resolveRefs(ctx, tx, c, testigo.Project{ID: project}, p.Refs)
		return pins, nil, err
	}
	if c.Session == "" {
		return nil, []string{"no refs were given and this caller has no session, so nothing is pinned"}, nil
	}
	pins, left, err := s.touched(ctx, tx, c, project)
	if err != nil {
		return nil, nil, err
	}
	note := fmt.Sprintf("no refs were given: everything this session touched is pinned (%d)", len(pins))
	if left > 0 {
		note += fmt.Sprintf("; %d more were left out (other projects, or beyond the newest %d)", left, testigo.MaxTouchedPins)
	}
	return pins, []string{note}, nil
}

// touched lists what the caller's session touched in a project or in none, oldest first, and counts what is left out.
func (s *Service) touched(ctx context.Context, r testigo.FactReader, c Caller, project string) (pins []testigo.Pin, left int, err error) {
	all, err := r.Touched(ctx, c.Agent, c.Session, 10*testigo.MaxTouchedPins)
	if err != nil {
		return nil, 0, err
	}
	for _, t := range all { // newest first
		own := t.Pin.Name.Project == project || t.Pin.Name.Project == testigo.NoProject
		if !own || len(pins) == testigo.MaxTouchedPins {
			left++
			continue
		}
		pins = append(pins, t.Pin)
	}
	for i, j := 0, len(pins)-1; i < j; i, j = i+1, j-1 {
		pins[i], pins[j] = pins[j], pins[i]
	}
	return pins, left, nil
}

// resolveRefs turns refs into pins. A ref without a version means the one this session last saw, else the current one.
// The same fact twice is pinned once, at the first version named.
func (s *Service) resolveRefs(ctx context.Context, r testigo.Reader, c Caller, project testigo.Project, refs []testigo.Ref) ([]testigo.Pin, error) {
	seen := map[testigo.Name]int{}
	if c.Session != "" {
		touches, err := r.Touched(ctx, c.Agent, c.Session, 10*testigo.MaxTouchedPins)
		if err != nil {
			return nil, err
		}
		for _, t := range touches {
			seen[t.Pin.Name] = t.Pin.Version
		}
	}
	pins := []testigo.Pin{}
	have := map[testigo.Name]bool{}
	for _, ref := range refs {
		v, err := s.resolveRef(ctx, r, project, ref, seen)
		if err != nil {
			return nil, err
		}
		if !have[v.Name] {
			have[v.Name] = true
			pins = append(pins, testigo.Pin{Name: v.Name, Version: v.Number})
		}
	}
	return pins, nil
}

func (s *Service) resolveRef(ctx context.Context, r testigo.Reader, project testigo.Project, ref testigo.Ref, seen map[testigo.Name]int) (testigo.Version, error) {
	where := project
	if ref.Project != nil {
		if where.ID = *ref.Project; where.ID == "none" {
			where.ID = testigo.NoProject
		}
	}
	name, err := memory.NewName(where.ID, ref.Scope, ref.Key)
	if err != nil {
		e := testigo.AsError(err)
		return testigo.Version{}, testigo.Invalid("refs", "%s %s", e.Field, e.Msg)
	}
	v, err := memory.Lookup(ctx, r, where, name, ref.Version)
	if testigo.CodeOf(err) == testigo.CodeNotFound {
		e := testigo.AsError(memory.NotFound(ctx, r, where, name))
		e.Field = "refs"
		if cur, err := memory.Lookup(ctx, r, where, name, 0); err == nil && ref.Version > 0 {
			e = testigo.Errorf(testigo.CodeNotFound, "%s has no version %d; its current version is %d", name, ref.Version, cur.Number)
			e.Field = "refs"
			return testigo.Version{}, e.WithNext("history %s", name)
		}
		return testigo.Version{}, e
	}
	if err != nil {
		return testigo.Version{}, err
	}
	if n := seen[v.Name]; ref.Version == 0 && n > 0 && n != v.Number {
		return r.VersionOf(ctx, v.Name, n)
	}
	return v, nil
}
