package proc

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"sync"

	"github.com/testigo/testigo"
)

// state is what the kernel says about a process number.
type state int

const (
	unclear state = iota // it may exist, but we may not look
	running
	ended
)

// Self describes this process.
func Self() testigo.Process {
	p, ok := Of(os.Getpid())
	if !ok {
		return testigo.Process{PID: os.Getpid()}
	}
	return p
}

// Of describes a running process of this machine; false when there is none with that number or it cannot be looked at.
func Of(pid int) (testigo.Process, bool) {
	if pid <= 0 {
		return testigo.Process{}, false
	}
	started, st := look(pid)
	if st != running {
		return testigo.Process{}, false
	}
	return testigo.Process{PID: pid, Started: started, Boot: here()}, true
}

// Alive reports whether p still runs. known is false when that cannot be told; alive then means nothing.
func Alive(p testigo.Process) (alive, known bool) { return aliveAt(p, here()) }

func aliveAt(p testigo.Process, now string) (alive, known bool) {
	if !p.Known() {
		return false, false
	}
	then, okThen := parsePlace(p.Boot)
	at, okNow := parsePlace(now)
	switch {
	case !okThen || !okNow:
		return false, false
	case then.boot != at.boot:
		return false, then.machine == at.machine
	case then.space != at.space:
		return false, false
	}
	started, st := look(p.PID)
	switch st {
	case running:
		return started == p.Started, true
	case ended:
		return false, true
	}
	return false, false
}

// place says where a process number means something.
type place struct{ boot, machine, space string }

func parsePlace(s string) (place, bool) {
	parts := strings.Split(s, "/")
	if len(parts) != 3 || parts[0] == "" {
		return place{}, false
	}
	return place{parts[0], parts[1], parts[2]}, true
}

// here is this process's place, "" when the system names no boot. It cannot change while we run.
var here = sync.OnceValue(func() string {
	boot := bootID()
	if boot == "" {
		return ""
	}
	return strings.ReplaceAll(boot, "/", "-") + "/" + machineTag() + "/" + space()
})

// machineTag is a short digest of what names this machine. It is compared and never shown.
func machineTag() string {
	host, _ := os.Hostname()
	sum := sha256.Sum256([]byte("testigo machine\x00" + machineID() + "\x00" + host))
	return hex.EncodeToString(sum[:6])
}
