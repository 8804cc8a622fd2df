package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	lib "modernc.org/sqlite/lib"

	"github.com/testigo/testigo"
)

const (
	// reportedDamage bounds a list of findings: what comes after a thousand says nothing new.
	reportedDamage = 1000
	// sampledRows is how many rows are looked up in the index by one of their own terms.
	sampledRows = 200
)

// Reindex implements testigo.Store.
func (s *Store) Reindex(ctx context.Context) error {
	return s.Write(ctx, func(w testigo.Tx) error {
		t := w.(*tx)
		if _, err := t.exec("index_unwanted_drop"); err != nil {
			return err
		}
		if _, err := t.exec("index_rebuild"); err != nil {
			return err
		}
		t.log.changes++
		return t.fail(t.k.row("index_counts", nil, &t.log.docs, &t.log.body, &t.log.context))
	})
}

// CheckIndex implements testigo.Store. SQLite's own check runs in a write that is rolled back; a store open for reading only
// goes without it.
func (s *Store) CheckIndex(ctx context.Context) ([]testigo.Damage, error) {
	var list []testigo.Damage
	err := s.Read(ctx, func(r testigo.Reader) (err error) {
		list, err = r.(*view).compareIndex(ctx)
		return err
	})
	if err != nil || s.readOnly {
		return list, err
	}
	checked := errors.New("checked")
	err = s.Write(ctx, func(w testigo.Tx) error {
		_, err := w.(*tx).k.exec("index_check")
		if resultCode(err)&0xff == lib.SQLITE_CORRUPT {
			list = append(list, testigo.Damage{Kind: testigo.IndexDiffers, Leaf: -1, Detail: "the search index does not match the index texts (SQLite's own check)"})
		} else if err != nil {
			return translate(err)
		}
		return checked
	})
	if errors.Is(err, checked) {
		err = nil
	}
	return list, err
}

// compareIndex compares row ids both ways, the counters, and a sample of terms.
func (v *view) compareIndex(ctx context.Context) ([]testigo.Damage, error) {
	if err := v.ask(ctx); err != nil {
		return nil, err
	}
	defer v.answer()
	var list []testigo.Damage
	for _, c := range []struct{ query, detail string }{
		{"check_unindexed", "a current version is not in the index"},
		{"check_unwanted", "the index holds a version that is not current or was erased"},
		{"check_no_entry", "an index text is missing from the index"},
		{"check_no_text", "the index holds a row without an index text"},
	} {
		err := v.k.each(ctx, c.query, []any{reportedDamage}, func(rows *sql.Rows) error {
			d, err := scanDamage(rows, c.detail)
			list = append(list, d)
			return err
		})
		if err != nil {
			return nil, v.fail(err)
		}
	}
	if err := v.compareCounters(&list); err != nil {
		return nil, v.fail(err)
	}
	if len(list) > 0 {
		return list, nil
	}
	sample, err := v.compareSample(ctx)
	return sample, v.fail(err)
}

func scanDamage(rows *sql.Rows, detail string) (testigo.Damage, error) {
	var n testigo.Name
	d := testigo.Damage{Kind: testigo.IndexDiffers, Detail: detail}
	err := rows.Scan(&n.Project, &n.Scope, &n.Key, &d.Version, &d.Leaf)
	d.Project = n.Project
	if n.Scope != "" {
		d.Name = n.String()
	}
	return d, err
}

func (v *view) compareCounters(list *[]testigo.Damage) error {
	if err := v.loadLog(); err != nil {
		return err
	}
	var docs, body, context int64
	if err := v.k.row("index_counts", nil, &docs, &body, &context); err != nil {
		return err
	}
	if docs != v.log.docs || body != v.log.body || context != v.log.context {
		*list = append(*list, testigo.Damage{Kind: testigo.IndexDiffers, Leaf: -1, Detail: fmt.Sprintf(
			"the counters of the index say %d rows with %d and %d terms; there are %d with %d and %d",
			v.log.docs, v.log.body, v.log.context, docs, body, context)})
	}
	return nil
}

// compareSample looks rows up by one of their terms, at places spread over the store that differ from check to check.
func (v *view) compareSample(ctx context.Context) ([]testigo.Damage, error) {
	var end int64
	if err := v.k.row("max_text", nil, &end); err != nil || end == 0 {
		return nil, err
	}
	step := max(end/sampledRows, 1)
	var list []testigo.Damage
	for at := time.Now().UnixNano() % step; at <= end; at += step {
		var seq int64
		var body, context string
		var n testigo.Name
		d := testigo.Damage{Kind: testigo.IndexDiffers}
		err := v.k.row("check_sample", []any{at, 1}, &seq, &body, &context, &n.Project, &n.Scope, &n.Key, &d.Version, &d.Leaf)
		if errors.Is(err, sql.ErrNoRows) {
			break
		}
		if err != nil {
			return nil, err
		}
		terms := strings.Fields(body + " " + context)
		if len(terms) == 0 {
			continue
		}
		term := terms[int(seq)%len(terms)]
		found := 0
		if err := v.k.row("check_found", []any{matchText(term), seq}, &found); err != nil {
			return nil, err
		}
		if found == 0 {
			d.Name, d.Project, d.Detail = n.String(), n.Project, "the index does not find this version by a word of it"
			list = append(list, d)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return list, nil
}
