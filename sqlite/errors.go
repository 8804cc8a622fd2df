package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/testigo/testigo"
)

// translate turns an error of the driver into ours, by its result code and never by its text. sql.ErrNoRows and our own
// errors pass.
func translate(err error) error {
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		return err
	}
	var own *testigo.Error
	if errors.As(err, &own) {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &testigo.Error{Code: testigo.CodeInternal, Msg: "the call was given up: " + err.Error(), Err: err}
	}
	e := &testigo.Error{Code: testigo.CodeInternal, Msg: "internal error in the store", Next: "testigo doctor", Err: err}
	switch code := resultCode(err) & 0xff; code {
	case lib.SQLITE_FULL:
		e.Code, e.Msg, e.Next = testigo.CodeFull, "the disk is full; nothing was written", "free some space, then try again"
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_PROTOCOL:
		e.Code, e.Msg, e.Next = testigo.CodeLocked, "another program holds the store", "try again"
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		e.Code, e.Msg = testigo.CodeDamaged, "the store file is damaged"
	case lib.SQLITE_ERROR: // our statements fit our tables, so it is the tables that are not ours any more
		e.Code, e.Msg = testigo.CodeDamaged, "a table or index of the store is missing or was changed"
	case lib.SQLITE_CONSTRAINT:
		if resultCode(err) == lib.SQLITE_CONSTRAINT_TRIGGER { // we have none that refuses anything
			e.Code, e.Msg = testigo.CodeDamaged, "a trigger that is not the store's own refused the write"
		}
	case lib.SQLITE_READONLY:
		e.Code, e.Msg = testigo.CodeUnreachable, "the store cannot be written"
	case lib.SQLITE_CANTOPEN, lib.SQLITE_PERM, lib.SQLITE_AUTH:
		e.Code, e.Msg = testigo.CodeUnreachable, "the store file cannot be opened"
	case lib.SQLITE_IOERR:
		e.Code, e.Msg, e.Next = testigo.CodeUnreachable, "the disk failed to read or write the store", "try again; if it stays, testigo doctor"
	}
	return e
}

// resultCode is SQLite's extended result code, 0 for an error that is none of SQLite's.
func resultCode(err error) int {
	var e *driver.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

// taken reports that a row was not unique.
func taken(err error) bool {
	code := resultCode(err)
	return code == lib.SQLITE_CONSTRAINT_PRIMARYKEY || code == lib.SQLITE_CONSTRAINT_UNIQUE || code == lib.SQLITE_CONSTRAINT_ROWID
}

// spoils reports that after err a connection is better opened anew: a fault of the disk may have passed by then.
func spoils(err error) bool {
	switch resultCode(err) & 0xff {
	case lib.SQLITE_IOERR, lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB, lib.SQLITE_CANTOPEN, lib.SQLITE_READONLY, lib.SQLITE_MISUSE,
		lib.SQLITE_NOMEM, lib.SQLITE_INTERNAL, lib.SQLITE_INTERRUPT, lib.SQLITE_FULL:
		return true
	}
	return errors.Is(err, sql.ErrConnDone) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func missing(format string, args ...any) error {
	return testigo.Errorf(testigo.CodeNotFound, format, args...)
}

// fileError is the error of a call of the operating system on one of the store's files.
func fileError(doing, path string, err error) error {
	reason := err
	var pe *os.PathError
	if errors.As(err, &pe) {
		reason = pe.Err
	}
	e := testigo.Errorf(testigo.CodeUnreachable, "cannot %s %s: %s", doing, path, reason).WithNext("testigo doctor")
	if isFull(err) {
		e.Code, e.Next = testigo.CodeFull, "free some space, then try again"
	}
	e.Err = err
	return e
}
