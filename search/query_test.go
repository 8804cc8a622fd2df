package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, query, want string
		phrases           int
		when              bool
	}{
		{name: "stop words go", query: "What did the team decide about the retries?", want: "team decid retri"},
		{name: "only stop words stay", query: "to be or not", want: "to be or not"},
		{name: "each term once", query: "retry retries Retry", want: "retri"},
		{name: "a name that is a stop word", query: "what did Will say", want: "will say"},
		{name: "no name at the start", query: "Will it rain", want: "rain"},
		{name: "no name in capitals", query: "what WILL it cost", want: "cost"},
		{name: "pairs without single characters", query: "数据库 猫", want: "数据 据库 猫"},
		{name: "identifier", query: "gen-itgc", want: "gen itgc genitgc"},
		{name: "phrase", query: `said "out of memory" twice`, want: "say memori twice", phrases: 1},
		{name: "phrase of one word", query: `the "word"`, want: "word"},
		{name: "typographic quotes", query: "“cold start” «hot path»", want: "cold start hot path", phrases: 2},
		{name: "unclosed quote", query: `"cold start`, want: "cold start"},
		{name: "operators", query: "a AND b OR NOT c NEAR/2 d*", want: "b c near 2 near2"},
		{name: "asks for a time", query: "When did it break?", want: "break", when: true},
		{name: "asks for a duration", query: "how long was the outage", want: "long outag", when: true},
		{name: "a long way is no time", query: "the long outage", want: "long outag"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := Parse(tt.query)
			if got := strings.Join(p.Terms(), " "); got != tt.want {
				t.Errorf("terms %q, want %q", got, tt.want)
			}
			if len(p.phrases) != tt.phrases || p.when != tt.when {
				t.Errorf("phrases %q, when %v", p.phrases, p.when)
			}
		})
	}
}

func TestParseKeepsTheRarestTerms(t *testing.T) {
	t.Parallel()
	var query strings.Builder
	for i := range 200 {
		fmt.Fprintf(&query, "w%c%c ", 'a'+i%26, 'a'+i/26)
	}
	query.WriteString("POL-358 internationalisation")
	terms := Parse(query.String()).Terms()
	if len(terms) != MaxQueryTerms {
		t.Fatalf("%d terms", len(terms))
	}
	for _, want := range []string{"pol358", "internationalis"} {
		if !slices.Contains(terms, want) {
			t.Errorf("%s was dropped from %q", want, terms)
		}
	}
}

func TestZeroPlan(t *testing.T) {
	t.Parallel()
	var p Plan
	if !p.Empty() || p.Terms() != nil {
		t.Error("the zero plan asks for something")
	}
}
