package supervise

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// look reads a process's start time, in clock ticks since boot. A process that waits to be reaped is gone.
func look(pid int) (started string, l life) {
	if pid <= 0 {
		return "", unknown
	}
	fields, err := stat(pid)
	if err != nil {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return "", gone
		}
		return "", unknown
	}
	switch fields[0] {
	case "Z", "X", "x":
		return "", gone
	}
	return fields[19], alive
}

var errStat = errors.New("unreadable /proc/PID/stat")

// stat returns the fields of /proc/PID/stat from the third on: state, parent, group, …, start time (the twentieth of
// them). The second is the program's name and may itself hold blanks and brackets.
func stat(pid int) ([]string, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 20 {
		return nil, errStat
	}
	return fields, nil
}

func bootID() string    { return word("/proc/sys/kernel/random/boot_id") }
func machineID() string { return word("/etc/machine-id") }

// numberSpace names the pid namespace: the same number is another process in another container.
func numberSpace() string {
	link, _ := os.Readlink("/proc/self/ns/pid")
	return strings.Trim(strings.TrimPrefix(link, "pid:"), "[]")
}

func word(path string) string {
	b, _ := os.ReadFile(path)
	return strings.TrimSpace(string(b))
}

// killRest ends what is left of a group whose leader is gone. The group's number may belong to strangers by now, so only
// processes that carry this run's mark in their environment are ended, one by one.
func killRest(group int, mark string) {
	entries, _ := filepath.Glob("/proc/[0-9]*")
	for _, e := range entries {
		pid, err := strconv.Atoi(filepath.Base(e))
		if err != nil {
			continue
		}
		fields, err := stat(pid)
		if err != nil || fields[2] != strconv.Itoa(group) {
			continue
		}
		env, err := os.ReadFile(e + "/environ")
		if err == nil && bytes.Contains(append([]byte{0}, env...), []byte("\x00"+mark+"\x00")) {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended meanwhile
		}
	}
}
