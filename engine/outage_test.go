package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/testigo/testigo/engine"
)

func parse(t *testing.T, s string) engine.GuardConfig {
	t.Helper()
	c, err := engine.ParseGuard([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const custom = `{"url":"https://x.example/s.json","components":["API","CLI"],"incident_keyword":"api"}`

func TestOutageGuard(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ id, page, want string }{
		{"O1", `{"components":[{"name":"api","status":"Major Outage"}]}`, "api"},
		{"O1", `{"components":[{"name":"API","status":"full-outage"}]}`, "API"},
		{"O2", `{"components":[{"name":"API","status":"partial_outage"},{"name":"Other","status":"major_outage"}]}`, ""},
		{"O3", `{"components":[{"name":"API","status":"major_outage"}],"incidents":[{"name":"API trouble","status":"monitoring"}]}`, ""},
		{"O3", `{"components":[{"name":"API","status":"major_outage"}],"incidents":[{"name":"x","status":"resolved","components":[{"name":"API"}]}]}`, ""},
		{"O3", `{"components":[{"name":"API","status":"major_outage"}],"incidents":[{"name":"api","status":"investigating"}]}`, "API"},
		{"O3", `{"components":[{"name":"API","status":"major_outage"}],"incidents":[{"name":"weather","status":"resolved"}]}`, "API"},
		{"O3 all components", `{"components":[{"name":"API","status":"major_outage"},{"name":"CLI","status":"major_outage"}],
			"incidents":[{"name":"x","status":"resolved","components":[{"name":"API"}]}]}`, "CLI"},
		{"O4", `nonsense`, ""}, {"O4", `[]`, ""}, {"O4", ``, ""}, {"O4", `{"components":"none"}`, ""},
		{"O10", `{"components":[{"name":"API","status":"major_outage"},{"name":"CLI","status":"major_outage"}]}`, "API, CLI"},
	} {
		got := parse(t, custom).Down([]byte(c.page))
		if c.want == "" && got != "" || !strings.HasSuffix(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: %q, want %q", c.id, got, c.want)
		}
	}
	// O6, O7: shapes and presets.
	if c := parse(t, `{"preset":"openai-codex"}`); !c.For("codex") || c.For("claude-code") || c.Life() != time.Minute || !strings.Contains(c.URL, "openai") {
		t.Errorf("O7: %+v", c)
	}
	if c := parse(t, custom); !c.For("anything") {
		t.Error("a custom guard of the old shape is for all providers")
	}
	// O8 and the rest of O6.
	for _, bad := range []string{`{"url":"ftp://x","components":["a"]}`, `{"url":"https://x","components":[]}`, `{"preset":"nobody"}`,
		`{"url":"https://x","components":["a"],"more":1}`, `{}`, `[]`, `{"preset":"openai","url":"https://x"}`} {
		if _, err := engine.ParseGuard([]byte(bad)); err == nil {
			t.Errorf("O6, O8: %s was accepted", bad)
		}
	}
}

// O5 and O4: answers are kept for their time, failed ones too; asking never waits.
func TestGuardKeepsAnswers(t *testing.T) {
	t.Parallel()
	c := newClock()
	n, fail := 0, false
	g := &engine.Guard{Clock: c.Now, Fetch: func(context.Context, string) ([]byte, error) {
		if n++; fail {
			return nil, errors.New("no answer")
		}
		return []byte(`{"components":[{"name":"API","status":"major_outage"}]}`), nil
	}}
	g.Set([]engine.GuardConfig{parse(t, custom)})
	ask := func(want bool) {
		t.Helper()
		if got := g.Reason("demo") != ""; got != want {
			t.Fatalf("held is %t", got)
		}
		g.Wait()
	}
	ask(false) // fetched now, known at the next look
	ask(true)
	if n != 1 {
		t.Fatal(n)
	}
	fail = true
	c.move(time.Minute)
	ask(true)
	ask(false)
	if n != 2 {
		t.Fatal(n)
	}
}
