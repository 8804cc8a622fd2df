package redact

import "strings"

const (
	// randomLength and randomBits are the least a value needs to count as made by a machine. Sixteen random
	// characters of hex have about 3.2 bits each by their own count, English words of that length as much: entropy
	// alone decides nothing, so a value must also not consist of words.
	randomLength = 16
	randomBits   = 2.8
)

// secret decides whether the value is one. Everything doubtful in form has to look random.
func (a assignment) secret(value string) bool {
	v := value[:min(len(value), valueReach)]
	if publicValue(v) {
		return false
	}
	if a.login {
		return len(v) >= 3 && !plainPassword(v)
	}
	if random(v) {
		return a.kind != kindKey || a.firm && !isHex(v)
	}
	if !a.firm {
		return false
	}
	switch a.kind {
	case kindPassword:
		return chosen(v, a.quoted)
	case kindToken:
		return len(v) >= 8 && !wordy(v) && hasDigit(v) && hasLetter(v) && !isNumber(v)
	case kindHeader:
		return len(v) >= 8 && hasLetter(v) && (hasDigit(v) || strings.HasSuffix(v, "=")) && !wordy(v)
	}
	return false
}

// chosen reports whether v looks like a password a person made up: letters with digits or signs. A plain word passes,
// for it may as well be a description.
func chosen(v string, quoted bool) bool {
	if len(v) < 6 {
		return false
	}
	if !hasLetter(v) {
		return strings.Trim(v, "0123456789") == ""
	}
	inner := strings.TrimLeft(v, "@:&*$%#!-+~^")
	signs := "!@#%^*+~$&"
	if quoted {
		signs += "?=/(){}[]|<>,;:"
	}
	switch {
	case strings.ContainsAny(inner, signs):
		return !strings.ContainsAny(inner, "()") || hasDigit(inner)
	case !hasDigit(inner):
		return false
	case strings.ContainsAny(inner, "-_./"):
		return len(inner) >= 8 && !wordy(inner)
	}
	return true
}

func plainPassword(v string) bool {
	switch strings.ToLower(v) {
	case "password", "passwd", "pass", "pwd", "secret", "token", "changeme", "yourpassword", "none", "null", "true", "false":
		return true
	}
	return false
}

// publicValue reports whether v can be told from a secret by its form: a variable, a blank to fill in, a marker, a
// path, an address, an identifier, a date, prose.
func publicValue(v string) bool {
	switch {
	case v == "" || isBlankToFill(v) || isExample(v) || isUUID(v) || isPath(v) || isDate(v) || isMail(v):
		return true
	case strings.Contains(v, "://"):
		return true // urlSpans looks at the password in it
	case strings.ContainsAny(v, " \t\n"):
		return true
	}
	if kind, _, ok := strings.Cut(v, ":"); ok || strings.Contains(v, "-") {
		if !ok {
			kind, _, _ = strings.Cut(v, "-")
		}
		switch strings.ToLower(kind) {
		case "sha1", "sha256", "sha384", "sha512", "md5", "blake3", "urn":
			return true
		}
	}
	return false
}

func isBlankToFill(v string) bool {
	switch {
	case strings.HasPrefix(v, "${"), strings.HasPrefix(v, "$("), strings.HasPrefix(v, "{{"), strings.HasPrefix(v, "%("),
		strings.HasPrefix(v, "<"), strings.HasPrefix(v, markerOpen):
		return true
	case v[0] == '$' && isIdentifier(v[1:]), v[0] == '%' && v[len(v)-1] == '%', v[0] == '{' && v[len(v)-1] == '}',
		v[0] == '[' && v[len(v)-1] == ']':
		return true
	case strings.Contains(v, "..."), strings.Contains(v, "****"), strings.Contains(strings.ToLower(v), "xxxx"):
		return true
	}
	return strings.Trim(v, v[:1]) == ""
}

func isIdentifier(v string) bool {
	if v == "" || isDigit(v[0]) {
		return false
	}
	for i := 0; i < len(v); i++ {
		if !isNameByte(v[i]) || v[i] == '-' {
			return false
		}
	}
	return wordy(v)
}

// isExample names the two values that AWS prints in its documentation; texts about redaction are full of them.
func isExample(v string) bool {
	return v == "AKIAIOSFODNN7"+"EXAMPLE" || v == "wJalrXUtnFEMI/K7MDENG/"+"bPxRfiCYEXAMPLEKEY"
}

func isUUID(v string) bool {
	if len(v) != 36 {
		return false
	}
	for i := 0; i < len(v); i++ {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (v[i] == '-') || !dash && !isHexByte(v[i]) {
			return false
		}
	}
	return true
}

func isHexByte(c byte) bool { return isDigit(c) || 'a' <= lower(c) && lower(c) <= 'f' }

func isHex(v string) bool {
	for i := 0; i < len(v); i++ {
		if !isHexByte(v[i]) {
			return false
		}
	}
	return true
}

// isPath reports whether v is a file path: base64 holds slashes too, but not between words.
func isPath(v string) bool {
	rooted := strings.HasPrefix(v, "/") || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "../") ||
		strings.HasPrefix(v, "~/") || len(v) > 2 && v[1] == ':' && (v[2] == '\\' || v[2] == '/')
	parts := strings.FieldsFunc(v, func(r rune) bool { return r == '/' || r == '\\' })
	if !rooted && len(parts) < 2 || len(parts) == 0 {
		return false
	}
	plain := 0
	for _, p := range parts {
		if len(p) > 0 && (wordy(p) || isUUID(p)) {
			plain++
		}
	}
	if rooted {
		return 2*plain >= len(parts)
	}
	return plain == len(parts)
}

func isDate(v string) bool {
	return len(v) >= 10 && v[4] == '-' && v[7] == '-' && strings.Trim(v[:4]+v[5:7]+v[8:10], "0123456789") == "" &&
		strings.Trim(v[10:], "0123456789:.,+-TZtz") == ""
}

func isMail(v string) bool {
	user, domain, ok := strings.Cut(v, "@")
	dot := strings.LastIndexByte(domain, '.')
	return ok && user != "" && dot > 0 && wordy(user) && wordy(domain)
}

func hasDigit(v string) bool { return strings.ContainsAny(v, "0123456789") }

func hasLetter(v string) bool {
	for i := 0; i < len(v); i++ {
		if isLetter(v[i]) {
			return true
		}
	}
	return false
}

// isNumber also takes numbers with an exponent, which have a letter.
func isNumber(v string) bool { return strings.Trim(v, "0123456789+-.eE") == "" }

// random reports whether v looks made by a machine.
func random(v string) bool {
	return len(v) >= randomLength && hasLetter(v) && !isNumber(v) && !wordy(v) && entropy(v) >= randomBits
}
