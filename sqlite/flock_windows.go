package sqlite

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockedByte is far behind the text of a lock file: locks are mandatory on Windows, and others must be able to read who
// holds it.
const lockedByte = 1 << 30

func lockFile(f *os.File, flags uint32) error {
	at := windows.Overlapped{Offset: lockedByte}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|flags, 0, 1, 0, &at)
}

// tryLock takes an exclusive lock on f if nobody holds one.
func tryLock(f *os.File) (bool, error) {
	err := lockFile(f, windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// waitLock takes an exclusive lock on f, for as long as that lasts.
func waitLock(f *os.File) error { return lockFile(f, 0) }

func unlock(f *os.File) error {
	at := windows.Overlapped{Offset: lockedByte}
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &at)
}

func isFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}
