package search

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/testigo/testigo"
)

// fact indexes text as the value of one fact.
func fact(text string) testigo.IndexText {
	value, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return Index(testigo.Version{Name: testigo.Name{Project: "p", Scope: "notes", Key: "one"}, Value: value}, nil)
}

// found reports whether a store would find text by query: at least one term of it is in the body.
func found(text testigo.IndexText, query string) bool {
	for _, term := range Parse(query).Terms() {
		if containsRun(text.Body, " "+term+" ") {
			return true
		}
	}
	return false
}

// F01: a hyphen in a query was taken for an operator.
func TestF01HyphenIsText(t *testing.T) {
	t.Parallel()
	text := fact("POL-358 is a state-of-the-art pre-edit-check")
	for query, whole := range map[string]string{
		"POL-358": "pol358", "state-of-the-art": "stateoftheart", "pre-edit-check": "preeditcheck",
	} {
		terms := Parse(query).Terms()
		if !found(text, query) || terms[len(terms)-1] != whole {
			t.Errorf("%s: terms %q, want %s among them and found in %q", query, terms, whole, text.Body)
		}
	}
}

// F02: unbalanced quotes, dashes and stars broke the query.
func TestF02AnyTextIsAQuery(t *testing.T) {
	t.Parallel()
	for query, empty := range map[string]bool{
		`"--error-on-warnings"`: false, `"unclosed`: false, "a AND": false, "NEAR(": false, "body:x": false, "path/to/x.go": false,
		"'": true, "--": true, "*": true, "(": true, "": true, strings.Repeat(" ", 10_000): true, `""`: true, "\x00": true,
	} {
		plan := Parse(query)
		if plan.Empty() != empty {
			t.Errorf("Parse(%.20q).Empty() = %v; terms %q", query, plan.Empty(), plan.Terms())
		}
		for _, term := range plan.Terms() {
			checkTerm(t, term)
		}
	}
	if !found(fact("build with --error-on-warnings"), `"--error-on-warnings"`) {
		t.Error("a quoted flag is not found")
	}
}

// F04: Chinese, Japanese and Korean sentences were one token.
func TestF04WordsInsideASentence(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, queries string }{
		{"我们决定把数据库迁移推迟到下周一", "数据 迁移 数据库迁 推迟到下 库"},
		{"データベースの移行は来週の月曜日に延期されました", "移行 来週 データベース 月曜日に 延"},
		{"데이터베이스이전을다음주월요일로미뤘습니다", "이전 다음 데이터베 월요일로 주"},
		{"ฐานข้อมูลถูกย้ายแล้ว", "ข้อมูล ย้าย"},
	} {
		text := fact(tt.text)
		for query := range strings.FieldsSeq(tt.queries) {
			if !found(text, query) {
				t.Errorf("%s is not found by %s: %q", tt.text, query, Parse(query).Terms())
			}
		}
		if found(text, "天气") || found(text, "tiger") {
			t.Errorf("%s is found by words it does not hold", tt.text)
		}
	}
}

// F05: an identifier without spaces around it was missed between Chinese characters.
func TestF05IdentifierGluedToChinese(t *testing.T) {
	t.Parallel()
	text := fact("重跑gen-itgc后清零")
	for _, query := range []string{"itgc", "gen-itgc", "GEN_ITGC", "清零"} {
		if !found(text, query) {
			t.Errorf("not found by %s: %q", query, text.Body)
		}
	}
}

// F10: a prefix matched names of another project, and names that only begin alike.
func TestF10PrefixStaysInItsProject(t *testing.T) {
	t.Parallel()
	v := testigo.Version{Name: testigo.Name{Project: "y", Scope: "release-10/notes", Key: "k"}}
	filter := strings.Fields(Index(v, nil).Filter)
	has := func(term string) bool {
		for _, f := range filter {
			if f == term {
				return true
			}
		}
		return false
	}
	for _, prefix := range []string{"", "release-10", "release-10/notes"} {
		if !has(ScopeTerm("y", prefix)) {
			t.Errorf("not below %q of its project", prefix)
		}
		if has(ScopeTerm("x", prefix)) || has(ScopeTerm(testigo.NoProject, prefix)) {
			t.Errorf("below %q of another project", prefix)
		}
	}
	for _, prefix := range []string{"release-1", "release-10/", "release-10/note", "release-10/notes/k"} {
		if has(ScopeTerm("y", prefix)) {
			t.Errorf("below %q, which is no scope of it", prefix)
		}
	}
}
