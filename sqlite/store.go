package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/testigo/testigo"
)

// Read implements testigo.Store. A snapshot that gets older than Options.SnapshotAge is ended, because the log file cannot
// shrink below it: the reader's next question then fails with CodeGone.
func (s *Store) Read(ctx context.Context, fn func(testigo.Reader) error) error {
	if err := s.use(ctx); err != nil {
		return err
	}
	defer s.inUse.Done()
	if err := s.checkThere("nothing was read"); err != nil {
		return err
	}
	k, err := s.reader(ctx)
	if err != nil {
		return err
	}
	defer s.putReader(k)
	if _, err := k.exec("begin_read"); err != nil {
		k.spoiled = true
		return translate(err)
	}
	v := &view{s: s, k: k}
	defer v.end()
	timer := time.AfterFunc(s.o.SnapshotAge, v.expire)
	defer timer.Stop()
	return fn(v)
}

// Write implements testigo.Store.
func (s *Store) Write(ctx context.Context, fn func(testigo.Tx) error) error {
	if err := s.use(ctx); err != nil {
		return err
	}
	defer s.inUse.Done()
	if s.readOnly || s.nameless {
		return s.readOnlyError()
	}
	deadline := time.Now().Add(s.o.LockWait)
	if err := s.takeToken(ctx, deadline); err != nil {
		return err
	}
	defer s.giveToken()
	ring, err := s.locked(ctx, deadline, fn)
	if err != nil {
		if testigo.CodeOf(err) == testigo.CodeUnreachable && s.noSpace(err) {
			return s.fullError(err)
		}
		return err
	}
	if ring {
		s.bell.ring()
	}
	s.careForLog()
	return nil
}

func (s *Store) readOnlyError() error {
	if s.full {
		return s.fullError(nil)
	}
	if s.nameless {
		return testigo.Errorf(testigo.CodeDamaged, "the store is damaged: the row that says which store this is, is gone; nothing was written").
			WithNext("testigo verify shows what else is damaged; %s", putBack(s.path))
	}
	return testigo.Errorf(testigo.CodeUnreachable, "the store is open for reading only: %s may not be written here", s.path).
		WithNext("reading works; to write, use a folder that may be written (--db)")
}

// takeToken waits for this process's other writers, in order.
func (s *Store) takeToken(ctx context.Context, deadline time.Time) error {
	select {
	case s.token <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case s.token <- struct{}{}:
		return nil
	case <-ctx.Done():
		return translate(ctx.Err())
	case <-timer.C:
		return testigo.Errorf(testigo.CodeLocked, "this process is writing to the store for too long").WithNext("try again").
			WithData(map[string]any{"holder_pid": os.Getpid()})
	}
}

func (s *Store) giveToken() { <-s.token }

// locked runs one transaction behind the turnstile. The caller holds the token.
func (s *Store) locked(ctx context.Context, deadline time.Time, fn func(testigo.Tx) error) (ring bool, err error) {
	if err := s.gate.enter(ctx, deadline); err != nil {
		return false, err
	}
	defer s.gate.leave()
	if err := s.checkThere("nothing was written"); err != nil {
		return false, err
	}
	k, err := s.writing()
	if err != nil {
		return false, err
	}
	if left := time.Until(deadline); left < s.o.LockWait-100*time.Millisecond {
		// What was spent in the queue is not spent again on another tool that locked the file itself.
		if err := k.busyTimeout(max(left, time.Millisecond)); err != nil {
			return false, translate(err)
		}
		defer k.busyTimeout(s.o.LockWait) //nolint:errcheck // a broken connection is replaced
	}
	return s.transact(ctx, k, fn)
}

// checkThere makes sure that the file that is open still is the store. Commits into a file that was moved away would be
// acknowledged and lost, answers from it would be out of date without a word, and its log must not be copied or cut off,
// because the name of the log may be another one's by now.
func (s *Store) checkThere(undone string) error {
	info, err := os.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return testigo.Errorf(testigo.CodeUnreachable, "store missing: %s is no longer there; %s", s.path, undone).
			WithNext("%s", putBack(s.path))
	case err != nil:
		return fileError("look at", s.path, err)
	case !os.SameFile(info, s.file):
		return testigo.Errorf(testigo.CodeUnreachable, "%s was replaced by another file while it was open; %s", s.path, undone).
			WithNext("start this program again to use the new file; keep what was moved away, its log belongs to it")
	}
	return nil
}

// writing is the writer's connection, opened anew after a fault.
func (s *Store) writing() (*conn, error) {
	if s.writer != nil && s.writer.spoiled {
		s.writer.close() //nolint:errcheck // it is broken
		s.writer = nil
	}
	if s.writer == nil {
		w, err := s.newWriter()
		if err != nil {
			return nil, translate(err)
		}
		s.writer = w
	}
	return s.writer, nil
}

// transact runs fn between BEGIN and COMMIT. Deferred, so that a panic or a test that ends itself inside fn rolls back.
func (s *Store) transact(ctx context.Context, k *conn, fn func(testigo.Tx) error) (ring bool, err error) {
	if _, err := k.exec("begin_write"); err != nil {
		return false, translate(err)
	}
	done := false
	defer func() {
		if !done {
			if _, err := k.exec("rollback"); err != nil {
				k.spoiled = true // perhaps it was rolled back already, as after a full disk
			}
		}
	}()
	s.fault("after_begin")
	t := &tx{view: view{s: s, k: k, writing: true}, now: time.UnixMilli(s.o.Clock().UnixMilli()).UTC()}
	defer t.end()
	if err := t.loadLog(); err != nil {
		return false, err
	}
	t.before = t.log
	if err := fn(t); err != nil {
		return false, err
	}
	if t.failed != nil { // fn went on after a statement failed half-way
		return false, t.failed
	}
	if err := ctx.Err(); err != nil {
		return false, translate(err)
	}
	if err := t.storeLog(); err != nil {
		return false, err
	}
	s.fault("before_commit")
	if _, err := k.exec("commit"); err != nil {
		return false, translate(err)
	}
	done = true
	s.fault("after_commit")
	return t.ring, nil
}

// reader takes a connection for reading.
func (s *Store) reader(ctx context.Context) (*conn, error) {
	select {
	case s.reading <- struct{}{}:
	case <-ctx.Done():
		return nil, translate(ctx.Err())
	}
	if s.frozen && s.walSize() > 0 {
		<-s.reading
		return nil, s.walUnreadable(nil)
	}
	s.mu.Lock()
	if n := len(s.idle); n > 0 {
		k := s.idle[n-1]
		s.idle = s.idle[:n-1]
		s.mu.Unlock()
		return k, nil
	}
	s.mu.Unlock()
	k, err := s.newReader()
	if err != nil {
		<-s.reading
		return nil, translate(err)
	}
	return k, nil
}

func (s *Store) putReader(k *conn) {
	s.mu.Lock()
	keep := !k.spoiled && len(s.idle) < keptReaders && !s.closed
	if keep {
		s.idle = append(s.idle, k)
	}
	s.mu.Unlock()
	if !keep {
		k.close() //nolint:errcheck // it only read
	}
	<-s.reading
}

// use checks that the store is open and keeps it so until inUse.Done.
func (s *Store) use(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return translate(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return testigo.Errorf(testigo.CodeUnreachable, "this store is closed")
	}
	s.inUse.Add(1)
	return nil
}

// Info implements testigo.Store.
func (s *Store) Info(ctx context.Context) (testigo.StoreInfo, error) {
	if err := s.use(ctx); err != nil {
		return testigo.StoreInfo{}, err
	}
	defer s.inUse.Done()
	info := testigo.StoreInfo{ID: s.id, Location: s.path, Backend: "sqlite", Schema: s.schema, Flat: s.flat,
		ReadOnly: s.readOnly, Warning: s.warning, Bytes: s.walSize()}
	if file, err := os.Stat(s.path); err == nil {
		info.Bytes += file.Size()
	}
	return info, nil
}

// Bell is the file to watch for commits that somebody may wait for. It may not exist yet. Whoever is woken looks whether
// there is something new, and looks every second or so without being woken.
func (s *Store) Bell() string { return s.bell.path }

// Close waits for calls in progress and gives everything back. Closing twice is fine.
func (s *Store) Close() error {
	s.mu.Lock()
	closed := s.closed
	s.closed = true
	idle := s.idle
	s.idle = nil
	s.mu.Unlock()
	if closed {
		return nil
	}
	s.inUse.Wait()
	s.wal.stop()
	for _, k := range idle {
		k.close() //nolint:errcheck // it only read
	}
	var err error
	if s.writer != nil {
		err = s.writer.close()
	}
	if s.db != nil {
		err = errors.Join(err, s.db.Close())
	}
	s.gate.close()
	s.bell.close()
	s.release()
	return translate(err)
}
