package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	driver "modernc.org/sqlite"
)

// walLimit bounds what stays of the log file on disk after it was copied: 64 MiB, four times what it grows to.
const walLimit = 64 << 20

// dsn names the database file for the driver. busy_timeout comes first, before anything that touches the file. Automatic
// checkpoints are off: the store makes its own, outside the write lock.
func dsn(path, mode string, busyMillis int64) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // C:/… on Windows
	}
	u := url.URL{Scheme: "file", Path: slashed}
	pragmas := []string{
		"busy_timeout(" + strconv.FormatInt(busyMillis, 10) + ")",
		"foreign_keys(1)",
		"journal_size_limit(" + strconv.Itoa(walLimit) + ")",
		"mmap_size(0)",
		"secure_delete(1)",
		"synchronous(2)", // FULL: what was acknowledged survives a power cut
		"temp_store(2)",
		"trusted_schema(0)",
		"wal_autocheckpoint(0)",
	}
	if runtime.GOOS == "darwin" { // where fsync alone does not reach the disk
		pragmas = append(pragmas, "fullfsync(1)", "checkpoint_fullfsync(1)")
	}
	return u.String() + "?" + mode + "&_pragma=" + strings.Join(pragmas, "&_pragma=")
}

// syncData makes commits use fdatasync where there is one, as SQLite does when built in C: it is as durable and spares
// the file's timestamps.
var syncData = sync.OnceFunc(func() {
	_, _ = driver.Fdatasync(true) // not available on macOS and Windows
})

// openDB makes a handle from which connections are taken one by one; none is kept idle in it.
func openDB(name string) (*sql.DB, error) {
	syncData()
	connector, err := driver.NewConnector(name)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxIdleConns(0)
	return db, nil
}

// conn is one connection with the statements prepared on it so far. One goroutine uses it at a time.
type conn struct {
	c     *sql.Conn
	stmts map[string]*sql.Stmt
	// spoiled asks for a new connection in its place.
	spoiled bool
}

// connect opens a connection with a page cache of cacheKiB. Contexts end waits, never a connection: it lives on.
func connect(db *sql.DB, cacheKiB int, pragmas ...string) (*conn, error) {
	c, err := db.Conn(context.Background())
	if err != nil {
		return nil, err
	}
	k := &conn{c: c, stmts: make(map[string]*sql.Stmt, 16)}
	for _, p := range append(pragmas, cacheSize(cacheKiB)) {
		if err := k.pragma(p); err != nil {
			k.close() //nolint:errcheck // the first error is the one to tell
			return nil, err
		}
	}
	return k, nil
}

func cacheSize(kib int) string { return "cache_size = -" + strconv.Itoa(kib) }

func (k *conn) close() error {
	for _, s := range k.stmts {
		s.Close() //nolint:errcheck // closing the connection ends it anyway
	}
	return k.c.Close()
}

// busyTimeout sets how long a statement waits for a lock of SQLite's.
func (k *conn) busyTimeout(d time.Duration) error {
	return k.pragma("busy_timeout = "+strconv.FormatInt(d.Milliseconds(), 10), new(int))
}

// pragma sets a pragma and reads the numbers it answers into dest.
func (k *conn) pragma(text string, dest ...any) error {
	var err error
	if len(dest) == 0 {
		_, err = k.c.ExecContext(context.Background(), "PRAGMA "+text)
	} else {
		err = k.c.QueryRowContext(context.Background(), "PRAGMA "+text).Scan(dest...)
	}
	return k.note(err)
}

// note remembers an error after which the connection should be replaced.
func (k *conn) note(err error) error {
	if err != nil && spoils(err) {
		k.spoiled = true
	}
	return err
}

func (k *conn) prepared(name string) (*sql.Stmt, error) {
	if s, ok := k.stmts[name]; ok {
		return s, nil
	}
	s, err := k.c.PrepareContext(context.Background(), queries()[name])
	if err != nil {
		return nil, k.note(err)
	}
	k.stmts[name] = s
	return s, nil
}

// exec runs a statement and returns how many rows it changed. No context reaches the driver: an interrupted statement would
// take the transaction and the connection with it, and every write is short.
func (k *conn) exec(name string, args ...any) (int64, error) {
	s, err := k.prepared(name)
	if err != nil {
		return 0, err
	}
	res, err := s.ExecContext(context.Background(), args...)
	if err != nil {
		return 0, k.note(err)
	}
	return res.RowsAffected()
}

// row reads the first row of an answer; sql.ErrNoRows when there is none.
func (k *conn) row(name string, args []any, dest ...any) error {
	s, err := k.prepared(name)
	if err != nil {
		return err
	}
	err = s.QueryRowContext(context.Background(), args...).Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return err
	}
	return k.note(unreadable(err))
}

// each calls fn for every row of an answer. Of the context it only looks whether it is over between rows.
func (k *conn) each(ctx context.Context, name string, args []any, fn func(*sql.Rows) error) error {
	return k.eachUntil(ctx, context.Background(), name, args, fn)
}

// eachUntil is each for a question that may take long: when stop ends, the statement is interrupted, and the connection is
// not used again. So it is not for writers.
func (k *conn) eachUntil(ctx, stop context.Context, name string, args []any, fn func(*sql.Rows) error) error {
	s, err := k.prepared(name)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(stop, args...)
	if err != nil {
		return k.note(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := fn(rows); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return k.note(err)
	}
	return rows.Close()
}
