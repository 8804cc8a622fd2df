package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	driver "modernc.org/sqlite"

	"github.com/testigo/testigo"
)

// What stands in a column may have been changed by another hand: a list that is no JSON, a time that no calendar has. It is
// told as damage of that row, and never handed on, because the faces could not even print it.

// scan reads the columns of a row. A column that does not hold what it should is damage.
func scan(rows *sql.Rows, dest ...any) error { return unreadable(rows.Scan(dest...)) }

// unreadable turns an error of converting a column into ours; those of SQLite and of contexts pass.
func unreadable(err error) error {
	var own *testigo.Error
	switch {
	case err == nil, errors.Is(err, sql.ErrNoRows), errors.Is(err, sql.ErrConnDone), errors.As(err, new(*driver.Error)),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &own):
		return own
	}
	return unreadableRow("a row of the store", "column", err)
}

// unreadableRow is the error for a row of which a part cannot be read.
func unreadableRow(row, part string, cause error) error {
	e := testigo.Errorf(testigo.CodeDamaged, "the %s of %s cannot be read", part, row).WithNext("testigo doctor")
	e.Err = cause
	return e
}

// checkJSON fails when a column holds something that is not JSON; none at all is fine.
func checkJSON(row, part string, b []byte) error {
	if b == nil || json.Valid(b) {
		return nil
	}
	return unreadableRow(row, part, nil)
}

// The times that can be written down: RFC 3339 knows the years 0 to 9999. Queries/checks.sql repeats the numbers.
const (
	earliest = -62167219200000
	latest   = 253402300799999
)

// stamp receives a time column: milliseconds, or NULL for a time that is not set.
type stamp time.Time

func (s *stamp) Scan(column any) error {
	switch ms := column.(type) {
	case nil:
		*s = stamp{}
		return nil
	case int64:
		if ms >= earliest && ms <= latest {
			*s = stamp(time.UnixMilli(ms).UTC())
			return nil
		}
	}
	return unreadableRow("a row of the store", "time", fmt.Errorf("%v is no time", column))
}

// parts collects what of a row cannot be read, for readers that go on with the rest of it.
type parts []string

func (p parts) String() string { return strings.Join(p, ", ") }

// parseInto reads a JSON column into dest; what cannot be read leaves it empty.
func parseInto[T any](p *parts, part string, b []byte, dest *T) {
	if err := unmarshalOr(b, dest); err != nil {
		*p = append(*p, part)
		*dest = *new(T)
	}
}

// raw copies a JSON column that is kept as it is.
func (p *parts) raw(part string, b []byte) json.RawMessage {
	if checkJSON("", part, b) != nil {
		*p = append(*p, part)
		return nil
	}
	return b
}

// time reads a time column; one that no calendar has counts as not set.
func (p *parts) time(part string, ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	if ms.Int64 < earliest || ms.Int64 > latest {
		*p = append(*p, part)
		return time.Time{}
	}
	return time.UnixMilli(ms.Int64).UTC()
}

// millis is how a time is stored; NULL when it is not set.
func millis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// toMillis is t as it comes back from a column, for times that stand inside JSON.
func toMillis(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMilli(t.UnixMilli()).UTC()
}
