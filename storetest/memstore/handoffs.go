package memstore

import (
	"context"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/testigo/testigo"
)

func (v *view) Handoff(ctx context.Context, id string) (testigo.Handoff, error) {
	if err := v.usable(ctx); err != nil {
		return testigo.Handoff{}, err
	}
	seq, ok := v.state.ids.get(id)
	if !ok {
		return testigo.Handoff{}, missing("no handoff %s", id)
	}
	h, _ := v.state.handoffs.get(seq)
	return copyHandoff(h), nil
}

func (v *view) HandoffsByPrefix(ctx context.Context, prefix string, limit int) ([]string, error) {
	if err := v.usable(ctx); err != nil {
		return nil, err
	}
	var list []string
	for id := range v.state.ids.from(prefix) {
		if !strings.HasPrefix(id, prefix) || len(list) >= limit {
			break
		}
		list = append(list, id)
	}
	return list, nil
}

func (v *view) Handoffs(ctx context.Context, f testigo.HandoffFilter) ([]testigo.Handoff, error) {
	if err := v.usable(ctx); err != nil {
		return nil, err
	}
	var list []testigo.Handoff
	for _, h := range v.page(f) {
		if f.Limit > 0 && len(list) >= f.Limit {
			break
		}
		if selects(f, h) {
			list = append(list, copyHandoff(h))
		}
	}
	return list, nil
}

// page walks over the rows between the filter's two bounds in the order that it asks for.
func (v *view) page(f testigo.HandoffFilter) iter.Seq2[int64, *testigo.Handoff] {
	before := int64(math.MaxInt64)
	if f.BeforeSeq != 0 {
		before = f.BeforeSeq
	}
	rows := v.handoffsFor(f).from(f.AfterSeq + 1)
	if f.Newest {
		rows = v.handoffsFor(f).below(before)
	}
	return func(yield func(int64, *testigo.Handoff) bool) {
		for seq, h := range rows {
			if seq <= f.AfterSeq || seq >= before || !yield(seq, h) {
				return
			}
		}
	}
}

func (v *view) CountHandoffs(ctx context.Context, f testigo.HandoffFilter) (int, error) {
	if err := v.usable(ctx); err != nil {
		return 0, err
	}
	n := 0
	for _, h := range v.handoffsFor(f).all() {
		if selects(f, h) {
			n++
		}
	}
	return n, nil
}

// handoffsFor is the smallest table that holds all that f selects: a long simulation leaves mostly closed handoffs.
func (v *view) handoffsFor(f testigo.HandoffFilter) table[int64, *testigo.Handoff] {
	if len(f.States) == 0 || slices.ContainsFunc(f.States, testigo.HandoffState.Final) {
		return v.state.handoffs
	}
	return v.state.pending
}

func selects(f testigo.HandoffFilter, h *testigo.Handoff) bool {
	unset := func(want, have string) bool { return want == "" || want == have }
	return (len(f.States) == 0 || slices.Contains(f.States, h.State)) &&
		selectsRecipient(f, h) &&
		(h.To != "" || len(f.Projects) == 0 || slices.Contains(f.Projects, h.Project)) &&
		(len(f.Kinds) == 0 || slices.Contains(f.Kinds, h.Kind)) &&
		(!f.Unread || h.ReadAt.IsZero()) && (f.DueBefore.IsZero() || isDue(h, f.DueBefore)) &&
		unset(f.Thread, h.Thread) && unset(f.ReturnFor, h.ReturnFor) &&
		unset(f.From, h.From) && unset(f.HolderAgent, h.Claim.Agent) && unset(f.HolderSession, h.Claim.Session)
}

// isDue compares at the precision in which times are kept.
func isDue(h *testigo.Handoff, before time.Time) bool {
	return !h.DueAt.IsZero() && h.DueAt.Before(stamp(before))
}

func selectsRecipient(f testigo.HandoffFilter, h *testigo.Handoff) bool {
	if f.To == "" && !f.Unaddressed {
		return true
	}
	return f.To != "" && h.To == f.To || f.Unaddressed && h.To == ""
}

func (v *view) RecentHandoff(ctx context.Context, from, session string, content testigo.Hash, since time.Time) (testigo.Handoff, error) {
	if err := v.usable(ctx); err != nil {
		return testigo.Handoff{}, err
	}
	for key, seq := range v.state.sent.below(sentKey{from, session, content, math.MaxInt64}) {
		if key.from != from || key.session != session || key.content != content {
			break
		}
		if h, _ := v.state.handoffs.get(seq); !h.CreatedAt.Before(since) {
			return copyHandoff(h), nil
		}
	}
	return testigo.Handoff{}, missing("no equal handoff of this session since then")
}
