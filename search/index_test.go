package search

import (
	"strings"
	"testing"

	"github.com/testigo/testigo"
)

func TestIndexHoldsEveryPart(t *testing.T) {
	t.Parallel()
	v := testigo.Version{
		Name: testigo.Name{Project: "p", Scope: "listing/482", Key: "askingPrice"},
		Tags: []string{"Real-Estate", "düsseldorf"},
		Value: []byte(`{"amount":1.50e3,"neg":-7,"sold":true,"note":null,"deep":[{"currency":"EU\u0052 \"gross\""}],` +
			`"a-word":"line\nbreak"}`),
	}
	text := Index(v, nil)
	for _, query := range []string{
		"listing", "482", "asking", "price", "askingPrice", "real", "estate", "real-estate", "dusseldorf", "amount", "1.50e3",
		"7", "currency", "eur", "gross", "a-word", "break",
	} {
		if !found(text, query) {
			t.Errorf("not found by %q: %q", query, text.Body)
		}
	}
	for _, query := range []string{"true", "null", "nbreak", "u0052"} {
		if found(text, query) {
			t.Errorf("found by %q: %q", query, text.Body)
		}
	}
	if text.Context != "" {
		t.Errorf("context %q of a fact without a past", text.Context)
	}
	for _, term := range strings.Fields(text.Filter + " " + text.Body) {
		checkTerm(t, term)
	}
	if got, want := len(strings.Fields(text.Filter)), 3+2; got != want {
		t.Errorf("%d filter terms, want %d", got, want)
	}
	for _, tag := range []string{"real-estate", "REAL-ESTATE", "DÜSSELDORF"} {
		if !strings.Contains(text.Filter, TagTerm(tag)) {
			t.Errorf("no filter term for tag %s", tag)
		}
	}
	if strings.Contains(text.Filter, TagTerm("real")) {
		t.Error("a part of a tag filters")
	}
}

func TestIndexOfAnErasedVersion(t *testing.T) {
	t.Parallel()
	got := Index(testigo.Version{Name: testigo.Name{Scope: "s", Key: "left-over"}}, nil)
	if got.Body != "leav over leftov s" {
		t.Errorf("body %q", got.Body)
	}
}

func TestIndexReadsBrokenValues(t *testing.T) {
	t.Parallel()
	for _, value := range []string{`"`, `"a\`, `{"x":"\ud800"}`, `{{{`, `"tail`, `-`, `1e`} {
		text := Index(testigo.Version{Name: testigo.Name{Scope: "s", Key: "k"}, Value: []byte(value)}, nil)
		for _, term := range strings.Fields(text.Body) {
			checkTerm(t, term)
		}
	}
}

func TestContextIsTheTwoFactsBefore(t *testing.T) {
	t.Parallel()
	long := testigo.IndexText{Body: strings.TrimSpace(strings.Repeat("the filler ", 500))}
	got := Index(testigo.Version{Name: testigo.Name{Scope: "s", Key: "k"}},
		[]testigo.IndexText{{Body: "newest of all", Context: "older"}, long, {Body: "third"}}).Context
	words := strings.Fields(got)
	if len(words) != 1+contextTerms || words[0] != "newest" || words[1] != "filler" {
		t.Errorf("context has %d terms: %.60q", len(words), got)
	}
}

// A value that fills the body leaves its fact findable by name.
func TestScopeOfALargeValue(t *testing.T) {
	t.Parallel()
	value := `"` + strings.Repeat("word ", 40_000) + `"`
	text := Index(testigo.Version{Name: testigo.Name{Scope: "far/away", Key: "huge"}, Value: []byte(value)}, nil)
	for _, query := range []string{"huge", "far", "away"} {
		if !found(text, query) {
			t.Errorf("not found by %s", query)
		}
	}
}
