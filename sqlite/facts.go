package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/testigo/testigo"
)

// one reads one version.
func (v *view) one(ctx context.Context, name string, args []any) (version testigo.Version, fact int64, err error) {
	found := false
	r := newVersionRow()
	err = v.k.each(ctx, name, args, func(rows *sql.Rows) (err error) {
		found = true
		version, err = r.scan(rows)
		return err
	})
	if err == nil && !found {
		err = sql.ErrNoRows
	}
	return version, r.fact, v.fail(err)
}

// many reads versions.
func (v *view) many(ctx context.Context, name string, args ...any) ([]testigo.Version, error) {
	var list []testigo.Version
	r := newVersionRow()
	err := v.k.each(ctx, name, args, func(rows *sql.Rows) error {
		version, err := r.scan(rows)
		list = append(list, version)
		return err
	})
	return list, v.fail(err)
}

func (v *view) Current(ctx context.Context, n testigo.Name) (testigo.Version, error) {
	if err := v.ask(ctx); err != nil {
		return testigo.Version{}, err
	}
	defer v.answer()
	version, fact, err := v.one(ctx, "fact_current", []any{n.Project, n.Scope, n.Key})
	if errors.Is(err, sql.ErrNoRows) {
		if v.writing {
			v.head = headRow{name: n}
		}
		return version, missing("no fact %s", n)
	}
	if err == nil && v.writing {
		v.head = headRow{name: n, id: fact, seq: version.Seq, number: version.Number}
	}
	return version, err
}

func (v *view) VersionOf(ctx context.Context, n testigo.Name, number int) (testigo.Version, error) {
	if err := v.ask(ctx); err != nil {
		return testigo.Version{}, err
	}
	defer v.answer()
	version, _, err := v.one(ctx, "fact_version", []any{n.Project, n.Scope, n.Key, number})
	if errors.Is(err, sql.ErrNoRows) {
		return version, missing("no version %s", n.Ref(number))
	}
	return version, err
}

func (v *view) VersionAsOf(ctx context.Context, n testigo.Name, at time.Time) (testigo.Version, error) {
	if err := v.ask(ctx); err != nil {
		return testigo.Version{}, err
	}
	defer v.answer()
	version, _, err := v.one(ctx, "fact_as_of", []any{n.Project, n.Scope, n.Key, at.UnixMilli()})
	if errors.Is(err, sql.ErrNoRows) {
		return version, missing("no version of %s at that time", n)
	}
	return version, err
}

func (v *view) Versions(ctx context.Context, n testigo.Name, after, limit int) ([]testigo.Version, error) {
	if err := v.ask(ctx); err != nil {
		return nil, err
	}
	defer v.answer()
	return v.many(ctx, "fact_versions", n.Project, n.Scope, n.Key, after, max(limit, 0))
}

func (v *view) Neighbours(ctx context.Context, author, session, project string, seq int64, after bool, limit int) ([]testigo.Version, error) {
	if err := v.ask(ctx); err != nil {
		return nil, err
	}
	defer v.answer()
	name := "fact_before"
	if after {
		name = "fact_after"
	}
	return v.many(ctx, name, author, session, project, seq, max(limit, 0))
}

func (v *view) Heads(ctx context.Context, after testigo.Name, limit int) ([]testigo.Head, error) {
	if err := v.ask(ctx); err != nil {
		return nil, err
	}
	defer v.answer()
	var list []testigo.Head
	err := v.k.each(ctx, "fact_heads", []any{after.Project, after.Scope, after.Key, max(limit, 0)}, func(rows *sql.Rows) error {
		var h testigo.Head
		var hash sql.RawBytes
		err := scan(rows, &h.Name.Project, &h.Name.Scope, &h.Name.Key, &h.Number, &hash)
		copyHash(&h.Hash, hash)
		list = append(list, h)
		return err
	})
	return list, v.fail(err)
}

// Leaves merges versions and erasures by position. A row that cannot be read in full does not end the list.
func (v *view) Leaves(ctx context.Context, from int64, limit int) ([]testigo.Leaf, error) {
	if err := v.ask(ctx); err != nil {
		return nil, err
	}
	defer v.answer()
	limit = max(limit, 0)
	var versions []testigo.Leaf
	r := newVersionRow()
	r.lenient = true
	err := v.k.each(ctx, "fact_leaves", []any{from, limit}, func(rows *sql.Rows) error {
		version, err := r.scan(rows)
		versions = append(versions, testigo.Leaf{Position: version.Leaf, Version: &version, Unreadable: r.bad.String()})
		return err
	})
	if err != nil {
		return nil, v.fail(err)
	}
	erasures, err := v.erasures(ctx, "erasure_leaves", from, limit)
	if err != nil {
		return nil, err
	}
	list := make([]testigo.Leaf, 0, min(limit, len(versions)+len(erasures)))
	for len(list) < limit && len(versions)+len(erasures) > 0 {
		if len(erasures) == 0 || len(versions) > 0 && versions[0].Position < erasures[0].Leaf {
			list = append(list, versions[0])
			versions = versions[1:]
		} else {
			list = append(list, testigo.Leaf{Position: erasures[0].Leaf, Erasure: &erasures[0]})
			erasures = erasures[1:]
		}
	}
	return list, nil
}

func (v *view) ErasureOf(ctx context.Context, versionSeq int64) (testigo.Erasure, error) {
	if err := v.ask(ctx); err != nil {
		return testigo.Erasure{}, err
	}
	defer v.answer()
	list, err := v.erasures(ctx, "erasure_of", versionSeq)
	if err != nil {
		return testigo.Erasure{}, err
	}
	if len(list) == 0 {
		return testigo.Erasure{}, missing("no erasure of version %d", versionSeq)
	}
	return list[0], nil
}

func (v *view) erasures(ctx context.Context, name string, args ...any) ([]testigo.Erasure, error) {
	var list []testigo.Erasure
	err := v.k.each(ctx, name, args, func(rows *sql.Rows) error {
		var e testigo.Erasure
		var target, hash sql.RawBytes
		var at sql.NullInt64
		err := scan(rows, &e.Leaf, &e.VersionSeq, &e.Name.Project, &e.Name.Scope, &e.Name.Key, &e.Number, &target, &e.By, &at, &hash)
		e.At = new(parts).time("time", at) // a time that was changed does not match the record's hash: verification finds it
		copyHash(&e.Target, target)
		copyHash(&e.Hash, hash)
		list = append(list, e)
		return err
	})
	return list, v.fail(err)
}

// nearPrefix is how many characters of a key must agree when nothing else does: enough that a slip further on is forgiven.
const nearPrefix = 3

// NamesNear asks the indexes for what they can find: the same key, the same scope, the same first part of the scope, the
// beginning of the key.
func (v *view) NamesNear(ctx context.Context, projects []string, scope, key string, limit int) ([]testigo.Name, error) {
	if err := v.ask(ctx); err != nil {
		return nil, err
	}
	defer v.answer()
	if limit <= 0 {
		return nil, nil
	}
	first, _, _ := strings.Cut(scope, "/")
	prefix := key
	for i := range key {
		if utf8.RuneCountInString(key[:i]) == nearPrefix {
			prefix = key[:i]
			break
		}
	}
	asks := []struct {
		query string
		args  []any
	}{
		{"names_by_key", []any{key}},
		{"names_by_scope", []any{scope}},
		{"names_by_scope_range", []any{first, first + "0"}}, // "0" follows "/": all that lies below first, and first itself
		{"names_by_key_range", []any{prefix, prefix + string(utf8.MaxRune)}},
	}
	var list []testigo.Name
	seen := map[testigo.Name]bool{}
	projects = slices.Compact(slices.Sorted(slices.Values(projects)))
	for _, a := range asks {
		for _, p := range projects {
			args := append(append([]any{p}, a.args...), limit)
			err := v.k.each(ctx, a.query, args, func(rows *sql.Rows) error {
				var n testigo.Name
				err := scan(rows, &n.Project, &n.Scope, &n.Key)
				if !seen[n] && len(list) < limit {
					seen[n] = true
					list = append(list, n)
				}
				return err
			})
			if err != nil {
				return nil, v.fail(err)
			}
		}
	}
	return list, nil
}

func (v *view) Projects(ctx context.Context) ([]string, error) {
	if err := v.ask(ctx); err != nil {
		return nil, err
	}
	defer v.answer()
	return v.projects(ctx)
}

func (v *view) projects(ctx context.Context) ([]string, error) {
	var list []string
	err := v.k.each(ctx, "projects", nil, func(rows *sql.Rows) error {
		var p string
		err := scan(rows, &p)
		list = append(list, p)
		return err
	})
	return list, v.fail(err)
}

func (v *view) HasOtherProjects(ctx context.Context, projects []string) (bool, error) {
	if err := v.ask(ctx); err != nil {
		return false, err
	}
	defer v.answer()
	all, err := v.projects(ctx)
	return slices.ContainsFunc(all, func(p string) bool { return !slices.Contains(projects, p) }), err
}

func (v *view) IndexTextOf(ctx context.Context, versionSeq int64) (testigo.IndexText, error) {
	if err := v.ask(ctx); err != nil {
		return testigo.IndexText{}, err
	}
	defer v.answer()
	text, err := v.indexText(versionSeq)
	if errors.Is(err, sql.ErrNoRows) {
		return text, missing("no index text: not a current version with content")
	}
	return text, v.fail(err)
}

func (v *view) indexText(seq int64) (text testigo.IndexText, err error) {
	var body, context int64 // the numbers of terms, which only the counters need
	err = v.k.row("text_get", []any{seq}, &text.Filter, &text.Body, &text.Context, &body, &context)
	return text, err
}
