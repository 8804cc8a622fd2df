package redact

import (
	"strings"
	"testing"
)

// X05: regions marked private were stored in the retry spool. The spool is fed through this gate; here is what the
// gate owes it.
func TestX05PrivateRegionsNeverPass(t *testing.T) {
	t.Parallel()
	const mark = "[redacted:private]"
	for _, tc := range []struct{ name, text, want string }{
		{"one", "a <private>plain words</private> b", "a " + mark + " b"},
		{"two", "<private>x</private>-<private>y</private>", mark + "-" + mark},
		{"lines", "a\n<private>\nx\ny\n</private>\nb", "a\n" + mark + "\nb"},
		{"case", "<Private>x</PRIVATE> b", mark + " b"},
		{"unterminated", "a <private>x\nand all the rest", "a " + mark},
		{"nested", "<private>a <private>b</private> c</private> d", mark + " d"},
		{"nested unterminated", "<private>a <private>b</private> c", mark},
		{"empty", "a<private></private>b", "a" + mark + "b"},
		{"close only", "a </private> b", "a </private> b"},
		{"other tag", "<privately>x</privately>", "<privately>x</privately>"},
		{"with a key inside", "<private>" + githubToken() + "</private>", mark},
		{"non-ASCII", "é<private>ü</private>ñ", "é" + mark + "ñ"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := Text(tc.text).Text; got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	out, _, err := JSON([]byte(`{"m":"a \u003cprivate>x\u003c/private\u003e b"}`))
	if want := `{"m":"a ` + mark + ` b"}`; err != nil || string(out) != want {
		t.Errorf("JSON: got %s, %v, want %s", out, err, want)
	}
}

func TestPrivateKeys(t *testing.T) {
	t.Parallel()
	for _, label := range []string{"PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY",
		"ENCRYPTED PRIVATE KEY", "PGP PRIVATE KEY BLOCK"} {
		key := pem(label)
		for name, text := range map[string]string{
			"whole":         key,
			"written lines": strings.ReplaceAll(key, "\n", `\n`),
			"indented":      "key: |\n  " + strings.ReplaceAll(key, "\n", "\n  "),
			"numbered":      strings.ReplaceAll(key, "\n", "\n    12\t"),
		} {
			if got := removed(t, "x\n"+text+"\nwords after", mixed(30), rulePEM).Text; !strings.Contains(got, "words after") {
				t.Errorf("%s %s: took the words after: %q", label, name, got)
			}
		}
		cut := key[:len(key)-60]
		if got := removed(t, cut+"\n\nwords after.", mixed(30), rulePEM).Text; !strings.Contains(got, "words after.") {
			t.Errorf("%s cut: took the words after: %q", label, got)
		}
	}
	stays(t, pem("CERTIFICATE"))
	stays(t, pem("PUBLIC KEY"))
	stays(t, "It starts with -----BEGIN PRIVATE KEY----- and has an -----END PRIVATE KEY----- line.")
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, want string }{
		{"redis://:h4ck@r:6379", "redis://:[redacted:url-password]@r:6379"},
		{"amqp://u:p@ss@h/v", "amqp://u:[redacted:url-password]@h/v"},
		{"mongodb+srv://u:a%40b/c@h.example/x?y=1", "mongodb+srv://u:[redacted:url-password]@h.example/x?y=1"},
		{"<https://u:pw1@h/>, see", "<https://u:[redacted:url-password]@h/>, see"},
		{"https://" + mixed(30) + "@h/", "https://[redacted:url-password]@h/"},
		{"https://h:8080/x?mail=a@b.c", "https://h:8080/x?mail=a@b.c"},
		{"https://user@h/", "https://user@h/"},
	} {
		if got := Text(tc.text).Text; got != tc.want {
			t.Errorf("Text(%q)\n got %q\nwant %q", tc.text, got, tc.want)
		}
	}
}
