package redact

import (
	"fmt"
	"strings"
)

// Secrets in these tests are made, never written down, so that no scanner of this repository finds one.

const (
	lettersDigits = "aZ3kQ9xV7bTn2LmR5wYc8JdH4gFs6PqE1uXo0KiGvB"
	hexDigits     = "3f9a1c7e5b2d8046"
)

// mixed is n characters that look random.
func mixed(n int) string { return strings.Repeat(lettersDigits, n/len(lettersDigits)+1)[:n] }

// hexOf is n characters of hex that look random.
func hexOf(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteByte(hexDigits[(i*7+i/16*3)%16])
	}
	return b.String()[:n]
}

func githubToken() string { return "ghp" + "_" + mixed(36) }

func slackToken() string {
	return "xox" + "b-" + strings.Repeat("12345678901", 2)[:12] + "-123456789012-" + mixed(24)
}

func jwt() string {
	return "eyJ" + "hbGciOiJIUzI1NiJ9" + "." + "eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0" + "." + mixed(43)
}

func pem(label string) string {
	line := mixed(42) + mixed(22)
	return fmt.Sprintf("-----%s %s-----\n%s\n%s\n%s\n-----%s %s-----",
		"BEGIN", label, line, line, line[:30]+"==", "END", label)
}
