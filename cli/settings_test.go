package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/testigo/testigo"
)

func appWith(env map[string]string, g globalOptions) *app {
	return &app{global: g, env: Env{OS: "linux", Getenv: func(k string) string { return env[k] },
		Dir: func() (string, error) { return "/srv/work", nil }, Login: func() string { return `OFFICE\Ana María` }}}
}

func TestStoreIsDecided(t *testing.T) {
	t.Parallel()
	all := map[string]string{"HOME": "/home/ana", "TESTIGO_DB": "/t.db", "HANDOFFS_DB": "/h.db", "MEMORY_DB": "/m.db"}
	without := func(names ...string) map[string]string {
		env := map[string]string{}
		for k, v := range all {
			env[k] = v
		}
		for _, n := range names {
			env[n] = ""
		}
		return env
	}
	for _, c := range []struct {
		env  map[string]string
		flag string
		path string
		from string
		flat bool
	}{
		{all, "x.db", "/srv/work/x.db", "--db", false},
		{all, "", "/t.db", "TESTIGO_DB", false},
		{without("TESTIGO_DB"), "", "/h.db", "HANDOFFS_DB", false},
		{without("TESTIGO_DB", "HANDOFFS_DB"), "", "/m.db", "MEMORY_DB", true},
		{without("TESTIGO_DB", "HANDOFFS_DB", "MEMORY_DB"), "", "/home/ana/.local/share/testigo/testigo.db", "the default", false},
	} {
		p, err := appWith(c.env, globalOptions{DB: c.flag}).store()
		if err != nil || p.Value != filepath.FromSlash(c.path) || p.From != c.from || p.Flat != c.flat {
			t.Errorf("got %+v, %v; want %s from %s, flat %v", p, err, c.path, c.from, c.flat)
		}
	}
}

func TestDataDirPerSystem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		os   string
		env  map[string]string
		want string
	}{
		{"linux", map[string]string{"HOME": "/home/ana"}, "/home/ana/.local/share"},
		{"linux", map[string]string{"HOME": "/home/ana", "XDG_DATA_HOME": "/data"}, "/data"},
		{"linux", map[string]string{"HOME": "/home/ana", "XDG_DATA_HOME": "relative"}, "/home/ana/.local/share"},
		{"darwin", map[string]string{"HOME": "/Users/ana"}, "/Users/ana/Library/Application Support"},
		{"windows", map[string]string{"LOCALAPPDATA": "/C/Local"}, "/C/Local"},
		{"windows", map[string]string{"USERPROFILE": "/C/Users/ana"}, "/C/Users/ana/AppData/Local"},
	} {
		e := Env{OS: c.os, Getenv: func(k string) string { return c.env[k] }}
		if got, err := e.dataDir(); err != nil || filepath.ToSlash(got) != c.want {
			t.Errorf("%s %v: %q, %v; want %q", c.os, c.env, got, err, c.want)
		}
	}
	e := Env{OS: "linux", Getenv: func(string) string { return "" }}
	if _, err := e.dataDir(); testigo.CodeOf(err) != testigo.CodeUnreachable {
		t.Errorf("without a home: %v", err)
	}
}

// Whatever the system calls a person, the name is one that an agent may have.
func TestLoginName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"kit": "kit", `OFFICE\kit`: "kit", "kit two": "kit-two", "kit@example.org": "kit@example.org",
		"": "unknown", "…": "unknown", "-x-": "x", "Ünal": "nal", strings.Repeat("a", 300): strings.Repeat("a", 64)} {
		got := loginName(in)
		if got != want {
			t.Errorf("loginName(%q) = %q, want %q", in, got, want)
		}
		if err := testigo.CheckAgentName("as", testigo.PersonPrefix+got); err != nil {
			t.Errorf("loginName(%q): %v", in, err)
		}
	}
}

func TestServerNeedsAnAgent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env     map[string]string
		as, arg string
		want    string
	}{
		{nil, "", "reviewer", "reviewer"},
		{nil, "reviewer", "", "reviewer"},
		{nil, "reviewer", "reviewer", "reviewer"},
		{map[string]string{"AGENT_ID": "reviewer"}, "", "", "reviewer"},
		{map[string]string{"AGENT_ID": "other"}, "", "reviewer", "reviewer"},
		{nil, "", "", ""},
		{nil, "other", "reviewer", ""},
		{nil, "", "person:keeper", ""},
		{map[string]string{"TESTIGO_AGENT": "service:engine"}, "", "", ""},
		{nil, "", "two words", ""},
	} {
		d, err := appWith(c.env, globalOptions{As: c.as}).serverAgent(c.arg)
		switch {
		case c.want == "" && testigo.CodeOf(err) != testigo.CodeInvalid:
			t.Errorf("%+v: got %v, want a usage error", c, err)
		case c.want != "" && (err != nil || d.Value != c.want):
			t.Errorf("%+v: got %q, %v", c, d.Value, err)
		}
	}
}

func TestSession(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"": "", "1111-2222": "1111-2222", "with\nbreak": "", strings.Repeat("x", 201): "", "\xff": ""} {
		if got := appWith(map[string]string{"CLAUDE_CODE_SESSION_ID": value}, globalOptions{}).session().Value; got != want {
			t.Errorf("session %q = %q, want %q", value, got, want)
		}
	}
}

// Colours are for a terminal that wants them.
func TestColour(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tty, off bool
		env      map[string]string
		want     bool
	}{
		{true, false, nil, true},
		{false, false, nil, false},
		{true, true, nil, false},
		{true, false, map[string]string{"NO_COLOR": "1"}, false},
		{true, false, map[string]string{"NO_COLOR": ""}, true},
		{true, false, map[string]string{"TERM": "dumb"}, false},
	} {
		e := Env{OutTTY: c.tty, Getenv: func(k string) string { return c.env[k] }}
		if got := e.colour(c.off); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
