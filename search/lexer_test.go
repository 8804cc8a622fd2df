package search

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestTerms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"words are stemmed, stop words kept as they are", "The settings were changing", "the set were chang"},
		{"irregular forms", "bought and written", "buy and write"},
		{"camel case", "userName HTTPServer iPhone", "user name usernam http server httpserver phone iphon"},
		{"snake and kebab case", "user_name gen-itgc __init__", "user name usernam gen itgc genitgc init"},
		{"ticket", "POL-358", "pol 358 pol358"},
		{"number with a dot stays apart from one without", "38.101 38101", "38 101 38ꞏ101 38101"},
		{"thousands", "1,000", "1 000 1000"},
		{"version", "v1.2.3", "1 v1 2 3 v1ꞏ2ꞏ3"},
		{"path by parts, file name and whole", "a/b/c.go", "a b c go cgo abcgo"},
		{"windows path", `C:\dir\x.go`, "c dir x go xgo dirxgo"},
		{"nested groups", "pkg/fileName.go", "pkg file name filenam go filenamego pkgfilenamego"},
		{"module path", "std::vector", "std vector stdvector"},
		{"flags and quotes", `"--error-on-warnings"`, "error on warn erroronwarn"},
		{"clitics", "Ana's don’t we'll O'Neill", "ana don we o neill oneil"},
		{"digits inside words", "sha256 k8s", "sha 256 sha256 8 k8s"},
		{"random letters stay whole", "aGVsbG8gd29ybGQxMjM", "agvsbg8gd29ybgqxmjm"},
		{"accents", "Café ÜBER Ångström straße", "cafe uber angstrom strass"},
		{"decomposed accents", "Cafe\u0301", "cafe"},
		{"greek and cyrillic", "Ώρα ΣΟΦΟΣ Ёлка", "ωρα σοφοσ елка"},
		{"full width", "ＡＰＩ４２", "api 42 api42"},
		{"one character", "猫", "猫"},
		{"pairs and single characters", "数据库", "数 数据 据 据库 库"},
		{"half width kana", "ﾊﾞｸﾞ", "バ バグ グ"},
		{"hangul", "데이터", "데 데이 이 이터 터"},
		{"thai vowels stay with their letter", "กี่", "กี่"},
		{"devanagari keeps its vowels", "हिन्दी", "हिन्दी"},
		{"identifier glued to Chinese", "重跑gen-itgc后清零", "重 重跑 跑 gen itgc genitgc 后 后清 清 清零 零"},
		{"emoji", "ship it 🚀👍🏽", "ship it emoji1f680 emoji1f44d emoji1f3fd"},
		{"flag", "🇪🇸", "emoji1f1ea1f1f8"},
		{"joined emoji", "👩\u200d💻", "emoji1f469 emoji1f4bb"},
		{"table borders are nothing", "┌──┐ ████ ⠋", ""},
		{"soft hyphen", "data\u00adbase", "databas"},
		{"not UTF-8", "a\xff\xfeb", "a b"},
		{"punctuation", `* ( ) -- ' "" ?!`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, n := termsOf(tt.text)
			if got != tt.want {
				t.Errorf("terms of %q\n got %q\nwant %q", tt.text, got, tt.want)
			}
			if n != len(strings.Fields(got)) {
				t.Errorf("counted %d terms in %q", n, got)
			}
		})
	}
}

func TestCaps(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("longword", 100)
	a, _ := termsOf(long + "a")
	b, _ := termsOf(long + "b")
	if len(a) != MaxTermBytes || a == b {
		t.Errorf("long words must be cut and stay apart: %q, %q", a, b)
	}
	wide, _ := termsOf(strings.Repeat("ж", 1000))
	if len(wide) > MaxTermBytes || !utf8.ValidString(wide) {
		t.Errorf("cut inside a character: %q", wide)
	}
	for _, text := range []string{
		strings.Repeat("word ", 30_000), strings.Repeat("字", 30_000), strings.Repeat("a/", 30_000), strings.Repeat("🚀", 30_000),
	} {
		if _, n := termsOf(text); n != MaxTerms {
			t.Errorf("%.6q…: %d terms, want %d", text, n, MaxTerms)
		}
	}
}

// checkTerm fails when term holds anything a store could take apart.
func checkTerm(t *testing.T, term string) {
	t.Helper()
	if term == "" || len(term) > MaxTermBytes || !utf8.ValidString(term) {
		t.Errorf("bad term %q", term)
	}
	for _, r := range term {
		ok := '0' <= r && r <= '9' || 'a' <= r && r <= 'z' ||
			r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r))
		if !ok {
			t.Errorf("term %q holds %q", term, r)
		}
	}
}
