package bare

import (
	"context"
	"database/sql"
	"strings"
)

// ranked orders by bm25() and not by the column rank, which is the same number: with LIMIT, SQLite then keeps the best rows
// only, where the column makes it sort all of them.
const (
	point = `SELECT v.seq, v.number, v.value, v.tags, v.confidence, v.created_at FROM facts f JOIN versions v ON v.seq = f.seq
		WHERE f.project = ? AND f.scope = ? AND f.key = ?`
	ranked = `SELECT v.seq, v.number, v.value, v.tags, v.confidence, v.created_at
		FROM (SELECT rowid AS seq FROM fact_fts WHERE fact_fts MATCH ? ORDER BY bm25(fact_fts) LIMIT ?) c JOIN versions v ON v.seq = c.seq`
	scan = `SELECT v.seq, v.number, v.value, v.tags, v.confidence, v.created_at FROM versions v ORDER BY v.leaf`
)

// AnyOf is the full-text expression of an unscoped search: one of the terms, wherever it stands.
func AnyOf(terms []string) string {
	quoted := make([]string, len(terms))
	for i, t := range terms {
		quoted[i] = `"` + t + `"`
	}
	return strings.Join(quoted, " OR ")
}

// Within is the full-text expression of a scoped search: a filter term, and one of the terms.
func Within(filter string, terms []string) string {
	return `filter : "` + filter + `" AND (` + AnyOf(terms) + `)`
}

// Point reads one fact by name and returns the size of its value.
func (k *Conn) Point(ctx context.Context, project, scope, key string) (int, error) {
	return k.read(ctx, point, project, scope, key)
}

// Search returns the best limit facts by SQLite's ranking and the size of their values.
func (k *Conn) Search(ctx context.Context, match string, limit int) (int, error) {
	return k.read(ctx, ranked, match, limit)
}

// Scan reads every version in the order of the log and returns their number.
func (k *Conn) Scan(ctx context.Context) (int, error) {
	rows := 0
	_, err := k.each(ctx, scan, nil, func() { rows++ })
	return rows, err
}

func (k *Conn) read(ctx context.Context, text string, args ...any) (int, error) {
	return k.each(ctx, text, args, func() {})
}

func (k *Conn) each(ctx context.Context, text string, args []any, seen func()) (bytes int, err error) {
	s, err := k.prepared(ctx, text) //nolint:sqlclosecheck // it stays prepared until Close
	if err != nil {
		return 0, err
	}
	rows, err := s.QueryContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var seq, number, created int64
		var value, tags sql.NullString
		var confidence float64
		if err := rows.Scan(&seq, &number, &value, &tags, &confidence, &created); err != nil {
			return 0, err
		}
		bytes += len(value.String)
		seen()
	}
	return bytes, rows.Err()
}
