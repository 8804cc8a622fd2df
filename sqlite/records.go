package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/testigo/testigo"
)

func (v *view) outcomes(ctx context.Context, name string, args ...any) ([]testigo.Outcome, error) {
	var list []testigo.Outcome
	err := v.k.each(ctx, name, args, func(rows *sql.Rows) error {
		var o testigo.Outcome
		err := scan(rows, &o.Seq, &o.VersionSeq, &o.Pin.Name.Project, &o.Pin.Name.Scope, &o.Pin.Name.Key, &o.Pin.Version,
			&o.Kind, &o.OutcomeRef, &o.Note, &o.Agent, &o.Session, &o.HandoffID, (*stamp)(&o.At), &o.Before,
			&o.After)
		list = append(list, o)
		return err
	})
	return list, v.fail(err)
}

func (v *view) OutcomesOf(ctx context.Context, versionSeq int64, limit int) ([]testigo.Outcome, error) {
	if err := v.ask(ctx); err != nil {
		return nil, err
	}
	defer v.answer()
	return v.outcomes(ctx, "outcomes_of", versionSeq, max(limit, 0))
}

func (v *view) OutcomeBy(ctx context.Context, versionSeq int64, agent, outcomeRef string) (testigo.Outcome, error) {
	if err := v.ask(ctx); err != nil {
		return testigo.Outcome{}, err
	}
	defer v.answer()
	list, err := v.outcomes(ctx, "outcome_by", versionSeq, agent, outcomeRef)
	if err != nil {
		return testigo.Outcome{}, err
	}
	if len(list) == 0 {
		return testigo.Outcome{}, missing("no outcome %q by %s for this version", outcomeRef, agent)
	}
	return list[0], nil
}

func (t *tx) PutOutcome(ctx context.Context, o testigo.Outcome) error {
	if err := t.ask(ctx); err != nil {
		return err
	}
	defer t.answer()
	err := t.k.row("version_exists", []any{o.VersionSeq}, new(int))
	if errors.Is(err, sql.ErrNoRows) {
		return missing("no version with sequence number %d", o.VersionSeq)
	}
	if err != nil {
		return t.fail(err)
	}
	_, err = t.exec("outcome_insert", o.Seq, o.VersionSeq, o.Pin.Name.Project, o.Pin.Name.Scope, o.Pin.Name.Key, o.Pin.Version,
		string(o.Kind), o.OutcomeRef, o.Note, o.Agent, o.Session, o.HandoffID, o.At.UnixMilli(), o.Before, o.After)
	return err
}

func (t *tx) SetConfirmed(ctx context.Context, versionSeq int64, by string, at time.Time) error {
	if err := t.ask(ctx); err != nil {
		return err
	}
	defer t.answer()
	return t.changed(t.exec("version_confirm", versionSeq, by, millis(at)))
}

func (v *view) Touched(ctx context.Context, agent, session string, limit int) ([]testigo.Touch, error) {
	if err := v.ask(ctx); err != nil {
		return nil, err
	}
	defer v.answer()
	var list []testigo.Touch
	err := v.k.each(ctx, "touched_list", []any{agent, session, max(limit, 0)}, func(rows *sql.Rows) error {
		var one testigo.Touch
		n := &one.Pin.Name
		err := scan(rows, &n.Project, &n.Scope, &n.Key, &one.Pin.Version, (*stamp)(&one.At))
		list = append(list, one)
		return err
	})
	return list, v.fail(err)
}

func (t *tx) PutTouched(ctx context.Context, agent, session string, touches []testigo.Touch) error {
	if err := t.ask(ctx); err != nil {
		return err
	}
	defer t.answer()
	for _, one := range touches {
		n := one.Pin.Name
		if _, err := t.exec("touched_put", t.nextSeq(), agent, session, n.Project, n.Scope, n.Key, one.Pin.Version, one.At.UnixMilli()); err != nil {
			return err
		}
	}
	return nil
}

func (v *view) Request(ctx context.Context, agent, key string) (testigo.Request, error) {
	if err := v.ask(ctx); err != nil {
		return testigo.Request{}, err
	}
	defer v.answer()
	r := testigo.Request{Agent: agent, Key: key}
	var content, result []byte
	err := v.k.row("request_get", []any{agent, key}, &r.Tool, &content, &result, &r.VersionSeq, (*stamp)(&r.At))
	if errors.Is(err, sql.ErrNoRows) {
		return testigo.Request{}, missing("no request %s of %s", key, agent)
	}
	copyHash(&r.Content, content)
	r.Result = result
	if err == nil {
		err = checkJSON("request "+key+" of "+agent, "answer", result)
	}
	return r, v.fail(err)
}

func (t *tx) PutRequest(ctx context.Context, r testigo.Request) error {
	if err := t.ask(ctx); err != nil {
		return err
	}
	defer t.answer()
	_, err := t.k.exec("request_insert", r.Agent, r.Key, r.Tool, r.Content[:], jsonText(r.Result), r.VersionSeq, r.At.UnixMilli())
	if taken(err) {
		return testigo.Errorf(testigo.CodeConflict, "request key %q of %s is taken", r.Key, r.Agent)
	}
	return t.fail(err)
}

func (v *view) Events(ctx context.Context, subject string, after int64, limit int) ([]testigo.Event, error) {
	if err := v.ask(ctx); err != nil {
		return nil, err
	}
	defer v.answer()
	var list []testigo.Event
	err := v.k.each(ctx, "events_list", []any{subject, after, max(limit, 0)}, func(rows *sql.Rows) error {
		e := testigo.Event{Subject: subject}
		var data []byte
		err := scan(rows, &e.Seq, &e.Kind, &e.Actor, &e.Session, (*stamp)(&e.At), &data)
		e.Data = new(parts).raw("data", data) // what happened stays in the list without it; CheckIndex names the row
		list = append(list, e)
		return err
	})
	return list, v.fail(err)
}

func (t *tx) PutEvent(ctx context.Context, e testigo.Event) error {
	if err := t.ask(ctx); err != nil {
		return err
	}
	defer t.answer()
	t.ring = true
	_, err := t.exec("event_insert", e.Seq, e.Subject, e.Kind, e.Actor, e.Session, e.At.UnixMilli(), jsonText(e.Data))
	return err
}
