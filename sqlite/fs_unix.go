//go:build unix

package sqlite

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// fileID tells files apart, whatever they are called.
type fileID struct{ device, inode uint64 }

func idOf(info os.FileInfo) (fileID, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileID{}, false
	}
	return fileID{uint64(st.Dev), uint64(st.Ino)}, true //nolint:unconvert // the types differ between systems
}

// alive reports whether there is a process with this id.
func alive(pid int) bool {
	err := unix.Kill(pid, 0)
	return err == nil || errors.Is(err, unix.EPERM)
}

// writable reports whether this process may write to path.
func writable(path string) bool { return unix.Access(path, unix.W_OK) == nil }
