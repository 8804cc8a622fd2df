package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/testigo/testigo"
)

// handoffRows reads handoffs and then their pins.
func (v *view) handoffRows(ctx context.Context, name string, args []any) ([]testigo.Handoff, error) {
	var list []testigo.Handoff
	err := v.k.each(ctx, name, args, func(rows *sql.Rows) error {
		h, _, err := scanHandoff(rows)
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

// scanHandoff reads a handoff. Lists and times that cannot be read are left empty and named: one such row must not take a
// whole queue from its readers. CheckIndex reports it.
func scanHandoff(rows *sql.Rows) (h testigo.Handoff, bad parts, err error) {
	var content, stale, returned, closure, next, questions, tried, workspace sql.RawBytes
	var created, claimed, renewed, closed, read, accepted, expires, due sql.NullInt64
	c := &h.Claim
	err = scan(rows, &h.Seq, &h.ID, &h.Kind, &h.State, &h.Project, &h.From, &h.FromSession, &h.To, &content, &created,
		&c.Agent, &c.Session, &c.Generation, &claimed, &renewed, &c.Process.PID, &c.Process.Started, &c.Process.Boot, &stale,
		&closed, &h.ClosedBy, &h.Outcome, &h.OutcomeRef, &h.Thread, &h.ReturnFor, &read, &accepted, &returned, &closure,
		&h.Title, &h.Summary, &next, &questions, &tried, &workspace, &h.Notify, &expires, &due, &h.ReplyTo, &h.Round)
	if err != nil {
		return h, nil, err
	}
	copyHash(&h.ContentHash, content)
	h.CreatedAt = bad.time("created_at", created)
	c.At, c.RenewedAt, h.ClosedAt = bad.time("claimed_at", claimed), bad.time("renewed_at", renewed), bad.time("closed_at", closed)
	h.ExpiresAt, h.DueAt = bad.time("expires_at", expires), bad.time("due_at", due)
	h.ReadAt, h.AcceptedAt = bad.time("read_at", read), bad.time("accepted_at", accepted)
	parseInto(&bad, "stale_shown", stale, &c.StaleShown)
	parseInto(&bad, "next_steps", next, &h.NextSteps)
	parseInto(&bad, "open_questions", questions, &h.OpenQuestions)
	parseInto(&bad, "tried", tried, &h.Tried)
	parseInto(&bad, "workspace", workspace, &h.Workspace)
	parseInto(&bad, "returned", returned, &h.Return)
	parseInto(&bad, "closure", closure, &h.Closure)
	return h, bad, nil
}

func (v *view) loadPins(ctx context.Context, h *testigo.Handoff) error {
	return v.k.each(ctx, "pins_of", []any{h.Seq}, func(rows *sql.Rows) error {
		var p testigo.Pin
		err := scan(rows, &p.Name.Project, &p.Name.Scope, &p.Name.Key, &p.Version)
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
		err := scan(rows, &id)
		list = append(list, id)
		return err
	})
	return list, v.fail(err)
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

// ends are the JSON columns of what changes in a handoff.
type ends struct{ stale, returned, closure any }

// endsOf writes what may be absent as NULL, and times as every other column keeps them.
func endsOf(h testigo.Handoff) (e ends, err error) {
	if e.stale, err = marshalList(h.Claim.StaleShown); err != nil {
		return e, err
	}
	if h.Return != nil {
		r := *h.Return
		r.At = toMillis(r.At)
		if e.returned, err = marshal(r); err != nil {
			return e, err
		}
	}
	if h.Closure != nil {
		c := *h.Closure
		c.At = toMillis(c.At)
		e.closure, err = marshal(c)
	}
	return e, err
}

func (t *tx) PutHandoff(ctx context.Context, h testigo.Handoff) error {
	if err := t.ask(ctx); err != nil {
		return err
	}
	defer t.answer()
	e, err := endsOf(h)
	if err != nil {
		return t.fail(err)
	}
	c := &h.Claim
	_, err = t.k.exec("handoff_insert", h.Seq, h.ID, string(h.Kind), string(h.State), h.Project, h.From, h.FromSession, h.To,
		h.ContentHash[:], h.CreatedAt.UnixMilli(), c.Agent, c.Session, c.Generation, millis(c.At), millis(c.RenewedAt),
		c.Process.PID, c.Process.Started, c.Process.Boot, e.stale, millis(h.ClosedAt), h.ClosedBy, string(h.Outcome), h.OutcomeRef,
		h.Thread, h.ReturnFor, millis(h.ReadAt), millis(h.AcceptedAt), e.returned, e.closure)
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
		w.At = toMillis(w.At)
		workspace, err4 = marshal(w)
	}
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	_, err := t.k.exec("packet_insert", h.Seq, h.Title, h.Summary, next, questions, tried, workspace, h.Notify,
		millis(h.ExpiresAt), millis(h.DueAt), h.ReplyTo, h.Round)
	return err
}

func (t *tx) MoveHandoff(ctx context.Context, h testigo.Handoff, from testigo.HandoffState, gen int) error {
	if err := t.ask(ctx); err != nil {
		return err
	}
	defer t.answer()
	if h.State != from && !testigo.CanMove(from, h.State) {
		return testigo.Errorf(testigo.CodeInternal, "a handoff does not go from %s to %s", from, h.State)
	}
	e, err := endsOf(h)
	if err != nil {
		return t.fail(err)
	}
	c := &h.Claim
	n, err := t.exec("handoff_move", h.ID, string(from), gen, string(h.State), c.Agent, c.Session, c.Generation,
		millis(c.At), millis(c.RenewedAt), c.Process.PID, c.Process.Started, c.Process.Boot, e.stale, millis(h.ClosedAt),
		h.ClosedBy, string(h.Outcome), h.OutcomeRef, millis(h.ReadAt), millis(h.AcceptedAt), e.returned, e.closure)
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
