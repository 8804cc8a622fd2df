package workspace

import (
	"path/filepath"
	"slices"
	"strings"
)

// maxConfigBytes bounds a repository's settings file; real ones are a few kilobytes (1 MiB).
const maxConfigBytes = 1 << 20

// config is what identity needs from a repository's settings file.
type config struct {
	bare     bool
	worktree string
	remotes  []remoteConfig
}

type remoteConfig struct{ name, url string }

func readConfig(common string) config {
	text, err := readSmall(filepath.Join(common, "config"), maxConfigBytes)
	if err != nil {
		return config{}
	}
	return parseConfig(string(text))
}

// worktreeFrom is the working tree the settings name, resolved; "" when they name none.
func (c config) worktreeFrom(gitDir string) string {
	if c.worktree == "" {
		return ""
	}
	return resolve(under(gitDir, c.worktree))
}

// remoteURL is origin's address, else that of the first remote.
func (c config) remoteURL() string {
	i := slices.IndexFunc(c.remotes, func(r remoteConfig) bool { return r.name == "origin" })
	switch {
	case i >= 0:
		return c.remotes[i].url
	case len(c.remotes) > 0:
		return c.remotes[0].url
	}
	return ""
}

// parseConfig reads git's settings syntax: [section "sub"], key = value, comments, quotes. Include files stay unread.
func parseConfig(text string) config {
	var c config
	section, sub := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section, sub, line = parseSection(line)
		}
		key, raw, given := strings.Cut(line, "=")
		key = strings.ToLower(strings.TrimSpace(key))
		switch {
		case section == "core" && key == "bare":
			c.bare = !given || isTrue(parseValue(raw))
		case section == "core" && key == "worktree":
			c.worktree = parseValue(raw)
		case section == "remote" && key == "url" && sub != "" && given:
			if !slices.ContainsFunc(c.remotes, func(r remoteConfig) bool { return r.name == sub }) {
				c.remotes = append(c.remotes, remoteConfig{sub, parseValue(raw)})
			}
		}
	}
	return c
}

// parseSection splits `[section "sub"] rest`.
func parseSection(line string) (section, sub, rest string) {
	head := line[1:]
	var b strings.Builder
	quoted, escaped := false, false
	for i, r := range head {
		switch {
		case escaped:
			b.WriteRune(r)
			escaped = false
		case quoted && r == '\\':
			escaped = true
		case r == '"':
			quoted = !quoted
			if quoted {
				section = strings.TrimSpace(b.String())
				b.Reset()
			} else {
				sub = b.String()
			}
		case !quoted && r == ']':
			if section == "" {
				section = strings.TrimSpace(b.String())
			}
			return strings.ToLower(section), sub, strings.TrimSpace(head[i+1:])
		default:
			b.WriteRune(r)
		}
	}
	return "", "", ""
}

// parseValue takes quotes, escapes and a trailing comment off a value.
func parseValue(raw string) string {
	var b strings.Builder
	quoted, escaped := false, false
	kept := 0 // length up to the last character that is not unquoted white space
	for _, r := range strings.TrimSpace(raw) {
		switch {
		case escaped:
			switch r {
			case 'n':
				r = '\n'
			case 't':
				r = '\t'
			}
			b.WriteRune(r)
			escaped = false
		case r == '\\':
			escaped = true
			continue
		case r == '"':
			quoted = !quoted
		case !quoted && (r == '#' || r == ';'):
			return b.String()[:kept]
		default:
			b.WriteRune(r)
			if !quoted && (r == ' ' || r == '\t') {
				continue
			}
		}
		kept = b.Len()
	}
	return b.String()[:kept]
}

func isTrue(v string) bool {
	switch strings.ToLower(v) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}
