package sqlite

import "testing"

func TestMountedAs(t *testing.T) {
	t.Parallel()
	info := "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n" +
		"30 21 0:40 / /mnt/a\\040b rw,nosuid - fuse.sshfs host:/ rw\n" +
		"31 21 0:41 / /mnt/c rw shared:7 - fuse.rclone remote: rw\n"
	for dir, kind := range map[string]string{"/mnt/a b/x": "fuse.sshfs", "/mnt/c": "fuse.rclone", "/mnt/cd": "ext4", "/home": "ext4"} {
		if got := mountedAs(info, dir); got != kind {
			t.Errorf("%s: %s, want %s", dir, got, kind)
		}
	}
}
