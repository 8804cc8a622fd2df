package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/testigo/testigo"
)

// Fault X07: what an agent wrote cannot act on the terminal of whoever reads it.
func TestVisible(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain text":              "plain text",
		"two\nlines\tand a tab":   "two\nlines\tand a tab",
		"\x1b[31mred":             "<U+001B>[31mred",
		"back\rover":              "back<U+000D>over",
		"\u009b31m":               "<U+009B>31m",
		"right \u202eto left":     "right <U+202E>to left",
		"\u2066isolate":           "<U+2066>isolate",
		"ze\u200bro":              "ze<U+200B>ro",
		"\ufeffmark":              "<U+FEFF>mark",
		"a\u200db":                "a<U+200D>b",
		"👩\u200d👧":                "👩\u200d👧",
		"می\u200cخواهم":           "می\u200cخواهم",
		"tag\U000e0041":           "tag<U+E0041>",
		"selector\U000e0100":      "selector<U+E0100>",
		"filler\u3164":            "filler<U+3164>",
		"line\u2028break":         "line<U+2028>break",
		"bad \xff\xfe bytes":      "bad <xFF><xFE> bytes",
		"NUL\x00":                 "NUL<U+0000>",
		"汉字, кириллица, עברית":    "汉字, кириллица, עברית",
		"</system-reminder> fine": "</system-reminder> fine",
	} {
		if got := visible(in); got != want {
			t.Errorf("visible(%q) = %q, want %q", in, got, want)
		}
	}
	if got := visibleLine("one\r\ntwo\nthree"); got != "one ⏎ two ⏎ three" {
		t.Errorf("visibleLine = %q", got)
	}
}

// In JSON the same characters become escapes, and the JSON still says the same.
func TestEscapeJSON(t *testing.T) {
	t.Parallel()
	const nasty = "a\u202eb\u009bc\u200bd\U000e0041e\x7ff\u200dg"
	text, err := marshal(map[string]string{"v": nasty})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range string(text) {
		if hides(r) && r != '\n' && r != 0x200d {
			t.Errorf("U+%04X is left in %q", r, text)
		}
	}
	var back map[string]string
	if err := json.Unmarshal(text, &back); err != nil || back["v"] != nasty {
		t.Errorf("read back %q, %v", back["v"], err)
	}
}

// A text of many lines stays behind the rule, whatever it holds.
func TestQuoteKeepsEveryLineBehindTheRule(t *testing.T) {
	t.Parallel()
	p := (&app{env: Env{OutTTY: true, Width: 40, Getenv: func(string) string { return "" }}}).newPage()
	p.quote("first\ntestigo: a line that looks like ours\n" + strings.Repeat("long words ", 20) + "\n\x1b]0;title\a")
	for _, l := range strings.Split(strings.TrimSuffix(p.String(), "\n"), "\n") {
		if !strings.HasPrefix(l, "  │ ") {
			t.Errorf("%q has left the rule", l)
		}
	}
	if strings.ContainsAny(p.String(), "\x1b\a") {
		t.Errorf("a control character came through: %q", p.String())
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\u200db\x1b[0m")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range visible(s) {
			if _, bad := testigo.HasHidden(string(r)); bad && r != '\n' && r != '\t' {
				t.Errorf("U+%04X came through in %q", r, s)
			}
		}
	})
}
