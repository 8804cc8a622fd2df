package supervise

import (
	"slices"
	"strings"
)

// inherited are the variables that every turn gets from its engine: what a program needs to find its home, its language, its
// terminal, its keys and the network.
var inherited = []string{"HOME", "PATH", "USER", "SHELL", "LANG", "TERM", "TMPDIR", "TZ", "SSH_AUTH_SOCK",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy"}

// inheritedPrefixes are families of such variables.
var inheritedPrefixes = []string{"LC_", "XDG_"}

// identity are the families that say who a program acts as. A turn acts as its recipient, never as its engine.
var identity = []string{"TESTIGO_", "HANDOFFS_"}

// Environment returns the environment of a turn: from the engine's own the variables above, those named, or with all set
// everything but the engine's identity; then set, whose entries win, later ones over earlier ones.
func Environment(engine, named []string, all bool, set ...string) []string {
	var env []string
	for _, kv := range engine {
		name, _, ok := strings.Cut(kv, "=")
		if !ok || name == "" {
			continue
		}
		hasPrefix := func(p string) bool { return strings.HasPrefix(name, p) }
		switch {
		case slices.Contains(named, name):
		case slices.ContainsFunc(identity, hasPrefix):
			continue
		case all, slices.Contains(inherited, name), slices.ContainsFunc(inheritedPrefixes, hasPrefix):
		default:
			continue
		}
		env = put(env, name, kv)
	}
	for _, kv := range set {
		if name, _, ok := strings.Cut(kv, "="); ok && name != "" {
			env = put(env, name, kv)
		}
	}
	return env
}

func put(env []string, name, kv string) []string {
	for i, have := range env {
		if strings.HasPrefix(have, name+"=") {
			env[i] = kv
			return env
		}
	}
	return append(env, kv)
}
