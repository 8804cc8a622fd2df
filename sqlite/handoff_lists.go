package sqlite

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/testigo/testigo"
)

// way is one question to an index for what a filter selects.
type way struct {
	suffix string // of the query's name
	args   [15]any
}

// ways picks the narrowest index for a filter. A filter for one's own and unaddressed handoffs asks twice.
func ways(f testigo.HandoffFilter) ([]way, error) {
	args, err := filterArgs(f)
	if err != nil {
		return nil, err
	}
	w := way{args: args}
	switch {
	case f.ReturnFor != "":
		w.suffix = "return"
	case f.Thread != "":
		w.suffix = "thread"
	case f.HolderAgent != "":
		w.suffix = "held"
	case !f.DueBefore.IsZero() && len(f.States) > 0:
		w.suffix = "due"
	case f.To != "" || f.Unaddressed:
		return inboxWays(f, w), nil
	case f.From != "":
		w.suffix = "sent"
	case len(f.States) > 0:
		w.suffix = "in"
	default:
		w.suffix = "any"
	}
	return []way{w}, nil
}

func inboxWays(f testigo.HandoffFilter, w way) (list []way) {
	switch {
	case f.Unread:
		w.suffix = "unread"
	case len(f.States) > 0:
		w.suffix = "waiting"
	default:
		w.suffix = "to"
	}
	if f.To != "" {
		list = append(list, w)
	}
	if f.Unaddressed {
		w.args[1] = ""
		list = append(list, w)
	}
	return list
}

// filterArgs are the parameters that all lists and counts have in common, in the order that queries/handoff_lists.sql says.
func filterArgs(f testigo.HandoffFilter) (args [15]any, err error) {
	states, err1 := listOrEmpty(f.States)
	projects, err2 := listOrEmpty(f.Projects)
	kinds, err3 := listOrEmpty(f.Kinds)
	if err := cmp.Or(err1, err2, err3); err != nil {
		return args, err
	}
	before, limit := int64(math.MaxInt64), int64(math.MaxInt64)
	if f.BeforeSeq != 0 {
		before = f.BeforeSeq
	}
	if f.Limit > 0 {
		limit = int64(f.Limit)
	}
	return [15]any{states, f.To, f.Unaddressed, projects, f.From, f.HolderAgent, f.HolderSession, kinds, f.Unread, f.Thread,
		f.ReturnFor, millis(f.DueBefore), f.AfterSeq, before, limit}, nil
}

// listOrEmpty is JSON text of a list for a parameter, empty for an empty one.
func listOrEmpty[T any](list []T) (string, error) {
	if len(list) == 0 {
		return "", nil
	}
	return marshal(list)
}

func (v *view) Handoffs(ctx context.Context, f testigo.HandoffFilter) ([]testigo.Handoff, error) {
	if err := v.ask(ctx); err != nil {
		return nil, err
	}
	defer v.answer()
	list, err := ways(f)
	if err != nil {
		return nil, v.fail(err)
	}
	order, sign := "handoffs_", 1
	if f.Newest {
		order, sign = "newest_", -1
	}
	var all []testigo.Handoff
	for _, w := range list {
		some, err := v.handoffRows(ctx, order+w.suffix, w.args[:])
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.SortFunc(all, func(a, b testigo.Handoff) int { return sign * cmp.Compare(a.Seq, b.Seq) })
	if f.Limit > 0 && len(all) > f.Limit {
		all = all[:f.Limit]
	}
	return all, nil
}

func (v *view) CountHandoffs(ctx context.Context, f testigo.HandoffFilter) (int, error) {
	if err := v.ask(ctx); err != nil {
		return 0, err
	}
	defer v.answer()
	f.Limit, f.AfterSeq, f.BeforeSeq = 0, 0, 0
	list, err := ways(f)
	if err != nil {
		return 0, v.fail(err)
	}
	sum := 0
	for _, w := range list {
		n := 0
		if err := v.k.row("count_"+w.suffix, w.args[:14], &n); err != nil {
			return 0, v.fail(err)
		}
		sum += n
	}
	return sum, nil
}
