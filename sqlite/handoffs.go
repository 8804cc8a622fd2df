package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/testigo/testigo"
)

// handoffRows reads handoffs and then their pins.
func (v *view) handoffRows(ctx context.Context, name string, args []any) ([]testigo.Handoff, error) {
	var list []testigo.Handoff
	err := v.k.each(ctx, name, args, func(rows *sql.Rows) error {
		h, err := scanHandoff(rows)
		list = append(list, h)
		return err
	})
	if err != nil {
		return nil, v.fail(err)
	}
	for i := range list {
		if err := v.loadPins(ctx, &list[i]); err != nil {
			return nil, v.fail(err)
		}
	}
	return list, nil
}

func scanHandoff(rows *sql.Rows) (testigo.Handoff, error) {
	var h testigo.Handoff
	var content, stale, next, questions, tried, workspace sql.RawBytes
	var created int64
	var claimed, renewed, closed, expires, due sql.NullInt64
	c := &h.Claim
	err := rows.Scan(&h.Seq, &h.ID, &h.Kind, &h.State, &h.Project, &h.From, &h.FromSession, &h.To, &content, &created,
		&c.Agent, &c.Session, &c.Generation, &claimed, &renewed, &c.Process.PID, &c.Process.Started, &c.Process.Boot, &stale,
		&closed, &h.ClosedBy, &h.Outcome, &h.OutcomeRef, &h.Title, &h.Summary, &next, &questions, &tried, &workspace,
		&h.Notify, &expires, &due)
	if err != nil {
		return h, err
	}
	copyHash(&h.ContentHash, content)
	h.CreatedAt = time.UnixMilli(created).UTC()
	c.At, c.RenewedAt, h.ClosedAt = fromMillis(claimed), fromMillis(renewed), fromMillis(closed)
	h.ExpiresAt, h.DueAt = fromMillis(expires), fromMillis(due)
	err = errors.Join(unmarshalOr(stale, &c.StaleShown), unmarshalOr(next, &h.NextSteps), unmarshalOr(questions, &h.OpenQuestions),
		unmarshalOr(tried, &h.Tried), unmarshalOr(workspace, &h.Workspace))
	if err != nil {
		e := testigo.Errorf(testigo.CodeDamaged, "a list of handoff %s cannot be read", h.ID).WithNext("testigo doctor")
		e.Err = err
		return h, e
	}
	return h, nil
}

func (v *view) loadPins(ctx context.Context, h *testigo.Handoff) error {
	return v.k.each(ctx, "pins_of", []any{h.Seq}, func(rows *sql.Rows) error {
		var p testigo.Pin
		err := rows.Scan(&p.Name.Project, &p.Name.Scope, &p.Name.Key, &p.Version)
		h.Pins = append(h.Pins, p)
		return err
	})
}

func (v *view) Handoff(ctx context.Context, id string) (testigo.Handoff, error) {
	if err := v.ask(ctx); err != nil {
		return testigo.Handoff{}, err
	}
	defer v.answer()
	list, err := v.handoffRows(ctx, "handoff_get", []any{id})
	if err != nil {
		return testigo.Handoff{}, err
	}
	if len(list) == 0 {
		return testigo.Handoff{}, missing("no handoff %s", id)
	}
	return list[0], nil
}

func (v *view) HandoffsByPrefix(ctx context.Context, prefix string, limit int) ([]string, error) {
	if err := v.ask(ctx); err != nil {
		return nil, err
	}
	defer v.answer()
	var list []string
	err := v.k.each(ctx, "handoff_prefix", []any{prefix, prefix + string(utf8.MaxRune), max(limit, 0)}, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		list = append(list, id)
		return err
	})
	return list, v.fail(err)
}

// way is one question to an index for what a filter selects.
type way struct {
	suffix string // of the query's name
	args   [9]any
}

// ways picks the narrowest index for a filter. A filter for one's own and unaddressed handoffs asks twice.
func ways(f testigo.HandoffFilter) ([]way, error) {
	states, projects := "", ""
	var err error
	if len(f.States) > 0 {
		if states, err = marshal(f.States); err != nil {
			return nil, err
		}
	}
	if len(f.Projects) > 0 {
		if projects, err = marshal(f.Projects); err != nil {
			return nil, err
		}
	}
	limit := int64(math.MaxInt64)
	if f.Limit > 0 {
		limit = int64(f.Limit)
	}
	unaddressed := 0
	if f.Unaddressed {
		unaddressed = 1
	}
	w := way{args: [9]any{states, f.To, unaddressed, projects, f.From, f.HolderAgent, f.HolderSession, f.AfterSeq, limit}}
	switch {
	case f.HolderAgent != "":
		w.suffix = "held"
	case f.To != "" || f.Unaddressed:
		w.suffix = "to"
		var list []way
		if f.To != "" {
			list = append(list, w)
		}
		if f.Unaddressed {
			w.args[1] = ""
			list = append(list, w)
		}
		return list, nil
	case f.From != "":
		w.suffix = "sent"
	case states != "":
		w.suffix = "in"
	default:
		w.suffix = "any"
	}
	return []way{w}, nil
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
	var all []testigo.Handoff
	for _, w := range list {
		some, err := v.handoffRows(ctx, "handoffs_"+w.suffix, w.args[:])
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.SortFunc(all, func(a, b testigo.Handoff) int { return cmp.Compare(a.Seq, b.Seq) })
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
	f.Limit, f.AfterSeq = 0, 0
	list, err := ways(f)
	if err != nil {
		return 0, v.fail(err)
	}
	sum := 0
	for _, w := range list {
		n := 0
		if err := v.k.row("count_"+w.suffix, w.args[:8], &n); err != nil {
			return 0, v.fail(err)
		}
		sum += n
	}
	return sum, nil
}

func (v *view) RecentHandoff(ctx context.Context, from, session string, content testigo.Hash, since time.Time) (testigo.Handoff, error) {
	if err := v.ask(ctx); err != nil {
		return testigo.Handoff{}, err
	}
	defer v.answer()
	list, err := v.handoffRows(ctx, "handoff_recent", []any{from, session, content[:], since.UnixMilli()})
	if err != nil {
		return testigo.Handoff{}, err
	}
	if len(list) == 0 {
		return testigo.Handoff{}, missing("no equal handoff of this session since then")
	}
	return list[0], nil
}

func (t *tx) PutHandoff(ctx context.Context, h testigo.Handoff) error {
	if err := t.ask(ctx); err != nil {
		return err
	}
	defer t.answer()
	stale, err := marshalList(h.Claim.StaleShown)
	if err != nil {
		return t.fail(err)
	}
	c := &h.Claim
	_, err = t.k.exec("handoff_insert", h.Seq, h.ID, string(h.Kind), string(h.State), h.Project, h.From, h.FromSession, h.To,
		h.ContentHash[:], h.CreatedAt.UnixMilli(), c.Agent, c.Session, c.Generation, millis(c.At), millis(c.RenewedAt),
		c.Process.PID, c.Process.Started, c.Process.Boot, stale, millis(h.ClosedAt), h.ClosedBy, string(h.Outcome), h.OutcomeRef)
	if taken(err) {
		return testigo.Errorf(testigo.CodeConflict, "there is already a handoff %s", h.ID)
	}
	if err != nil {
		return t.fail(err)
	}
	t.ring = true
	if err := t.putPacket(h); err != nil {
		return t.fail(err)
	}
	for i, p := range h.Pins {
		if _, err := t.exec("pin_insert", h.Seq, i, p.Name.Project, p.Name.Scope, p.Name.Key, p.Version); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) putPacket(h testigo.Handoff) error {
	next, err1 := marshalList(h.NextSteps)
	questions, err2 := marshalList(h.OpenQuestions)
	tried, err3 := marshalList(h.Tried)
	var workspace any
	var err4 error
	if h.Workspace != nil {
		w := *h.Workspace
		if !w.At.IsZero() {
			w.At = time.UnixMilli(w.At.UnixMilli()).UTC()
		}
		workspace, err4 = marshal(w)
	}
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	_, err := t.k.exec("packet_insert", h.Seq, h.Title, h.Summary, next, questions, tried, workspace, h.Notify,
		millis(h.ExpiresAt), millis(h.DueAt))
	return err
}

func (t *tx) MoveHandoff(ctx context.Context, h testigo.Handoff, from testigo.HandoffState, gen int) error {
	if err := t.ask(ctx); err != nil {
		return err
	}
	defer t.answer()
	stale, err := marshalList(h.Claim.StaleShown)
	if err != nil {
		return t.fail(err)
	}
	c := &h.Claim
	n, err := t.exec("handoff_move", h.ID, string(from), gen, string(h.State), c.Agent, c.Session, c.Generation,
		millis(c.At), millis(c.RenewedAt), c.Process.PID, c.Process.Started, c.Process.Boot, stale, millis(h.ClosedAt),
		h.ClosedBy, string(h.Outcome), h.OutcomeRef)
	if err != nil || n > 0 {
		return err
	}
	var state string
	var generation int
	err = t.k.row("handoff_state", []any{h.ID}, &state, &generation)
	if errors.Is(err, sql.ErrNoRows) {
		return testigo.Errorf(testigo.CodeGone, "no handoff %s is there to move", h.ID)
	}
	if err != nil {
		return t.fail(err)
	}
	return testigo.Errorf(testigo.CodeGone, "handoff %s is %s in generation %d, not %s in generation %d", h.ID, state, generation, from, gen)
}
