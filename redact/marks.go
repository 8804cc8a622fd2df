package redact

import "strings"

const (
	privateOpen  = "<private>"
	privateClose = "</private>"
)

// privateSpans finds what the writer marked as private, tags included. Nested marks count as one, and a mark that is
// never closed hides the rest: losing text is better than showing it.
func privateSpans(s string) []span {
	var found []span
	depth, start := 0, 0
	for at := 0; at < len(s); {
		i := strings.IndexByte(s[at:], '<')
		if i < 0 {
			break
		}
		at += i
		switch {
		case hasPrefixFold(s[at:], privateOpen):
			if depth == 0 {
				start = at
			}
			depth++
			at += len(privateOpen)
		case depth > 0 && hasPrefixFold(s[at:], privateClose):
			depth--
			at += len(privateClose)
			if depth == 0 {
				found = append(found, span{start: start, end: at, rule: rulePrivate})
			}
		default:
			at++
		}
	}
	if depth > 0 {
		found = append(found, span{start: start, end: len(s), rule: rulePrivate})
	}
	return found
}

const (
	pemBegin = "-----BEGIN "
	pemEnd   = "-----END "
	pemDash  = "-----"
	// pemLabel bounds the words between the dashes, in bytes; "ENCRYPTED PRIVATE KEY" has 21.
	pemLabel = 100
	// pemBody bounds a key, in bytes; a 16,384-bit RSA key has about 13 KiB.
	pemBody = 32 << 10
	// pemRun is the least unbroken base64, in bytes, that makes a body out of text between two header lines.
	pemRun = 16
)

// pemSpans finds private key blocks. Upstream knows whole ones; here are also those cut off before their end, as tool
// output often is, and short ones.
func pemSpans(s string) []span {
	var found []span
	for at := 0; ; {
		i := strings.Index(s[at:], pemBegin)
		if i < 0 {
			return found
		}
		start := at + i
		at = start + len(pemBegin)
		label := strings.Index(s[at:min(len(s), at+pemLabel)], pemDash)
		if label < 0 || !strings.Contains(s[at:at+label], "PRIVATE KEY") {
			continue
		}
		at += label + len(pemDash)
		end, ok := pemClose(s, at)
		if !ok {
			end = pemCut(s, at)
		}
		if end > at {
			found = append(found, span{start: start, end: end, rule: rulePEM})
			at = end
		}
	}
}

// pemClose finds the end of a block whose body starts at from.
func pemClose(s string, from int) (int, bool) {
	window := s[from:min(len(s), from+pemBody)]
	i := strings.Index(window, pemEnd)
	if i < 0 || !hasBase64Run(window[:i], pemRun) {
		return 0, false
	}
	tail := window[i+len(pemEnd):]
	if j := strings.Index(tail[:min(len(tail), pemLabel)], pemDash); j >= 0 {
		return from + i + len(pemEnd) + j + len(pemDash), true
	}
	return from + i + len(pemEnd), true
}

// pemCut finds the end of a body without an end line: it goes on as long as lines of base64 follow, real line breaks
// or written ones. It returns from when there is no body.
func pemCut(s string, from int) int {
	end, long := from, false
	for at := from; at < len(s); {
		switch {
		case isSpace(s[at]):
			at++
			continue
		case s[at] == '\\' && at+1 < len(s) && (s[at+1] == 'n' || s[at+1] == 'r'):
			at += 2
			continue
		}
		stop := at
		for stop < len(s) && isBase64(s[stop]) {
			stop++
		}
		n := stop - at
		// The last line of a key is short, but it follows a long one and is no word of the text behind the key.
		if n < pemRun && !(long && n > 0 && !wordy(s[at:stop])) {
			break
		}
		end, long, at = stop, n >= 40, stop
	}
	return end
}

func hasBase64Run(s string, least int) bool {
	run := 0
	for i := 0; i < len(s); i++ {
		if !isBase64(s[i]) {
			run = 0
			continue
		}
		if run++; run >= least {
			return true
		}
	}
	return false
}

func isBase64(c byte) bool {
	return c < 0x80 && isLetter(c) || isDigit(c) || c == '+' || c == '/' || c == '='
}

// jwtPart is the least length of the first two parts of a token, in bytes; `{"alg":"none"}` has 19 in base64.
const jwtPart = 15

// jwtSpans finds JSON web tokens by the second part's start: `.ey`, base64 for a dot and `{"`.
func jwtSpans(s string) []span {
	var found []span
	for at := 0; ; {
		i := strings.Index(s[at:], ".ey")
		if i < 0 {
			return found
		}
		dot := at + i
		start := dot
		for start > 0 && isJWT(s[start-1]) && !strings.ContainsRune("=/+", rune(s[start-1])) {
			start--
		}
		// The header is an object, so its base64 starts with "eyJ" unless there is white space after the brace.
		head := strings.Index(s[start:dot], "eyJ")
		if head < 0 {
			head = strings.Index(s[start:dot], "ey")
		}
		end := dot + 1
		for end < len(s) && (isJWT(s[end]) || s[end] == '.') {
			end++
		}
		for s[end-1] == '.' {
			end--
		}
		body, _, _ := strings.Cut(s[dot+1:end], ".")
		at = end
		if head < 0 || dot-start-head < jwtPart || len(body) < jwtPart {
			continue
		}
		found = append(found, span{start: start + head, end: end, rule: ruleJWT})
	}
}

func isJWT(c byte) bool {
	return c < 0x80 && isLetter(c) || isDigit(c) || c == '-' || c == '_' || c == '/' || c == '+' || c == '='
}
