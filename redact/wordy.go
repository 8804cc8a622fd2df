package redact

const (
	// wordLength is the longest word that passes as one, in bytes; "internationalization" has 20.
	wordLength = 20
	// consonants is the longest run of them that a word has; "Angstschrei" has 7.
	consonants = 7
)

// wordy reports whether v consists of words and numbers, as names, titles, versions and identifiers in code do.
func wordy(v string) bool {
	words, mixed, odd := 0, 0, 0
	for at := 0; at < len(v); {
		end := at
		for end < len(v) && (isLetter(v[end]) || isDigit(v[end])) {
			end++
		}
		if end == at {
			at++
			continue
		}
		switch partOf(v[at:end]) {
		case partWord:
			words++
		case partMixed:
			mixed++
		case partOdd:
			odd++
		case partRandom:
			return false
		}
		at = end
	}
	// "sha256", "gpt-4o" and "x86_64" are words for our purpose; license keys are made of nothing else.
	return mixed+odd <= 2 && (odd == 0 || odd == 1 && words > 0)
}

type part uint8

const (
	partNumber part = iota
	partWord
	partMixed  // letters, then a few digits
	partOdd    // short and neither
	partRandom // long and neither
)

func partOf(p string) part {
	letters := 0
	for letters < len(p) && isLetter(p[letters]) {
		letters++
	}
	digits := letters
	for digits < len(p) && isDigit(p[digits]) {
		digits++
	}
	switch {
	case letters == len(p):
		if plainWord(p) {
			return partWord
		}
		return partRandom
	case digits == len(p) && letters == 0:
		return partNumber
	case digits == len(p) && digits-letters <= 4 && plainWord(p[:letters]):
		return partMixed
	case len(p) <= 6:
		return partOdd
	}
	return partRandom
}

// plainWord reports whether letters read like words, one or several with humps between them.
func plainWord(p string) bool {
	humps, length, run := 1, 0, 0
	for i := 0; i < len(p); i++ {
		if i > 0 && startsHump(p, i) {
			humps++
			length, run = 0, 0
		}
		length++
		switch lower(p[i]) {
		case 'a', 'e', 'i', 'o', 'u', 'y':
			run = 0
		default:
			if p[i] < 0x80 {
				run++
			}
		}
		if length > wordLength && p[i] < 0x80 || run > consonants {
			return false
		}
	}
	return humps <= 2 || len(p) >= 3*humps
}

// startsHump reports whether a new word starts at p[i]: "requestToken" at the T, "HTTPServer" at the S.
func startsHump(p string, i int) bool {
	upper := func(c byte) bool { return 'A' <= c && c <= 'Z' }
	if !upper(p[i]) {
		return false
	}
	return !upper(p[i-1]) || i+1 < len(p) && !upper(p[i+1])
}
