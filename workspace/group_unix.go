//go:build unix

package workspace

import (
	"os/exec"
	"syscall"
)

// ownGroup lets cmd run in a process group of its own, so that giving it up ends what it started as well.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
