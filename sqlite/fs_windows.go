package sqlite

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// fileSystem names the file system that dir lies on, "" when it is an ordinary one.
func fileSystem(dir string) (string, error) {
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(dir) + `\`)
	if err != nil {
		return "", err
	}
	switch windows.GetDriveType(root) {
	case windows.DRIVE_REMOTE:
		return "cifs", nil
	case windows.DRIVE_RAMDISK:
		return "tmpfs", nil
	}
	return "", nil
}

// fileID is nothing here: reading a file that is open elsewhere harms no lock on Windows.
type fileID struct{}

func idOf(os.FileInfo) (fileID, bool) { return fileID{}, false }

// alive reports whether there is a process with this id.
func alive(pid int) bool {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid)) //nolint:gosec // ids are small
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	defer windows.CloseHandle(h) //nolint:errcheck // it was only looked at
	var code uint32
	const running = 259
	return windows.GetExitCodeProcess(h, &code) != nil || code == running
}

// writable cannot be asked without writing; the first write tells.
func writable(string) bool { return true }
