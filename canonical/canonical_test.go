package canonical_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/canonical"
)

// The vectors that docs/format.md prints: a second implementation must agree with each.
func TestVectors(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		` { "b" : 1 , "a" : [ true , null ] } `: `{"a":[true,null],"b":1}`,
		`1.0`:                                   `1.0`,
		`1E+2`:                                  `1E+2`,
		`-0`:                                    `-0`,
		`123456789012345678901234.5`:            `123456789012345678901234.5`,
		`"\u0041\u00e9\/\u000a"`:                `"Aé/\n"`,
		`"\ud83d\ude00"`:                        `"😀"`,
		`{"\ufb33":1,"\ud83d\ude00":2,"a":3,"1":4}`: "{\"1\":4,\"a\":3,\"😀\":2,\"\ufb33\":1}",
	} {
		got, err := canonical.Value("value", []byte(in))
		if err != nil || string(got) != want {
			t.Errorf("%s → %s (%v), want %s", in, got, err, want)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"empty": "", "blank": " \n", "cut": `{"a":`, "two": `1 1`, "duplicate": `{"a":1,"\u0061":2}`, "surrogate": `"\udc00"`,
		"bytes": "\"\xff\"", "deep": strings.Repeat("[", 65) + strings.Repeat("]", 65), "number": "0." + strings.Repeat("1", 1000),
		"comment": `1 // x`, "nan": `NaN`, "plus": `+1`, "control": "\"\x01\"", "bom": "\ufeff1", "trailing": `[1,]`,
	} {
		if got, err := canonical.Value("value", []byte(in)); testigo.CodeOf(err) != testigo.CodeInvalid {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	if _, err := canonical.Value("value", []byte(strings.Repeat("[", 64)+strings.Repeat("]", 64))); err != nil {
		t.Errorf("64 levels are allowed: %v", err)
	}
}

// The worked example of docs/format.md: every byte of a body and both hashes.
func TestBodyVector(t *testing.T) {
	t.Parallel()
	salt := []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	v := testigo.Version{
		Name: testigo.Name{Project: "/src/app", Scope: "service/payments", Key: "timeout"}, Number: 1,
		Value: json.RawMessage(`{"seconds":30}`), Tags: []string{"ops"}, Author: "scout",
		Sources:   []testigo.Source{{Path: "conf/app.yml", SHA256: strings.Repeat("ab", 32)}, {Commit: "41ce9aa"}},
		CreatedAt: time.Date(2026, 3, 1, 9, 0, 0, 120e6, time.UTC),
	}
	body := canonical.Body(v)
	hash := testigo.BodyHash(salt, body)
	link := testigo.LinkHash(testigo.Hash{}, hash)
	doc, err := os.ReadFile("../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{"body": string(body), "body hash": hash.String(), "hash": link.String(), "salt": hex.EncodeToString(salt)} {
		if !strings.Contains(string(doc), text) {
			t.Errorf("docs/format.md does not show the %s\n%s", what, text)
		}
	}
	if !json.Valid(body) {
		t.Error("the body is not JSON")
	}
	again, err := canonical.Value("body", body)
	if err != nil || string(again) != string(body) {
		t.Errorf("the body is not canonical: %s %v", again, err)
	}
}

// Canonical JSON is a fixed point, stays valid, and refuses or keeps: it never panics.
func FuzzValue(f *testing.F) {
	for _, s := range []string{`{"b":1,"a":[1.0,"x"]}`, `"\ud83d\ude00"`, `[[[]]]`, `-0.0e-0`, "\"\u2028\"", `{"":{}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out, err := canonical.Value("value", in)
		if err != nil {
			if testigo.CodeOf(err) != testigo.CodeInvalid {
				t.Fatalf("%q: %v", in, err)
			}
			return
		}
		if !json.Valid(out) {
			t.Fatalf("%q became %q", in, out)
		}
		again, err := canonical.Value("value", out)
		if err != nil || string(again) != string(out) {
			t.Fatalf("%q → %q → %q, %v", in, out, again, err)
		}
	})
}
