//go:build darwin || freebsd || dragonfly

package sqlite

import (
	"strings"

	"golang.org/x/sys/unix"
)

// fileSystem names the file system that dir lies on, "" when it is an ordinary one.
func fileSystem(dir string) (string, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return "", err
	}
	var b []byte
	for _, c := range st.Fstypename {
		if c == 0 {
			break
		}
		b = append(b, byte(c))
	}
	switch name := strings.ToLower(string(b)); {
	case name == "nfs", name == "9p", name == "tmpfs":
		return name, nil
	case name == "smbfs", name == "afpfs", name == "webdav":
		return "cifs", nil
	case strings.Contains(name, "sshfs"):
		return "fuse.sshfs", nil
	case strings.Contains(name, "fuse"):
		return "fuse", nil
	}
	return "", nil
}
