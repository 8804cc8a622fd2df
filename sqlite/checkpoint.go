package sqlite

import (
	"os"
	"sync"
	"time"

	lib "modernc.org/sqlite/lib"
)

const (
	// checkpointPages is how long the log may get before whoever crosses it copies it into the database: 4,000 pages of
	// 4 KiB. SQLite's 1,000 cost 15 % of the throughput and six times the p99 in our study.
	checkpointPages = 4000
	// walPages is where copying alone was not enough because readers kept the log from starting over.
	walPages = walLimit / 4096
	// looksEvery is after how many commits of this process the length of the log is asked; one commit writes about 15 pages.
	looksEvery = 16
	// idleAfter is how long after the last write of a long-running process its log is emptied.
	idleAfter = 30 * time.Second
)

// walCare remembers when to look after the log.
type walCare struct {
	commits int

	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
}

// careForLog runs after a commit, outside the write lock: a copy under way never makes another process wait. The caller
// holds the token. A failure is no failure of the write; the next one tries again.
func (s *Store) careForLog() {
	s.wal.commits++
	if s.wal.commits%looksEvery == 0 {
		s.shrinkLog()
	}
	if s.o.Role == Server {
		s.wal.later(s.emptyIdleLog)
	}
}

func (s *Store) shrinkLog() {
	pages := s.logPages()
	if pages < checkpointPages || s.checkThere("the log stays") != nil {
		return
	}
	s.fault("in_checkpoint")
	if s.checkpoint("PASSIVE") != nil || pages < walPages {
		return
	}
	s.checkpoint("TRUNCATE") //nolint:errcheck // a reader is in the way; its snapshot ends by itself
}

// logPages is the length of the log in pages.
func (s *Store) logPages() int {
	var busy, log, copied int
	if s.writer == nil || s.writer.pragma("wal_checkpoint(NOOP)", &busy, &log, &copied) != nil {
		return 0
	}
	return log
}

// busyError says that a checkpoint did not get through because somebody reads or writes.
type busyError struct{}

func (busyError) Error() string { return "the log is in use" }

// checkpoint copies the log into the database. Except for PASSIVE it waits a moment at most for readers.
func (s *Store) checkpoint(how string) error {
	if how != "PASSIVE" {
		if err := s.writer.busyTimeout(100 * time.Millisecond); err != nil {
			return err
		}
		defer s.writer.busyTimeout(s.o.LockWait) //nolint:errcheck // a broken connection is replaced
	}
	var busy, log, copied int
	err := s.writer.pragma("wal_checkpoint("+how+")", &busy, &log, &copied)
	if code := resultCode(err) & 0xff; code == lib.SQLITE_BUSY || code == lib.SQLITE_LOCKED || err == nil && busy != 0 {
		return busyError{}
	}
	return err
}

// later calls fn when nothing was written for a while.
func (w *walCare) later(fn func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.stopped:
	case w.timer == nil:
		w.timer = time.AfterFunc(idleAfter, fn)
	default:
		w.timer.Reset(idleAfter)
	}
}

func (w *walCare) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	if w.timer != nil {
		w.timer.Stop()
	}
}

// emptyIdleLog gives the disk space of the log back, unless somebody is at work.
func (s *Store) emptyIdleLog() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.inUse.Add(1)
	s.mu.Unlock()
	defer s.inUse.Done()
	select {
	case s.token <- struct{}{}:
	default:
		return
	}
	defer s.giveToken()
	if s.writer != nil && s.walSize() > 0 && s.checkThere("the log stays") == nil {
		s.fault("in_checkpoint")
		s.checkpoint("TRUNCATE") //nolint:errcheck // somebody is at work; the next idle time comes
	}
}

// bell is the file that a process writes one byte to after a commit that somebody may wait for.
type bell struct {
	path string
	file *os.File
}

func (b *bell) ring() {
	if b.file == nil {
		f, err := privateFile(b.path)
		if err != nil {
			return // waiters look by themselves, too
		}
		b.file = f
	}
	if _, err := b.file.WriteAt([]byte{1}, 0); err != nil {
		b.close()
	}
}

func (b *bell) close() {
	if b.file != nil {
		b.file.Close() //nolint:errcheck // one byte of no meaning
		b.file = nil
	}
}
