//go:build unix

package supervise

import (
	"context"
	"os/exec"
	"syscall"
)

// detached prepares a process that outlives this one, its terminal and its context.
func detached(ctx context.Context, argv []string) *exec.Cmd {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), argv[0], argv[1:]...)
	cmd.Dir = "/" // it keeps no folder of the engine's busy
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}
