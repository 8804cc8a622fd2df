package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/redact"
)

// NewName makes a fact's name from what a caller wrote: Unicode NFC first, then the rules of the root package.
func NewName(project, scope, key string) (testigo.Name, error) {
	return testigo.NewName(project, norm.NFC.String(scope), norm.NFC.String(key))
}

// OneLine checks a one-line text: required, valid UTF-8, at most limit characters, no line breaks or hidden characters.
func OneLine(field, s string, limit int) (string, error) {
	s = norm.NFC.String(strings.TrimSpace(s))
	if err := bounded(field, s, limit); err != nil {
		return "", err
	}
	if r, bad := testigo.HasHidden(s); bad {
		return "", testigo.Invalid(field, "must be one line without control or direction characters (found U+%04X)", r)
	}
	return s, nil
}

// Prose checks a longer text: line breaks and tabs are welcome, other control characters and those that turn the
// direction of a line around are not.
func Prose(field, s string, limit int) (string, error) {
	s = strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n"))
	if err := bounded(field, s, limit); err != nil {
		return "", err
	}
	for _, r := range s {
		if r == '\n' || r == '\t' {
			continue
		}
		if unicode.IsControl(r) || (r >= 0x202a && r <= 0x202e) || (r >= 0x2066 && r <= 0x2069) {
			return "", testigo.Invalid(field, "contains the control or direction character U+%04X", r)
		}
	}
	return s, nil
}

func bounded(field, s string, limit int) error {
	switch {
	case !utf8.ValidString(s):
		return testigo.Invalid(field, "must be valid UTF-8")
	case s == "":
		return testigo.Invalid(field, "is required")
	case utf8.RuneCountInString(s) > limit:
		return testigo.Invalid(field, "has %d characters; at most %d are allowed", utf8.RuneCountInString(s), limit)
	}
	return nil
}

// Redacted counts what the gate removed, by rule.
type Redacted []redact.Finding

// Gate passes texts through redaction and adds up what was removed.
type Gate struct{ found map[string]int }

// Text redacts s. A text whose secret is its whole point is refused under the argument name field.
func (g *Gate) Text(field, s string) (string, error) {
	r := redact.Text(s)
	if r.Total() == 0 {
		return r.Text, nil
	}
	if rule, whole := redact.Whole(s); whole {
		return "", secretRefused(field, rule)
	}
	g.add(r.Findings)
	return r.Text, nil
}

// Mask redacts s whatever it consists of: for texts that nobody wrote on purpose, such as a file's name.
func (g *Gate) Mask(s string) string {
	r := redact.Text(s)
	g.add(r.Findings)
	return r.Text
}

// JSON redacts the strings of a JSON value, or refuses it.
func (g *Gate) JSON(field string, raw []byte) ([]byte, error) {
	out, r, err := redact.JSON(raw)
	if err != nil {
		return nil, testigo.Invalid(field, "is not valid JSON")
	}
	if r.Total() == 0 { // nothing was found, so nothing of it is a secret as a whole
		return out, nil
	}
	rule, whole, err := redact.WholeJSON(raw)
	if err != nil {
		return nil, testigo.Invalid(field, "is not valid JSON")
	}
	if whole {
		return nil, secretRefused(field, rule)
	}
	g.add(r.Findings)
	return out, nil
}

// Clean refuses a name, tag or reference that holds a secret: such a text cannot be kept with a hole in it.
func (g *Gate) Clean(field, s string) error {
	if r := redact.Text(s); r.Total() > 0 {
		return secretRefused(field, r.Findings[0].Rule)
	}
	return nil
}

func (g *Gate) add(fs []redact.Finding) {
	if len(fs) > 0 && g.found == nil {
		g.found = map[string]int{}
	}
	for _, f := range fs {
		g.found[f.Rule] += f.Count
	}
}

// Found lists what was removed, by rule name.
func (g *Gate) Found() Redacted {
	var out Redacted
	for _, rule := range sortedKeys(g.found) {
		out = append(out, redact.Finding{Rule: rule, Count: g.found[rule]})
	}
	return out
}

func secretRefused(field, rule string) error {
	return &testigo.Error{Code: testigo.CodeRefused, Field: field,
		Msg:  "looks like a secret (" + rule + "); secrets are not kept, and nothing was written",
		Next: "store where the secret can be found, not the secret"}
}
