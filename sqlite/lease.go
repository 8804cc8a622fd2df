package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/testigo/testigo"
)

func (v *view) EngineLease(ctx context.Context) (testigo.Lease, error) {
	if err := v.ask(ctx); err != nil {
		return testigo.Lease{}, err
	}
	defer v.answer()
	l, err := v.lease()
	if err == nil && l.Generation == 0 {
		return l, missing("no engine ever ran on this store")
	}
	return l, err
}

// lease is the stored lease, in generation 0 when there is none.
func (v *view) lease() (testigo.Lease, error) {
	var l testigo.Lease
	err := v.k.row("lease_get", nil, &l.Generation, &l.Holder.PID, &l.Holder.Started, &l.Holder.Boot, &l.Name,
		(*stamp)(&l.TakenAt), (*stamp)(&l.RenewedAt), (*stamp)(&l.Until))
	if errors.Is(err, sql.ErrNoRows) {
		return testigo.Lease{}, nil
	}
	return l, v.fail(err)
}

func (t *tx) PutLease(ctx context.Context, l testigo.Lease) error {
	if err := t.ask(ctx); err != nil {
		return err
	}
	defer t.answer()
	have, err := t.lease()
	if err != nil {
		return err
	}
	if l.Generation < 1 || l.Generation != have.Generation && l.Generation != have.Generation+1 {
		return testigo.Errorf(testigo.CodeGone, "the engine lease is in generation %d; generation %d cannot follow", have.Generation, l.Generation)
	}
	_, err = t.exec("lease_put", l.Generation, l.Holder.PID, l.Holder.Started, l.Holder.Boot, l.Name, millis(l.TakenAt),
		millis(l.RenewedAt), millis(l.Until))
	return err
}

func (v *view) Noticed(ctx context.Context, handoff string, kind testigo.NoticeKind) (bool, error) {
	if err := v.ask(ctx); err != nil {
		return false, err
	}
	defer v.answer()
	err := v.k.row("notice_get", []any{handoff, string(kind)}, new(sql.NullInt64))
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, v.fail(err)
}

func (t *tx) PutNotice(ctx context.Context, handoff string, kind testigo.NoticeKind, at time.Time) error {
	if err := t.ask(ctx); err != nil {
		return err
	}
	defer t.answer()
	_, err := t.k.exec("notice_put", handoff, string(kind), millis(at))
	if taken(err) {
		return testigo.Errorf(testigo.CodeConflict, "the %s notice for handoff %s was written before", kind, handoff)
	}
	return t.fail(err)
}
