package sqlite

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/testigo/testigo"
)

// turnstile lets one writer of all processes through at a time, in the order in which they came: whoever waits for "lock"
// holds "turn", so nobody overtakes. A caller holds the store's own token before, so it is used by one goroutine at a time.
type turnstile struct {
	turn, lock sideLock
	pid        []byte
	// unnamed holders leave no id in the lock file: those who make a new store, so that an id shows that there was one.
	unnamed bool
}

func newTurnstile(path string) *turnstile {
	return &turnstile{turn: sideLock{path: path + ".turn"}, lock: sideLock{path: path + ".lock"},
		pid: fmt.Appendf(nil, "%-11d\n", os.Getpid())}
}

// enter waits until deadline at the latest, then fails with CodeLocked and the holder's process id.
func (t *turnstile) enter(ctx context.Context, deadline time.Time) error {
	if err := t.turn.take(ctx, deadline); err != nil {
		return t.explain(err)
	}
	err := t.lock.take(ctx, deadline)
	t.turn.give()
	if err != nil {
		return t.explain(err)
	}
	if !t.unnamed {
		t.lock.file.WriteAt(t.pid, 0) //nolint:errcheck // tells people who holds the lock, and that there was a store to write to
	}
	return nil
}

func (t *turnstile) leave() { t.lock.give() }

func (t *turnstile) close() {
	t.turn.close()
	t.lock.close()
}

// explain names the holder of the lock in a CodeLocked error.
func (t *turnstile) explain(err error) error {
	if testigo.CodeOf(err) != testigo.CodeLocked {
		return err
	}
	e := testigo.Errorf(testigo.CodeLocked, "another process is writing to the store").WithNext("try again")
	switch pid := holder(t.lock.path); { // whoever holds the lock need not be a program that writes its id there
	case pid > 0 && alive(pid):
		e.Msg = fmt.Sprintf("process %d is writing to the store", pid)
		e.Data = map[string]any{"holder_pid": pid}
	case pid > 0:
		e.Msg = fmt.Sprintf("a process that cannot be named holds the store; process %d was the last to write and is gone", pid)
	}
	return e
}

// holder reads the process id from a lock file; 0 when there is none.
func holder(path string) int {
	b, err := os.ReadFile(path)
	if err != nil || len(b) > 32 {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0
	}
	return pid
}

// sideLock is a file that stands for a lock. A wait that was given up goes on in the background, because a blocked flock
// cannot be called back; it is taken up again by the next caller, and otherwise gives the lock back as soon as it comes.
type sideLock struct {
	path string
	file *os.File
	late *wait
}

// wait is one blocked call for the lock.
type wait struct {
	file *os.File
	done chan struct{}

	mu     sync.Mutex
	wanted bool // by somebody who will take the lock when it comes
	over   bool
	err    error
}

func (l *sideLock) take(ctx context.Context, deadline time.Time) error {
	if l.late == nil {
		if l.file == nil {
			f, err := privateFile(l.path)
			if err != nil {
				return err
			}
			l.file = f
		}
		ok, err := tryLock(l.file)
		if err != nil {
			return fileError("lock", l.path, err)
		}
		if ok {
			return nil
		}
		l.late = waitFor(l.file)
		l.file = nil
	}
	return l.await(ctx, deadline)
}

func waitFor(f *os.File) *wait {
	w := &wait{file: f, done: make(chan struct{}), wanted: true}
	go func() {
		err := waitLock(f)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.over, w.err = true, err
		if !w.wanted {
			f.Close() //nolint:errcheck // closing gives the lock back
		}
		close(w.done)
	}()
	return w
}

// await takes up the waiting call.
func (l *sideLock) await(ctx context.Context, deadline time.Time) error {
	w := l.late
	w.mu.Lock()
	if w.over && !w.wanted { // it came while nobody wanted it and was given back
		w.mu.Unlock()
		l.late = nil
		return l.take(ctx, deadline)
	}
	w.wanted = true
	w.mu.Unlock()

	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	var failed error
	select {
	case <-w.done:
	case <-timer.C:
		failed = testigo.Errorf(testigo.CodeLocked, "%s is held", l.path)
	case <-ctx.Done():
		failed = translate(ctx.Err())
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.over {
		w.wanted = false
		return failed
	}
	l.late, l.file = nil, w.file
	if w.err != nil {
		l.close()
		return fileError("lock", l.path, w.err)
	}
	return nil
}

func (l *sideLock) give() {
	if l.file == nil {
		return
	}
	if err := unlock(l.file); err != nil {
		l.close() // which gives it back, too
	}
}

func (l *sideLock) close() {
	if l.file != nil {
		l.file.Close() //nolint:errcheck // nothing was written that matters
		l.file = nil
	}
}

// privateFile opens a side file, making it if need be, for this user alone whatever the umask says.
func privateFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		if err := f.Chmod(0o600); err != nil {
			f.Close() //nolint:errcheck // the first error is the one to tell
			return nil, fileError("protect", path, err)
		}
		return f, nil
	}
	if !os.IsExist(err) {
		return nil, fileError("make", path, err)
	}
	if f, err = os.OpenFile(path, os.O_RDWR, 0); err != nil {
		return nil, fileError("open", path, err)
	}
	return f, nil
}
