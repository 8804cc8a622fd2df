package supervise

import (
	"os"

	"golang.org/x/sys/windows"
)

func openPlain(path string) (*os.File, error) { return os.Open(path) }

// syncFolder does nothing: Windows has no such call, and NTFS journals names.
func syncFolder(string) error { return nil }

// Lock waits for an exclusive lock on a file, made if need be. The kernel gives it back when the process ends.
func Lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, fileMode)
	if err != nil {
		return nil, err
	}
	err = windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, new(windows.Overlapped))
	if err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}
