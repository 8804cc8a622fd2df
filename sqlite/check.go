package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/testigo/testigo"
)

const (
	// reportedDamage bounds the findings of one check: what comes after a thousand says nothing new.
	reportedDamage = 1000
	// checkedRows is how many rows one short read looks at. A snapshot held for longer would keep the log from shrinking.
	checkedRows = 5000
)

// checker looks for damage. It only reads, a piece at a time, so neither the turn of a writer nor its log is in the way.
type checker struct {
	s    *Store
	list []testigo.Damage
	// gone are the tables and indexes that are missing: what cannot be asked without them is not told a second time.
	gone map[string]bool
}

// CheckIndex implements testigo.Store. A check that damage keeps from finishing is a finding and does not end the others.
func (s *Store) CheckIndex(ctx context.Context) ([]testigo.Damage, error) {
	c := &checker{s: s, gone: map[string]bool{}}
	for _, check := range []func(context.Context) error{c.names, c.pages, c.ownRows, c.rows, c.handoffs, c.counters, c.texts} {
		if err := c.found(check(ctx)); err != nil {
			return nil, err
		}
	}
	return c.list, nil
}

func (c *checker) add(kind testigo.DamageKind, format string, args ...any) {
	c.report(testigo.Damage{Kind: kind, Leaf: -1, Detail: fmt.Sprintf(format, args...)})
}

// report adds a finding, once: many checks stumble over the same broken page.
func (c *checker) report(d testigo.Damage) {
	if d.Name != "" || !slices.Contains(c.list, d) {
		c.list = append(c.list, d)
	}
}

// found makes an error that tells of damage a finding.
func (c *checker) found(err error) error {
	if testigo.CodeOf(err) != testigo.CodeDamaged {
		return err
	}
	if len(c.gone) == 0 {
		c.add(testigo.PageDamaged, "%s", testigo.AsError(err).Msg)
	}
	return nil
}

// question asks one snapshot.
func (s *Store) question(ctx context.Context, fn func(*view) error) error {
	return s.Read(ctx, func(r testigo.Reader) error {
		v := r.(*view)
		if err := v.ask(ctx); err != nil {
			return err
		}
		defer v.answer()
		return v.fail(fn(v))
	})
}

// pieces asks one snapshot after another for what comes after the last row seen, until step sees no further row.
func (s *Store) pieces(ctx context.Context, step func(v *view, after int64) (last int64, err error)) error {
	for after := int64(math.MinInt64); ; {
		last := after
		err := s.question(ctx, func(v *view) (err error) {
			last, err = step(v, after)
			return err
		})
		if err != nil || last == after {
			return err
		}
		after = last
	}
}

// made finds what a migration makes.
var made = regexp.MustCompile(`(?m)^CREATE (VIRTUAL TABLE|TABLE|INDEX|TRIGGER) (\w+)`)

// ownNames are the tables, indexes and triggers that the migrations make, with those an index for full text brings along.
var ownNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for _, m := range made.FindAllStringSubmatch(tableTexts(), -1) {
		kind := strings.ToLower(m[1])
		if kind == "virtual table" {
			kind = "table"
			for _, part := range []string{"_data", "_idx", "_docsize", "_config"} {
				names[m[2]+part] = kind
			}
		}
		names[m[2]] = kind
	}
	return names
})

// names compares what is in the file with what the migrations make. A newer program may have added something of its own.
func (c *checker) names(ctx context.Context) error {
	there := map[string]string{}
	err := c.s.question(ctx, func(v *view) error {
		return v.k.each(ctx, "schema_names", nil, func(rows *sql.Rows) error {
			var kind, name string
			err := scan(rows, &kind, &name)
			there[name] = kind
			return err
		})
	})
	if err != nil {
		return err
	}
	for name, kind := range ownNames() {
		if there[name] != kind {
			c.add(testigo.PageDamaged, "the %s %s of the store is missing", kind, name)
			c.gone[name] = true
		}
	}
	for name, kind := range there {
		if kind == "trigger" && ownNames()[name] != kind && c.s.schema <= latestMigration() {
			c.add(testigo.PageDamaged, "the trigger %s is not the store's own: it changes what a write does", name)
		}
	}
	slices.SortFunc(c.list, func(a, b testigo.Damage) int { return strings.Compare(a.Detail, b.Detail) })
	return nil
}

// pages runs SQLite's own check, one table with its indexes at a time.
func (c *checker) pages(ctx context.Context) error {
	tables := []string{"sqlite_schema"} // and the list of free pages
	for name, kind := range ownNames() {
		if kind == "table" && !c.gone[name] {
			tables = append(tables, name)
		}
	}
	slices.Sort(tables)
	for _, table := range tables {
		err := c.s.question(ctx, func(v *view) error {
			if table == "fact_fts" { // a search makes the index forget what it remembers of an older snapshot; its own check does not
				if err := v.k.row("check_found", []any{matchText("x"), 0}, new(int)); err != nil {
					return err
				}
			}
			return v.k.eachUntil(ctx, ctx, "page_check", []any{table, reportedDamage}, func(rows *sql.Rows) error {
				var told string
				if err := scan(rows, &told); err != nil || told == "ok" {
					return err
				}
				kind := testigo.PageDamaged
				if table == "fact_fts" {
					kind = testigo.IndexDiffers
				}
				c.add(kind, "%s: %s", table, told)
				return nil
			})
		})
		if err := c.found(err); err != nil {
			return err
		}
	}
	return nil
}

// ownRows checks the rows that every store has one of.
func (c *checker) ownRows(ctx context.Context) error {
	return c.s.question(ctx, func(v *view) error {
		err := v.k.row("store_get", nil, new(string), new(bool), new(int))
		if errors.Is(err, sql.ErrNoRows) {
			c.add(testigo.RowMissing, "the row that says which store this is, is gone")
		} else if err != nil {
			return err
		}
		if err := v.loadLog(); err != nil {
			return err
		}
		for _, late := range []struct{ query, detail string }{
			{"check_late_leaves", "its place in the log is behind the log's end%s"},
			{"check_late_erasures", "the place of its erasure is behind the log's end%s"},
		} {
			if err := c.ask(ctx, v, late.query, []any{v.log.size, reportedDamage}, testigo.ChainBroken, late.detail); err != nil {
				return err
			}
		}
		var largest int64
		if err := v.k.row("largest_seq", nil, &largest); err != nil {
			return err
		}
		if v.log.next <= largest {
			c.add(testigo.ChainBroken, "the next sequence number is %d, and %d is in use: writes will fail", v.log.next, largest)
		}
		return nil
	})
}

// ask reports what one query finds. The detail is a format for what names the row beside the fact.
func (c *checker) ask(ctx context.Context, v *view, query string, args []any, kind testigo.DamageKind, detail string) error {
	return v.k.each(ctx, query, args, func(rows *sql.Rows) error {
		var project, scope, key, about sql.NullString
		var number, leaf sql.NullInt64
		if err := scan(rows, &project, &scope, &key, &number, &leaf, &about); err != nil {
			return err
		}
		c.report(damageOf(kind, project, scope, key, number, leaf, fmt.Sprintf(detail, about.String)))
		return nil
	})
}

func damageOf(kind testigo.DamageKind, project, scope, key sql.NullString, number, leaf sql.NullInt64, detail string) testigo.Damage {
	d := testigo.Damage{Kind: kind, Project: project.String, Version: int(number.Int64), Leaf: -1, Detail: detail}
	if leaf.Valid {
		d.Leaf = leaf.Int64
	}
	if scope.String != "" {
		d.Name = testigo.Name{Project: project.String, Scope: scope.String, Key: key.String}.String()
	}
	return d
}
