package redact

import "strings"

// authorityReach bounds the part of an address in which a password is looked for, in bytes.
const authorityReach = 1024

// urlSpans finds passwords in addresses, `scheme://user:password@host`, and tokens in the user's place. Only the
// password goes: who connects to what is worth keeping.
func urlSpans(s string) []span {
	var found []span
	for at := 0; ; {
		i := strings.Index(s[at:], "://")
		if i < 0 {
			return found
		}
		start := at + i + len("://")
		at = start
		if start < 4 || !isNameByte(s[start-4]) {
			continue
		}
		run := s[start:addressEnd(s, start)]
		user := userInfo(run)
		if user <= 0 {
			continue
		}
		name, password, ok := strings.Cut(run[:user], ":")
		switch {
		case ok && isPassword(password):
			found = append(found, span{start: start + len(name) + 1, end: start + user, rule: ruleURL})
		case !ok && !publicValue(name) && random(name):
			found = append(found, span{start: start, end: start + user, rule: ruleURL})
		}
		at = start + user
	}
}

func addressEnd(s string, from int) int {
	end := from
	for end < len(s) && end-from < authorityReach && !isSpace(s[end]) && strings.IndexByte("\"'`<>\\", s[end]) < 0 {
		end++
	}
	return end
}

// userInfo is the place of the `@` that ends user and password in an address without its scheme, or -1. A password
// may hold the signs that end a host; it is told from a port, which holds digits only.
func userInfo(run string) int {
	host := strings.IndexAny(run, "/?#")
	if host < 0 {
		host = len(run)
	}
	if at := strings.LastIndexByte(run[:host], '@'); at >= 0 {
		return at
	}
	colon := strings.IndexByte(run[:host], ':')
	if colon < 0 || strings.Trim(run[colon+1:host], "0123456789") == "" {
		return -1
	}
	if at := strings.IndexByte(run[host:], '@'); at >= 0 {
		return host + at
	}
	return -1
}

func isPassword(p string) bool {
	return p != "" && !isBlankToFill(p) && !plainPassword(p)
}
