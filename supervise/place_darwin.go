package supervise

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// zombie is SZOMB of sys/proc.h: ended, waiting to be reaped.
const zombie = 5

func look(pid int) (started string, l life) {
	if pid <= 0 {
		return "", unknown
	}
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid {
		if errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
			return "", gone
		}
		return "", unknown
	}
	if info.Proc.P_stat == zombie {
		return "", gone
	}
	t := info.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", t.Sec, t.Usec), alive
}

func bootID() string {
	id, _ := unix.Sysctl("kern.bootsessionuuid")
	return id
}

func machineID() string   { return "" }
func numberSpace() string { return "" }

// killRest does nothing: macOS does not show other processes' environments reliably, and a group's number alone may
// belong to strangers by now.
func killRest(int, string) {}
