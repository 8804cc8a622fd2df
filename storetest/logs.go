package storetest

import (
	"time"

	"github.com/testigo/testigo"
)

func logs(s suite) {
	s.test("the log of a new store is empty", func(f *fixture) {
		equal(f, "the log", f.log(), testigo.LogState{})
		equal(f, "leaves", f.leaves(0, 10), nil)
	})

	s.test("the log's state is kept as it was set", func(f *fixture) {
		want := testigo.LogState{Size: 5, Root: testigo.Hash{1, 2, 3}, Frontier: []testigo.Hash{{4}, {5, 0, 7}}}
		f.write(func(tx testigo.Tx) error { return tx.SetLog(f.ctx, want) })
		equal(f, "the log", f.log(), want)
		want = testigo.LogState{Size: 8, Root: testigo.Hash{9}, Frontier: []testigo.Hash{{10}}}
		f.write(func(tx testigo.Tx) error { return tx.SetLog(f.ctx, want) })
		equal(f, "the log", f.log(), want)
	})

	s.test("leaves are versions and erasures by position, as they are now", func(f *fixture) {
		a, b := fact("p", "a", "a"), fact("q", "a", "b")
		f.remembered(a)
		f.remembered(b)
		e := f.forgotten(f.version(a, 1))
		f.clock.Advance(-time.Minute)
		f.remembered(a)
		a1, a2, b1 := f.version(a, 1), f.version(a, 2), f.version(b, 1)
		want := []testigo.Leaf{{Position: 0, Version: &a1}, {Position: 1, Version: &b1}, {Position: 2, Erasure: &e}, {Position: 3, Version: &a2}}
		equal(f, "all leaves", f.leaves(0, 10), want)
		equal(f, "a page", f.leaves(1, 2), want[1:3])
		equal(f, "the end", f.leaves(3, 2), want[3:])
		equal(f, "beyond", f.leaves(4, 2), nil)
		if size := f.log().Size; size != 4 {
			f.Errorf("size %d, want 4", size)
		}
	})
}

func (f *fixture) log() testigo.LogState {
	f.Helper()
	return read(f, func(r testigo.Reader) (testigo.LogState, error) { return r.Log(f.ctx) })
}

func (f *fixture) leaves(from int64, limit int) []testigo.Leaf {
	f.Helper()
	return read(f, func(r testigo.Reader) ([]testigo.Leaf, error) { return r.Leaves(f.ctx, from, limit) })
}
