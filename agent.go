package testigo

import (
	"encoding/json"
	"strings"
	"time"
)

// Agent is a named identity that reads, writes and receives. Provider "inbox" means nobody can wake it: it picks up
// by itself.
type Agent struct {
	Name     string
	Provider string
	// Title is a display name; empty means the name.
	Title string
	// Endpoint (a session's id), Cwd and Settings (canonical JSON, an object or empty) are the provider's address.
	Endpoint string
	Cwd      string
	Settings json.RawMessage
	// Paused agents get no turn until they are resumed.
	Paused bool
	// AddressedAt is when the address was last set: only handoffs sent after it are delivered there.
	AddressedAt time.Time
	FirstSeen   time.Time
	LastSeen    time.Time
}

// Connection says whether one agent may send to another.
type Connection struct {
	Sender    string
	Recipient string
	Allow     bool
	UpdatedAt time.Time
}

// ProviderInbox is the provider of an agent that was only ever seen, never given an address.
const ProviderInbox = "inbox"

// Reserved name prefixes: people at a terminal, and parts of Testigo itself.
const (
	PersonPrefix  = "person:"
	ServicePrefix = "service:"
)

// maxAgentName is the most characters of an agent's name.
const maxAgentName = 200

// CheckAgentName checks an agent's name under the argument name field: 1 to 200 of the characters A–Z a–z 0–9 : . _ @ / -,
// starting with a letter or digit (the identifier rule of the delivery reference, S5).
func CheckAgentName(field, name string) error {
	if name == "" {
		return Invalid(field, "is required")
	}
	if len(name) > maxAgentName || !startsPlain(name) || !madeOf(name, ":._@/-") {
		return Invalid(field, "%q is not an agent name: 1 to 200 of A-Z a-z 0-9 : . _ @ / -, starting with a letter or digit", clip(name, 60))
	}
	return nil
}

// startsPlain reports whether s starts with an ASCII letter or digit. A compiled pattern with these bounds would cost
// every process four milliseconds at its start.
func startsPlain(s string) bool { return s != "" && plain(s[0]) }

// madeOf reports whether s consists of ASCII letters, digits and the signs given.
func madeOf(s, signs string) bool {
	for i := range len(s) {
		if !plain(s[i]) && strings.IndexByte(signs, s[i]) < 0 {
			return false
		}
	}
	return true
}

func plain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// IsPerson reports whether name belongs to a person at a terminal.
func IsPerson(name string) bool { return strings.HasPrefix(name, PersonPrefix) }

// IsService reports whether name belongs to Testigo itself.
func IsService(name string) bool { return strings.HasPrefix(name, ServicePrefix) }

func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n]) + "…"
}

// Process says which operating-system process holds something, well enough to tell it from a later one with the same
// number. Zero when unknown: a hold without a process lives by its lease alone.
type Process struct {
	PID     int    `json:"pid,omitempty"`
	Started string `json:"started,omitempty"` // the kernel's start time, opaque
	Boot    string `json:"boot,omitempty"`    // the boot id, opaque
}

// Known reports whether p names a process.
func (p Process) Known() bool { return p.PID != 0 && p.Started != "" }
