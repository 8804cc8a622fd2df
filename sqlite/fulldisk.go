package sqlite

import (
	"os"
	"path/filepath"

	lib "modernc.org/sqlite/lib"

	"github.com/testigo/testigo"
)

// probeBytes is what a log and its index need to begin with, and more.
const probeBytes = 64 << 10

// noSpace reports that a fault of the disk is a lack of space. SQLite tells the reason for some writes only: a log's index
// that cannot grow, or a quota, is to it a fault like any other.
func (s *Store) noSpace(err error) bool {
	switch resultCode(err) & 0xff {
	case lib.SQLITE_FULL:
		return true
	case lib.SQLITE_IOERR, lib.SQLITE_CANTOPEN:
		return isFull(probe(s.path))
	}
	return testigo.CodeOf(err) == testigo.CodeFull
}

// probe tries to write beside the store, in a file that is gone afterwards.
func probe(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".testigo-space-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	_, err = f.Write(make([]byte, probeBytes))
	return err
}

func (s *Store) fullError(cause error) error {
	e := testigo.Errorf(testigo.CodeFull, "the disk is full; nothing was written").WithNext("free some space, then try again")
	if s.full {
		e.Msg = "the disk was full when the store was opened, so it is open for reading only; nothing was written"
		e.Next = "free some space, then start this program again"
	}
	e.Err = cause
	return e
}
