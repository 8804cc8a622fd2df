package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/testigo/testigo"
)

// view reads one snapshot.
type view struct {
	s *Store
	k *conn
	// mu is held through every question, so that the end of a snapshot that got too old falls between two of them.
	mu      sync.Mutex
	over    error
	writing bool
	failed  error // a statement of a write failed half-way

	log    logRow
	logged bool
	head   headRow
}

var _ testigo.Reader = (*view)(nil)

// logRow is the row of table log.
type logRow struct {
	next           int64
	size           int64
	frontier, root string // raw bytes: comparable, and never changed
	docs           int64
	body, context  int64
	changes        int64
}

// headRow is the fact that was looked at last in a write: what is remembered is most often what was just read.
type headRow struct {
	name   testigo.Name
	id     int64
	seq    int64
	number int
}

// ask begins a question; answer ends it.
func (v *view) ask(ctx context.Context) error {
	v.mu.Lock()
	err := v.over
	if err == nil && ctx.Err() != nil {
		err = translate(ctx.Err())
	}
	if err != nil {
		v.mu.Unlock()
	}
	return err
}

func (v *view) answer() { v.mu.Unlock() }

// fail translates an error of a statement. In a write it also sees to it that nothing of the transaction is kept, except
// when the statement only found that a row is taken: then it changed nothing.
func (v *view) fail(err error) error {
	err = translate(err)
	if err != nil && v.writing && v.failed == nil && !errors.Is(err, sql.ErrNoRows) {
		v.failed = err
	}
	return err
}

// end closes the snapshot of a reader; a writer's transaction was ended before.
func (v *view) end() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.close(testigo.Errorf(testigo.CodeInternal, "a reader or transaction was used after its function returned"))
}

// expire ends a snapshot that has been open for too long.
func (v *view) expire() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.close(testigo.Errorf(testigo.CodeGone, "this read took longer than %s and was ended, because the log file cannot shrink under it", v.s.o.SnapshotAge).
		WithNext("read less at a time"))
}

func (v *view) close(why *testigo.Error) {
	if v.over != nil {
		return
	}
	v.over = why
	if v.writing {
		return
	}
	if _, err := v.k.exec("rollback"); err != nil {
		v.k.spoiled = true
	}
}

// loadLog reads the log row once per snapshot.
func (v *view) loadLog() error {
	if v.logged {
		return nil
	}
	l := &v.log
	err := v.k.row("log_get", nil, &l.next, &l.size, &l.frontier, &l.root, &l.docs, &l.body, &l.context, &l.changes)
	if errors.Is(err, sql.ErrNoRows) {
		return testigo.Errorf(testigo.CodeDamaged, "the store's log row is gone").WithNext("testigo doctor")
	}
	v.logged = err == nil
	return v.fail(err)
}

func (v *view) Log(ctx context.Context) (testigo.LogState, error) {
	if err := v.ask(ctx); err != nil {
		return testigo.LogState{}, err
	}
	defer v.answer()
	if err := v.loadLog(); err != nil {
		return testigo.LogState{}, err
	}
	s := testigo.LogState{Size: v.log.size}
	for f := v.log.frontier; len(f) >= len(testigo.Hash{}); f = f[len(testigo.Hash{}):] {
		s.Frontier = append(s.Frontier, testigo.Hash([]byte(f[:len(testigo.Hash{})])))
	}
	copy(s.Root[:], v.log.root)
	return s, nil
}

// tx is a write transaction.
type tx struct {
	view
	now    time.Time
	before logRow
	ring   bool // somebody may wait for what was written
}

var _ testigo.Tx = (*tx)(nil)

func (t *tx) Now() time.Time { return t.now }

func (t *tx) NextSeq() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.nextSeq()
}

func (t *tx) nextSeq() int64 {
	t.log.next++
	return t.log.next - 1
}

func (t *tx) SetLog(ctx context.Context, s testigo.LogState) error {
	if err := t.ask(ctx); err != nil {
		return err
	}
	defer t.answer()
	var b strings.Builder
	b.Grow(len(s.Frontier) * len(testigo.Hash{}))
	for i := range s.Frontier {
		b.Write(s.Frontier[i][:])
	}
	t.log.size, t.log.frontier, t.log.root = s.Size, b.String(), string(s.Root[:])
	return nil
}

// storeLog writes the log row back if anything moved.
func (t *tx) storeLog() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := &t.log
	if *l == t.before {
		return nil
	}
	_, err := t.k.exec("log_put", l.next, l.size, []byte(l.frontier), []byte(l.root), l.docs, l.body, l.context, l.changes)
	return t.fail(err)
}

// exec runs a statement that is expected to succeed.
func (t *tx) exec(name string, args ...any) (int64, error) {
	n, err := t.k.exec(name, args...)
	return n, t.fail(err)
}
