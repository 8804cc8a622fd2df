package sqlite

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// fileSystem names the file system that dir lies on, "" when it is an ordinary one.
func fileSystem(dir string) (string, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return "", err
	}
	switch uint32(st.Type) {
	case unix.NFS_SUPER_MAGIC:
		return "nfs", nil
	case unix.SMB_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC:
		return "cifs", nil
	case unix.V9FS_MAGIC:
		return "9p", nil
	case unix.TMPFS_MAGIC, 0x858458f6: // and ramfs
		return "tmpfs", nil
	case unix.OVERLAYFS_SUPER_MAGIC:
		return "overlay", nil
	case unix.FUSE_SUPER_MAGIC:
		b, err := os.ReadFile("/proc/self/mountinfo")
		if err != nil {
			return "fuse", nil //nolint:nilerr // that it is one is known, only not which
		}
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		return mountedAs(string(b), dir), nil
	}
	return "", nil
}

// mountedAs finds in the text of /proc/self/mountinfo as what the mount that holds dir was mounted: "fuse.sshfs".
func mountedAs(mountinfo, dir string) string {
	kind, longest := "fuse", -1
	for line := range strings.SplitSeq(mountinfo, "\n") {
		mount, rest, found := strings.Cut(line, " - ")
		fields := strings.Fields(mount)
		if !found || len(fields) < 5 {
			continue
		}
		point := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(fields[4])
		inside := point == "/" || dir == point || strings.HasPrefix(dir, point+"/")
		if inside && len(point) >= longest { // a later mount covers an earlier one
			longest = len(point)
			kind, _, _ = strings.Cut(rest, " ")
		}
	}
	return kind
}
