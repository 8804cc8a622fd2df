package proc

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// zombie is SZOMB of sys/proc.h: ended, waiting for its parent to notice.
const zombie = 5

func look(pid int) (started string, st state) {
	if pid <= 0 {
		return "", unclear
	}
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid {
		if errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
			return "", ended
		}
		return "", unclear
	}
	if info.Proc.P_stat == zombie {
		return "", ended
	}
	t := info.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", t.Sec, t.Usec), running
}

// bootID prefers the session's identifier: the boot time moves when the clock is set.
func bootID() string {
	if id, err := unix.Sysctl("kern.bootsessionuuid"); err == nil && id != "" {
		return id
	}
	t, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d.%06d", t.Sec, t.Usec)
}

// machineID is empty: the system call for it is not available without cgo. The host name alone names the machine.
func machineID() string { return "" }

func space() string { return "" }
