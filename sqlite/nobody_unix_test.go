//go:build unix

package sqlite

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// asNobody makes cmd run as a user who may read dir and not write it; false when this user cannot do that.
func asNobody(t *testing.T, cmd *exec.Cmd, dir string) bool {
	t.Helper()
	if os.Getuid() != 0 {
		return false
	}
	self, err := os.ReadFile(cmd.Path) // where go test built it, nobody may go
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	cmd.Path = filepath.Join(bin, "testigo")
	syscall.ForkLock.RLock() // a child of another test would hold the file open for writing, and Linux would not run it
	err = os.WriteFile(cmd.Path, self, 0o755)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{bin, dir} {
		for ; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
			if err := os.Chmod(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.Chmod(filepath.Join(dir, e.Name()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const nobody = 65534
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return true
}

// copyFiles copies a database and its log in a process of its own.
func copyFiles(path, dir string) ([]byte, error) {
	return exec.Command("cp", path, path+"-wal", dir).CombinedOutput()
}
