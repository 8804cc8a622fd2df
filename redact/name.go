package redact

import "strings"

// nameKind says what a variable, field or header with a certain word in its name is likely to hold.
type nameKind uint8

const (
	kindNone     nameKind = iota
	kindPassword          // chosen by a person: may be short
	kindToken             // made by a machine: long and random
	kindKey               // "_key" alone: a secret or a cache key, so digests pass
	kindHeader            // Authorization and Bearer: a scheme may come first
)

// secretWords are the words near which assign.go looks for a value.
var secretWords = []struct {
	word string
	kind nameKind
}{
	{"password", kindPassword}, {"passwd", kindPassword}, {"passphrase", kindPassword}, {"passcode", kindPassword},
	{"pwd", kindPassword}, {"_pass", kindPassword}, {"-pass", kindPassword}, {"passwort", kindPassword},
	{"contraseña", kindPassword}, {"mot_de_passe", kindPassword},
	{"secret", kindToken}, {"token", kindToken}, {"credential", kindToken},
	{"apikey", kindToken}, {"api_key", kindToken}, {"api-key", kindToken}, {"api key", kindToken},
	{"access_key", kindToken}, {"access-key", kindToken}, {"accesskey", kindToken}, {"access key", kindToken},
	{"private_key", kindToken}, {"private-key", kindToken}, {"privatekey", kindToken},
	{"account_key", kindToken}, {"accountkey", kindToken}, {"auth_key", kindToken}, {"authkey", kindToken},
	{"master_key", kindToken}, {"signing_key", kindToken}, {"encryption_key", kindToken},
	{"subscription-key", kindToken},
	{"_key", kindKey},
	{"authorization", kindHeader}, {"bearer", kindHeader},
}

// isAbout names the words that make a name speak about a secret, or about something public, instead of holding one.
func isAbout(word string) bool {
	switch word {
	case "id", "ids", "name", "names", "type", "kind", "count", "counts", "limit", "max", "min", "len", "length",
		"size", "path", "file", "files", "filename", "dir", "url", "uri", "endpoint", "host", "hash", "hashed",
		"digest", "sha", "sha1", "sha256", "sha512", "md5", "checksum", "commit", "integrity", "etag", "fingerprint",
		"arn", "version", "ttl", "expiry", "expires", "expired", "expiration", "exp", "policy", "status", "state",
		"manager", "provider", "store", "service", "class", "field", "column", "label", "hint", "prefix", "suffix",
		"format", "regex", "pattern", "ref", "required", "enabled", "usage", "used", "budget", "bucket", "index",
		"rotation", "env", "public", "pub",
		"cache", "primary", "foreign", "sort", "partition", "idempotency", "dedup", "routing", "natural", "unique":
		return true
	}
	return false
}

// nameReach bounds how far a name goes on around the word, in bytes: the longest real ones have about 60, and without
// a bound a text of nothing but the word would take quadratic time.
const nameReach = 64

func isNameByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' || c == '-' || c == '.' }

// nameAround is the whole name around the word s[pos:pos+n], and whether such a name holds a secret.
func nameAround(s string, pos, n int) (start, end int, plural, ok bool) {
	start, end = pos, pos+n
	for start > 0 && pos-start < nameReach && isNameByte(s[start-1]) {
		start--
	}
	for end < len(s) && end-pos-n < nameReach && isNameByte(s[end]) {
		end++
	}
	for end > pos+n && strings.IndexByte("._-", s[end-1]) >= 0 {
		end--
	}
	rest := s[pos+n : end]
	if trimmed, found := strings.CutPrefix(rest, "s"); found && (trimmed == "" || !isLetter(trimmed[0])) {
		rest, plural = trimmed, true
	}
	// "tokenizer" and "secretary" are other words; "tokenValue" and "secret2" are not.
	if rest != "" && 'a' <= rest[0] && rest[0] <= 'z' {
		return start, end, plural, false
	}
	for _, word := range nameParts(s[start:end]) {
		if isAbout(word) {
			return start, end, plural, false
		}
	}
	return start, end, plural, true
}

// nameParts splits a name at its separators and humps, in lower case.
func nameParts(name string) []string {
	var parts []string
	start := 0
	cut := func(end int) {
		if end > start {
			parts = append(parts, strings.ToLower(name[start:end]))
		}
		start = end
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c == '_' || c == '-' || c == '.':
			cut(i)
			start = i + 1
		case i > 0 && 'A' <= c && c <= 'Z' && 'a' <= name[i-1] && name[i-1] <= 'z':
			cut(i)
		}
	}
	cut(len(name))
	return parts
}

// kindOf is what a whole name, such as a member of a JSON object, says about its value.
func (c *catalogue) kindOf(name string) (kind nameKind, plural bool) {
	if len(name) > 2*nameReach {
		return kindNone, false
	}
	for _, h := range c.words.find(name) {
		k := c.own[h.word]
		if k == kindNone || k == kindKey && kind != kindNone {
			continue
		}
		if _, _, many, ok := nameAround(name, h.pos, len(c.words.words[h.word])); ok {
			kind, plural = k, many
		}
	}
	return kind, plural
}
