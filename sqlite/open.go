package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	lib "modernc.org/sqlite/lib"

	"github.com/testigo/testigo"
)

// Role says how long a process keeps the store, which decides how much memory it spends on it.
type Role int

// The roles of a process.
const (
	Server  Role = iota // mcp, serve: page caches of 4 MiB for the writer and 3 MiB per reader, together at most 16 MiB
	OneShot             // a command or hook: 2 MiB each
)

// Options say how a store is opened.
type Options struct {
	ReadOnly bool
	// Create makes the store when neither it nor one of its side files exists.
	Create bool
	// Flat makes a new store flat: every fact is project none. An existing store keeps what it is.
	Flat bool
	Role Role
	// Clock tells the time of transactions; nil means time.Now.
	Clock func() time.Time
	// LockWait is the longest wait for other writers; 0 means 5 s.
	LockWait time.Duration
	// SnapshotAge is the longest life of one Read's snapshot, which keeps the log file from shrinking; 0 means 1 minute.
	SnapshotAge time.Duration
	// FaultPoint is called at after_begin, before_commit, after_commit, in_checkpoint and in_migration. It is for tests that
	// kill the process there, and nil otherwise.
	FaultPoint func(name string)
	// ScanCommand is the program, and the arguments before the file names, that searches raw files in Scrub; nil means this
	// program with the argument ScanCommand.
	ScanCommand []string

	fileSystem func(dir string) (string, error) // replaces the question to the operating system in tests
}

const (
	defaultLockWait    = 5 * time.Second
	defaultSnapshotAge = time.Minute
	// maxReaders bounds the connections that read at once; the rest waits.
	maxReaders = 8
	// keptReaders stay open between reads, with their caches.
	keptReaders = 4
	// aMoment is how long an opening waits to put right what also works as it is.
	aMoment = 200 * time.Millisecond
)

// Store is one handle on a store file.
type Store struct {
	path    string
	o       Options
	warning string
	file    os.FileInfo // the file as it was when opened
	release func()

	id       string
	flat     bool
	schema   int
	readOnly bool
	frozen   bool // opened immutable: no writer is possible as long as there is no log file
	full     bool // open for reading only because the disk was full
	nameless bool // there is content, and the row that says which store this is, is gone

	db *sql.DB
	// token lets one writer of this process through; goroutines that wait for it are served in order.
	token  chan struct{}
	gate   *turnstile
	writer *conn
	bell   bell
	wal    walCare

	mu      sync.Mutex
	closed  bool
	idle    []*conn
	reading chan struct{}
	inUse   sync.WaitGroup

	terms termCache
}

var _ testigo.Store = (*Store)(nil)

// Open opens the store at path, making or upgrading it if need be. Errors: CodeRefused for a place or a file that must not
// be used, CodeTooNew, CodeDamaged, CodeLocked, CodeUnreachable when it is missing or may not be read.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fileError("find", path, err)
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.LockWait <= 0 {
		o.LockWait = defaultLockWait
	}
	if o.SnapshotAge <= 0 {
		o.SnapshotAge = defaultSnapshotAge
	}
	exists, warning, err := checkPlace(path, o)
	if err != nil {
		return nil, err
	}
	if !exists {
		if err := makeFile(path); err != nil {
			return nil, err
		}
	}
	s := &Store{path: path, o: o, warning: warning, token: make(chan struct{}, 1), gate: newTurnstile(path),
		reading: make(chan struct{}, maxReaders), bell: bell{path: path + ".wake"}}
	if s.file, s.release, err = admit(path); err != nil {
		return nil, err
	}
	s.readOnly = o.ReadOnly || !writable(path) || !writable(filepath.Dir(path))
	if s.readOnly {
		err = s.openReadOnly()
	} else if err = s.openWriter(ctx); err != nil && s.noSpace(err) {
		// Beside a full disk a log and its index cannot be made; what is there may still be readable.
		s.readOnly, s.full = true, true
		s.dropIdle()
		if s.openReadOnly() != nil {
			err = s.fullError(err)
		} else {
			err = nil
		}
	}
	if err != nil {
		s.Close() //nolint:errcheck // the first error is the one to tell
		return nil, openError(path, err)
	}
	return s, nil
}

// openError adds to an error of the driver which file it is about.
func openError(path string, err error) error {
	var own *testigo.Error
	if errors.As(err, &own) {
		return err
	}
	e := testigo.AsError(translate(err))
	c := *e
	c.Msg = path + ": " + e.Msg
	return &c
}

// openWriter opens the one connection that is needed first. It can only read until somebody writes: a command that only
// reads, or only writes, gets by with it.
func (s *Store) openWriter(ctx context.Context) error {
	var err error
	if s.db, err = openDB(dsn(s.path, "mode=rw", s.o.LockWait.Milliseconds())); err != nil {
		return err
	}
	k, err := s.newReader()
	if err != nil {
		return err
	}
	s.idle = append(s.idle, k)
	current, err := s.readMeta(k)
	if err != nil {
		return err
	}
	if !current {
		return s.migrate(ctx)
	}
	return s.keepLog(ctx, k)
}

// keepLog puts the store back into WAL mode if another tool took it out. That needs the file for a moment without anybody
// else; when that moment does not come, the store works as it is, only slower, and the next opening tries again.
func (s *Store) keepLog(ctx context.Context, k *conn) error {
	var mode string
	if err := k.pragma("journal_mode", &mode); err != nil || mode == "wal" {
		return err
	}
	err := s.gate.enter(ctx, time.Now().Add(min(s.o.LockWait, aMoment)))
	if testigo.CodeOf(err) == testigo.CodeLocked {
		return nil
	}
	if err != nil {
		return err
	}
	defer s.gate.leave()
	w, err := s.writing()
	if err != nil {
		return err
	}
	if err := w.busyTimeout(aMoment); err != nil {
		return err
	}
	defer w.busyTimeout(s.o.LockWait) //nolint:errcheck // a broken connection is replaced
	err = w.pragma("journal_mode = WAL", &mode)
	if code := resultCode(err) & 0xff; err == nil && mode == "wal" || code == lib.SQLITE_BUSY || code == lib.SQLITE_LOCKED {
		return nil
	}
	if err == nil {
		s.warning = "another program changed how the store keeps its log (journal mode " + mode + "), and it cannot be changed back now"
	}
	return err
}

// newWriter makes an idle reader the writer, or opens a connection for it.
func (s *Store) newWriter() (*conn, error) {
	cache := 4 << 10
	if s.o.Role == OneShot {
		cache = 2 << 10
	}
	s.mu.Lock()
	n := len(s.idle)
	if n == 0 {
		s.mu.Unlock()
		return connect(s.db, cache)
	}
	k := s.idle[n-1]
	s.idle = s.idle[:n-1]
	s.mu.Unlock()
	for _, p := range []string{"query_only = 0", cacheSize(cache)} {
		if err := k.pragma(p); err != nil {
			k.close() //nolint:errcheck // the first error is the one to tell
			return nil, err
		}
	}
	return k, nil
}

// readMeta reads what the store says of itself. It returns false when a migration has to run first.
func (s *Store) readMeta(k *conn) (current bool, err error) {
	var version int
	if err := k.pragma("user_version", &version); err != nil {
		return false, err
	}
	if err := checkGeneration(s.path, version); err != nil {
		return false, err
	}
	if version == 0 {
		return false, nil
	}
	err = k.row("store_get", nil, &s.id, &s.flat, &s.schema)
	if errors.Is(err, sql.ErrNoRows) {
		var l logRow
		if k.row("log_get", nil, &l.next, &l.size, &l.frontier, &l.root, &l.docs, &l.body, &l.context, &l.changes) == nil && l.next > 1 {
			s.nameless, s.schema = true, latestMigration() // not a store that was never finished: it can be read, and checked
			return true, nil
		}
		return false, nil
	}
	return s.schema >= latestMigration(), err
}

// openReadOnly opens the store for reading only, in a folder that perhaps may not be written. Reading beside a writer needs
// the log and its index in shared memory; when they cannot be had, the database file alone is read, but only if there is no
// log, which would hold commits that the file does not.
func (s *Store) openReadOnly() error {
	if s.file.Size() == 0 {
		return testigo.Errorf(testigo.CodeUnreachable, "there is no store at %s yet", s.path).WithNext("check the path (--db, TESTIGO_DB)")
	}
	err := s.openReader("mode=ro")
	if err == nil {
		return nil
	}
	switch resultCode(err) & 0xff {
	case lib.SQLITE_CANTOPEN, lib.SQLITE_READONLY, lib.SQLITE_PERM, lib.SQLITE_IOERR:
	default:
		return err
	}
	if s.walSize() > 0 {
		return s.walUnreadable(err)
	}
	s.frozen = true
	return s.openReader("mode=ro&immutable=1")
}

func (s *Store) walUnreadable(cause error) error {
	e := testigo.Errorf(testigo.CodeUnreachable, "%s may only be read here, and its log file %s holds changes that cannot be seen without writing",
		s.path, filepath.Base(s.path)+"-wal").WithNext("run any testigo command once where the folder may be written, then try again")
	e.Err = cause
	return e
}

func (s *Store) openReader(mode string) (err error) {
	if s.db != nil {
		s.db.Close() //nolint:errcheck // nothing was done with it
	}
	if s.db, err = openDB(dsn(s.path, mode, s.o.LockWait.Milliseconds())); err != nil {
		return err
	}
	k, err := s.newReader()
	if err != nil {
		return err
	}
	current, err := s.readMeta(k)
	if err != nil {
		k.close() //nolint:errcheck // the first error is the one to tell
		return err
	}
	s.idle = append(s.idle, k)
	if !current {
		return testigo.Errorf(testigo.CodeUnreachable, "%s needs an upgrade, and it may only be read here", s.path).
			WithNext("run any testigo command once where the folder may be written")
	}
	return nil
}

func (s *Store) newReader() (*conn, error) {
	cache := 3 << 10
	if s.o.Role == OneShot {
		cache = 2 << 10
	}
	return connect(s.db, cache, "query_only = 1")
}

// walSize is the size of the log file; 0 when there is none.
func (s *Store) walSize() int64 { return sizeOf(s.path + "-wal") }
