package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/testigo/testigo"
)

func (t *tx) PutVersion(ctx context.Context, v testigo.Version, text testigo.IndexText) error {
	if err := t.ask(ctx); err != nil {
		return err
	}
	defer t.answer()
	old, err := t.headOf(v.Name)
	if err != nil {
		return err
	}
	if v.Number != old.number+1 {
		return testigo.Errorf(testigo.CodeConflict, "version %d of %s does not follow version %d", v.Number, v.Name, old.number)
	}
	err = t.k.row("version_exists", []any{v.Seq}, new(int))
	if err == nil {
		return testigo.Errorf(testigo.CodeConflict, "sequence number %d is taken", v.Seq)
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return t.fail(err)
	}
	fact, err := t.putHead(old, v)
	if err != nil {
		return err
	}
	if err := t.insertVersion(fact, v); err != nil {
		return err
	}
	if err := t.putText(v.Seq, text); err != nil {
		return err
	}
	t.head = headRow{name: v.Name, id: fact, seq: v.Seq, number: v.Number}
	return nil
}

// headOf is the fact's head, with id 0 when there is no such fact.
func (t *tx) headOf(n testigo.Name) (headRow, error) {
	if t.head.name == n && n != (testigo.Name{}) {
		return t.head, nil
	}
	h := headRow{name: n}
	err := t.k.row("fact_head", []any{n.Project, n.Scope, n.Key}, &h.id, &h.seq, &h.number)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return h, t.fail(err)
	}
	return h, nil
}

// putHead makes v the head of its fact and takes the version before it out of the index.
func (t *tx) putHead(old headRow, v testigo.Version) (fact int64, err error) {
	if old.id == 0 {
		err = t.k.row("fact_insert", []any{v.Name.Project, v.Name.Scope, v.Name.Key, v.Seq, v.Number, v.Hash[:]}, &fact)
		return fact, t.fail(err)
	}
	if _, err := t.exec("fact_update", old.id, v.Seq, v.Number, v.Hash[:]); err != nil {
		return 0, err
	}
	if _, err := t.exec("version_supersede", old.seq, v.CreatedAt.UnixMilli()); err != nil {
		return 0, err
	}
	return old.id, t.dropText(old.seq)
}

func (t *tx) insertVersion(fact int64, v testigo.Version) error {
	writer, err := t.writerID(v.Author, v.Session, v.Name.Project)
	if err != nil {
		return err
	}
	tags, err := marshalList(v.Tags)
	if err != nil {
		return t.fail(err)
	}
	sources, err := marshalSources(v.Sources)
	if err != nil {
		return t.fail(err)
	}
	var by any
	if v.ConfirmedBy != "" {
		by = v.ConfirmedBy
	}
	_, err = t.k.exec("version_insert", v.Seq, fact, v.Number, writer, jsonText(v.Value), tags, sources, v.Confidence,
		v.Counts.Success, v.Counts.MinorFailure, v.Counts.Failure, v.Counts.CriticalFailure, v.Counts.Unknown,
		v.CreatedAt.UnixMilli(), millis(v.SupersededAt), millis(v.ConfirmedAt), by, millis(v.ErasedAt), v.Salt,
		v.PrevHash[:], v.BodyHash[:], v.Hash[:], v.Leaf)
	if taken(err) {
		err = testigo.Errorf(testigo.CodeConflict, "leaf %d of the log is taken", v.Leaf)
	}
	return t.fail(err)
}

func (t *tx) writerID(author, session, project string) (id int64, err error) {
	err = t.k.row("writer_get", []any{author, session, project}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		err = t.k.row("writer_put", []any{author, session, project}, &id)
	}
	return id, t.fail(err)
}

// putText indexes a version. The counters of the whole index are kept with it.
func (t *tx) putText(seq int64, text testigo.IndexText) error {
	body, context := countTerms(text.Body), countTerms(text.Context)
	if _, err := t.exec("text_insert", seq, text.Filter, text.Body, text.Context, body, context); err != nil {
		return err
	}
	if _, err := t.exec("index_insert", seq, text.Filter, text.Body, text.Context); err != nil {
		return err
	}
	t.log.changes++
	t.log.docs++
	t.log.body += body
	t.log.context += context
	return nil
}

// dropText takes a version out of the index; one that is not in it is none.
func (t *tx) dropText(seq int64) error {
	if _, err := t.exec("index_delete", seq); err != nil {
		return err
	}
	var body, context int64
	err := t.k.row("text_delete", []any{seq}, &body, &context)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return t.fail(err)
	}
	t.log.changes++
	t.log.docs--
	t.log.body -= body
	t.log.context -= context
	return nil
}

// countTerms counts the terms of a text without cutting it up.
func countTerms(s string) int64 {
	n := int64(0)
	for len(s) > 0 {
		i := strings.IndexByte(s, ' ')
		switch {
		case i < 0:
			return n + 1
		case i > 0:
			n++
		}
		s = s[i+1:]
	}
	return n
}

// changed is the error of an update by sequence number that found no row.
func (t *tx) changed(rows int64, err error) error {
	if err == nil && rows == 0 {
		return missing("no version with that sequence number")
	}
	return err
}

func (t *tx) SetOpinion(ctx context.Context, versionSeq int64, confidence float64, c testigo.OutcomeCounts) error {
	if err := t.ask(ctx); err != nil {
		return err
	}
	defer t.answer()
	return t.changed(t.exec("version_opinion", versionSeq, confidence, c.Success, c.MinorFailure, c.Failure, c.CriticalFailure, c.Unknown))
}

func (t *tx) PutIndexText(ctx context.Context, versionSeq int64, text testigo.IndexText) error {
	if err := t.ask(ctx); err != nil {
		return err
	}
	defer t.answer()
	_, err := t.indexText(versionSeq)
	if errors.Is(err, sql.ErrNoRows) {
		return missing("no index text to replace: not a current version with content")
	}
	if err != nil {
		return t.fail(err)
	}
	if err := t.dropText(versionSeq); err != nil {
		return err
	}
	return t.putText(versionSeq, text)
}

func (t *tx) Erase(ctx context.Context, e testigo.Erasure) error {
	if err := t.ask(ctx); err != nil {
		return err
	}
	defer t.answer()
	err := t.k.row("version_exists", []any{e.VersionSeq}, new(int))
	if errors.Is(err, sql.ErrNoRows) {
		return missing("no version with sequence number %d", e.VersionSeq)
	}
	if err != nil {
		return t.fail(err)
	}
	if before, err := t.erasures(ctx, "erasure_of", e.VersionSeq); err != nil {
		return err
	} else if len(before) > 0 {
		return testigo.Errorf(testigo.CodeConflict, "version %s was erased before", e.Name.Ref(e.Number))
	}
	var fact int64
	if err := t.k.row("version_erase", []any{e.VersionSeq, e.At.UnixMilli()}, &fact); err != nil {
		return t.fail(err)
	}
	_, err = t.k.exec("erasure_insert", e.Leaf, e.VersionSeq, fact, e.Number, e.Target[:], e.By, e.At.UnixMilli(), e.Hash[:])
	if taken(err) {
		err = testigo.Errorf(testigo.CodeConflict, "leaf %d of the log is taken", e.Leaf)
	}
	if err != nil {
		return t.fail(err)
	}
	if err := t.dropText(e.VersionSeq); err != nil {
		return err
	}
	if _, err := t.exec("erase_requests", e.VersionSeq); err != nil {
		return err
	}
	_, err = t.exec("erase_notes", e.VersionSeq)
	return err
}
