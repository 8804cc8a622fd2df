package redact

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

func seeds() []string {
	return []string{
		"", "plain words", githubToken(), "token: " + mixed(40), pem("PRIVATE KEY"), "(" + jwt() + ")",
		"a <private>b <private>c</private> d", "postgres://u:p@ss/w@h/db", "password=\"P@ss" + "word1\"", "[redacted:jwt]",
		"[redacted:[redacted:jwt]" + githubToken() + "]", "Authorization: Bearer " + mixed(20), "contraseña: " + mixed(30),
		"kind: Secret\ndata:\n a: " + mixed(24) + "\n b: " + mixed(24), "{\"token\":\"" + mixed(20) + "\"}", "\xff token=\xfe" + mixed(20),
		"curl -u user:" + mixed(20) + " https://h", "-----BEGIN PRIVATE KEY-----\\n" + mixed(64), "token=token=token='",
		"é\u212aey s\u017fecret: " + mixed(20), "password is \"" + mixed(12) + "\\\"", "://:@", "a://b:c@", ".ey.ey.",
	}
}

func FuzzText(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		res := Text(s)
		if utf8.ValidString(s) && !utf8.ValidString(res.Text) {
			t.Errorf("no longer UTF-8: %q to %q", s, res.Text)
		}
		if res.Removed < 0 || res.Removed > len(s) || (res.Total() == 0) != (res.Text == s) || (res.Removed == 0) != (res.Total() == 0) {
			t.Errorf("the books are wrong: %q to %+v", s, res)
		}
		if again := Text(res.Text); again.Text != res.Text || again.Total() != 0 {
			t.Errorf("not stable: %q to %q to %q", s, res.Text, again.Text)
		}
		Whole(s)
		IgnoredFile(s)
	})
}

func FuzzJSON(f *testing.F) {
	for _, s := range seeds() {
		value, _ := json.Marshal(s)
		f.Add(`{"token":` + string(value) + `,"a":[` + string(value) + `,1.50]}`)
		f.Add(`{` + string(value) + `:1}`)
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out, res, err := JSON([]byte(s))
		if _, _, werr := WholeJSON([]byte(s)); (err == nil) != (werr == nil) {
			t.Fatalf("JSON says %v, WholeJSON %v", err, werr)
		}
		if err != nil {
			return
		}
		if !jsontext.Value(out).IsValid(jsontext.AllowDuplicateNames(true)) {
			t.Fatalf("no longer JSON: %q to %q", s, out)
		}
		if jsontext.Value(s).IsValid() && !jsontext.Value(out).IsValid() {
			t.Fatalf("names are no longer unique: %q to %q", s, out)
		}
		if res.Total() == 0 && strings.Compare(string(out), s) != 0 {
			t.Fatalf("changed without a finding: %q to %q", s, out)
		}
		if again, res, err := JSON(out); err != nil || string(again) != string(out) || res.Total() != 0 {
			t.Fatalf("not stable: %q to %q to %q, %v", s, out, again, err)
		}
	})
}
