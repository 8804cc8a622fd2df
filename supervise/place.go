package supervise

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"sync"

	"github.com/testigo/testigo"
)

// life is what can be said about a process.
type life int

const (
	unknown life = iota // hidden from us, of another machine or of another container
	alive
	gone
)

// describe names a process of this machine so that it can be found again.
func describe(pid int) testigo.Process {
	started, _ := look(pid)
	return testigo.Process{PID: pid, Started: started, Boot: here()}
}

// lifeOf reports whether p lives: number, start time and boot together decide. The rules are those of package proc, which
// this package may not import.
func lifeOf(p testigo.Process) life {
	if !p.Known() || p.Boot == "" {
		return unknown
	}
	then, now := strings.Split(p.Boot, "/"), strings.Split(here(), "/")
	switch {
	case len(then) != 3 || len(now) != 3:
		return unknown
	case then[0] != now[0] && then[1] == now[1]: // this machine was restarted
		return gone
	case then[0] != now[0] || then[2] != now[2]:
		return unknown
	}
	started, l := look(p.PID)
	if l == alive && started != p.Started {
		return gone // the number belongs to another process now
	}
	return l
}

// here says where process numbers mean something: boot "/" machine "/" number space. "" when the system names no boot.
var here = sync.OnceValue(func() string {
	boot := bootID()
	if boot == "" {
		return ""
	}
	host, _ := os.Hostname()
	sum := sha256.Sum256([]byte("testigo machine\x00" + machineID() + "\x00" + host))
	return strings.ReplaceAll(boot, "/", "-") + "/" + hex.EncodeToString(sum[:6]) + "/" + numberSpace()
})
