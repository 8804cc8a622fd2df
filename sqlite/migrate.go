package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/testigo/testigo"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// tableTexts is the text of all migrations: SQLite keeps it in the file.
func tableTexts() string {
	var b strings.Builder
	files, err := migrationFiles.ReadDir("migrations")
	for _, f := range files {
		text, rerr := migrationFiles.ReadFile("migrations/" + f.Name())
		b.Write(text)
		err = errors.Join(err, rerr)
	}
	if err != nil { // they are part of this program
		panic(err)
	}
	return b.String()
}

// latestMigration is the number of the last migration that this program brings.
var latestMigration = sync.OnceValue(func() int {
	entries, err := migrationFiles.ReadDir("migrations")
	if err != nil {
		panic(err) // the files are part of the program
	}
	n, _ := strconv.Atoi(entries[len(entries)-1].Name()[:5])
	return n
})

// migrate makes the tables of a new store, or adds what newer migrations bring. It runs behind the turnstile, so that of
// many processes that open a new file at once one does the work and the others find it done. Every step may be the last
// one of a process that is killed: the next opening goes on from there.
func (s *Store) migrate(ctx context.Context) error {
	s.gate.unnamed = sizeOf(s.path) == 0
	err := s.gate.enter(ctx, time.Now().Add(s.o.LockWait))
	s.gate.unnamed = false
	if err != nil {
		return err
	}
	defer s.gate.leave()
	if err := checkEmptied(s.path); err != nil {
		return err
	}
	w, err := s.writing()
	if err != nil {
		return err
	}
	if current, err := s.readMeta(w); err != nil || current {
		return err
	}
	s.fault("in_migration")
	if err := s.prepareFile(); err != nil {
		return err
	}
	if err := s.runMigrations(ctx); err != nil {
		return err
	}
	if s.id == "" {
		var id [16]byte
		rand.Read(id[:]) //nolint:errcheck // it never fails: crypto/rand ends the program instead
		s.id = hex.EncodeToString(id[:])
	}
	if _, err := s.writer.exec("store_put", s.id, s.o.Flat, s.o.Clock().UnixMilli(), latestMigration()); err != nil {
		return err
	}
	s.fault("in_migration")
	if _, err := s.readMeta(s.writer); err != nil {
		return err
	}
	err = s.checkpoint("TRUNCATE")
	if errors.As(err, new(busyError)) { // an older program is reading; the log is whole, and is copied another time
		return nil
	}
	return err
}

// prepareFile marks the file as ours before anything else is in it, and while marks still go straight into the file and not
// into the log.
func (s *Store) prepareFile() error {
	var id int
	if err := s.writer.pragma("application_id", &id); err != nil {
		return err
	}
	if id != applicationID {
		if err := s.writer.pragma("application_id = " + strconv.Itoa(applicationID)); err != nil {
			return err
		}
		s.fault("in_migration")
	}
	var mode string
	if err := s.writer.pragma("journal_mode = WAL", &mode); err != nil {
		return err
	}
	if mode != "wal" {
		return testigo.Errorf(testigo.CodeRefused, "%s cannot have a log file (journal mode %s)", s.path, mode).
			WithNext("use a folder on a local disk (--db)")
	}
	s.fault("in_migration")
	return nil
}

// newProvider brings the migrations to a database.
func newProvider(db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
}

func (s *Store) runMigrations(ctx context.Context) error {
	p, err := newProvider(s.db)
	if err != nil {
		return err
	}
	for {
		_, err := p.UpByOne(ctx)
		if errors.Is(err, goose.ErrNoNextVersion) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("migrating: %w", err)
		}
		s.fault("in_migration")
	}
}

func (s *Store) fault(point string) {
	if s.o.FaultPoint != nil {
		s.o.FaultPoint(point)
	}
}
