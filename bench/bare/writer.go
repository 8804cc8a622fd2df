package bare

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
)

// Conn is one pinned connection with prepared statements.
type Conn struct {
	db    *sql.DB
	c     *sql.Conn
	stmts map[string]*sql.Stmt
	// writers are the ids of (author, session, project), which a program keeps.
	writers map[[3]string]int64
}

// Open connects to the store at path with a registered driver, and sets the pragmas that the product sets. Checkpoints are
// SQLite's own, at the length at which the product makes its own.
func Open(ctx context.Context, driver, path string, busyMillis, cacheKiB int) (*Conn, error) {
	db, err := sql.Open(driver, "file:"+path)
	if err != nil {
		return nil, err
	}
	k := &Conn{db: db, stmts: map[string]*sql.Stmt{}, writers: map[[3]string]int64{}}
	if k.c, err = db.Conn(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	for _, p := range []string{
		"busy_timeout = " + strconv.Itoa(busyMillis), "foreign_keys = 1", "journal_size_limit = 67108864", "mmap_size = 0",
		"secure_delete = 1", "synchronous = 2", "temp_store = 2", "trusted_schema = 0", "wal_autocheckpoint = 4000",
		"cache_size = -" + strconv.Itoa(cacheKiB),
	} {
		if _, err := k.c.ExecContext(ctx, "PRAGMA "+p); err != nil {
			return nil, errors.Join(fmt.Errorf("pragma %s: %w", p, err), k.Close())
		}
	}
	return k, nil
}

// Close gives the connection back.
func (k *Conn) Close() error {
	for _, s := range k.stmts {
		s.Close()
	}
	return errors.Join(k.c.Close(), k.db.Close())
}

func (k *Conn) prepared(ctx context.Context, text string) (*sql.Stmt, error) {
	if s, ok := k.stmts[text]; ok {
		return s, nil
	}
	s, err := k.c.PrepareContext(ctx, text)
	if err == nil {
		k.stmts[text] = s
	}
	return s, err
}

func (k *Conn) exec(ctx context.Context, text string, args ...any) error {
	s, err := k.prepared(ctx, text) //nolint:sqlclosecheck // it stays prepared until Close
	if err != nil {
		return fmt.Errorf("%w in %s", err, text)
	}
	if _, err = s.ExecContext(ctx, args...); err != nil {
		return fmt.Errorf("%w in %s", err, text)
	}
	return nil
}

func (k *Conn) row(ctx context.Context, text string, args []any, dest ...any) error {
	s, err := k.prepared(ctx, text) //nolint:sqlclosecheck // it stays prepared until Close
	if err != nil {
		return fmt.Errorf("%w in %s", err, text)
	}
	return s.QueryRowContext(ctx, args...).Scan(dest...)
}

const (
	logGet = `SELECT next_seq, size, docs, body_terms, context_terms FROM log WHERE one = 1`
	logPut = `UPDATE log SET next_seq = ?, size = ?, frontier = ?, root = ?, docs = ?, body_terms = ?, context_terms = ?,
		changes = changes + 1 WHERE one = 1`

	headGet = `SELECT id, seq, number FROM facts WHERE project = ? AND scope = ? AND key = ?`
	headAdd = `INSERT INTO facts (project, scope, key, seq, number, hash) VALUES (?, ?, ?, ?, ?, ?) RETURNING id`
	headPut = `UPDATE facts SET seq = ?, number = ?, hash = ? WHERE id = ?`

	writerGet = `SELECT id FROM writers WHERE author = ? AND session = ? AND project = ?`
	writerAdd = `INSERT INTO writers (author, session, project) VALUES (?, ?, ?) RETURNING id`

	supersede  = `UPDATE versions SET superseded_at = ? WHERE seq = ?`
	versionAdd = `INSERT INTO versions (seq, fact, number, writer, value, tags, confidence, success, minor_failure, failure,
		critical_failure, unknown, created_at, salt, prev_hash, body_hash, hash, leaf)
		VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0, ?, ?, ?, ?, ?, ?)`

	textAdd   = `INSERT INTO fact_text (seq, filter, body, context, body_terms, context_terms) VALUES (?, ?, ?, ?, ?, ?)`
	indexAdd  = `INSERT INTO fact_fts (rowid, filter, body, context) VALUES (?, ?, ?, ?)`
	indexDrop = `INSERT INTO fact_fts (fact_fts, rowid, filter, body, context)
		SELECT 'delete', seq, filter, body, context FROM fact_text WHERE seq = ?`
	textDrop = `DELETE FROM fact_text WHERE seq = ? RETURNING body_terms, context_terms`

	touch = `INSERT OR REPLACE INTO touched (seq, agent, session, project, scope, key, number, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
)

// logRow is what a write needs of the log row.
type logRow struct{ next, size, docs, body, context int64 }

// Write stores one row in a transaction of its own.
func (k *Conn) Write(ctx context.Context, r *Row) (err error) {
	if err := k.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, k.exec(ctx, "ROLLBACK"))
		}
	}()
	var l logRow
	if err := k.row(ctx, logGet, nil, &l.next, &l.size, &l.docs, &l.body, &l.context); err != nil {
		return err
	}
	seq := l.next
	if err := k.head(ctx, r, seq, &l); err != nil {
		return err
	}
	writer, err := k.writer(ctx, r)
	if err != nil {
		return err
	}
	var tags any
	if r.Tags != nil {
		tags = string(r.Tags)
	}
	if err := k.exec(ctx, versionAdd, seq, r.fact, r.versions, writer, r.Value, tags, r.Confidence, r.CreatedAt,
		r.Salt, r.Prev, r.Inner, r.Hash, l.size); err != nil {
		return err
	}
	if err := k.exec(ctx, textAdd, seq, r.Filter, r.Body, r.Context, r.BodyTerms, r.ContextTerms); err != nil {
		return err
	}
	if err := k.exec(ctx, indexAdd, seq, r.Filter, r.Body, r.Context); err != nil {
		return err
	}
	if err := k.exec(ctx, touch, seq+1, r.Author, r.Session, r.Project, r.Scope, r.Key, r.versions, r.CreatedAt); err != nil {
		return err
	}
	if err := k.exec(ctx, logPut, seq+2, l.size+1, r.Frontier, r.Root, l.docs+1, l.body+r.BodyTerms, l.context+r.ContextTerms); err != nil {
		return err
	}
	return k.exec(ctx, "COMMIT")
}

// head makes seq the newest version of its fact and takes the one before out of the index.
func (k *Conn) head(ctx context.Context, r *Row, seq int64, l *logRow) error {
	err := k.row(ctx, headGet, []any{r.Project, r.Scope, r.Key}, &r.fact, &r.previous, &r.versions)
	if errors.Is(err, sql.ErrNoRows) {
		r.versions = 1
		return k.row(ctx, headAdd, []any{r.Project, r.Scope, r.Key, seq, 1, r.Hash}, &r.fact)
	}
	if err != nil {
		return err
	}
	r.versions++
	if err := k.exec(ctx, headPut, seq, r.versions, r.Hash, r.fact); err != nil {
		return err
	}
	if err := k.exec(ctx, supersede, r.CreatedAt, r.previous); err != nil {
		return err
	}
	if err := k.exec(ctx, indexDrop, r.previous); err != nil {
		return err
	}
	var body, context int64
	if err := k.row(ctx, textDrop, []any{r.previous}, &body, &context); err != nil {
		return err
	}
	l.docs, l.body, l.context = l.docs-1, l.body-body, l.context-context
	return nil
}

func (k *Conn) writer(ctx context.Context, r *Row) (int64, error) {
	who := [3]string{r.Author, r.Session, r.Project}
	if id, ok := k.writers[who]; ok {
		return id, nil
	}
	var id int64
	err := k.row(ctx, writerGet, []any{who[0], who[1], who[2]}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		err = k.row(ctx, writerAdd, []any{who[0], who[1], who[2]}, &id)
	}
	if err == nil {
		k.writers[who] = id
	}
	return id, err
}
