package proc

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// look reads the start time (clock ticks since boot) from /proc/PID/stat. A process that ended and waits for its parent
// to notice has ended.
func look(pid int) (started string, st state) {
	if pid <= 0 {
		return "", unclear
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return "", ended
		}
		return "", unclear // hidden from us, or /proc is not there
	}
	return parseStat(string(stat))
}

// parseStat reads fields 3 (state) and 22 (start time). Field 2 is the program's name in brackets and may itself hold
// blanks and brackets, so counting starts after the last one.
func parseStat(stat string) (started string, st state) {
	i := strings.LastIndexByte(stat, ')')
	if i < 0 {
		return "", unclear
	}
	fields := strings.Fields(stat[i+1:])
	if len(fields) < 20 {
		return "", unclear
	}
	if _, err := strconv.ParseUint(fields[19], 10, 64); err != nil {
		return "", unclear
	}
	switch fields[0] {
	case "Z", "X", "x":
		return "", ended
	}
	return fields[19], running
}

func bootID() string { return readWord("/proc/sys/kernel/random/boot_id") }

func machineID() string {
	if id := readWord("/etc/machine-id"); id != "" {
		return id
	}
	return readWord("/var/lib/dbus/machine-id")
}

// space names the pid namespace: the same number is another process in another container.
func space() string {
	link, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return strings.Trim(strings.TrimPrefix(link, "pid:"), "[]")
}

func readWord(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
