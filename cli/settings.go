package cli

import (
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/testigo/testigo"
)

// decided is a setting together with what decided it, for whoami and doctor.
type decided struct {
	Value string `json:"value"`
	From  string `json:"from"`
	// Ignored lists what also said something and lost.
	Ignored []string `json:"ignored,omitempty"`
}

// The variables that name the store and the agent, best first. The names behind the first are those of the tools that
// Testigo takes over from.
var (
	storeVars   = [...]string{"TESTIGO_DB", "HANDOFFS_DB", flatVar}
	agentVars   = [...]string{"TESTIGO_AGENT", "HANDOFFS_AGENT", "AGENT_ID"}
	sessionVars = [...]string{"CLAUDE_CODE_SESSION_ID", "GEMINI_SESSION_ID"}
)

// flatVar names a store without projects, as the tool had that this variable comes from.
const flatVar = "MEMORY_DB"

// first picks the flag, or the first variable that is set. Value is "" when none of them says anything.
func (e Env) first(flagName, flagValue string, vars []string) decided {
	d := decided{}
	take := func(value, from string) {
		switch {
		case value == "":
		case d.Value == "":
			d.Value, d.From = value, from
		default:
			d.Ignored = append(d.Ignored, from)
		}
	}
	take(flagValue, flagName)
	for _, v := range vars {
		take(e.Getenv(v), v)
	}
	return d
}

// place is where the store is.
type place struct {
	decided
	// Flat: the store was named by a variable under which stores know no projects.
	Flat bool `json:"flat"`
}

// store decides where the store is.
func (a *app) store() (place, error) {
	p := place{decided: a.env.first("--db", a.global.DB, storeVars[:])}
	p.Flat = p.From == flatVar
	if p.Value == "" {
		dir, err := a.env.dataDir()
		if err != nil {
			return p, err
		}
		p.Value, p.From = filepath.Join(dir, "testigo", "testigo.db"), byDefault
		return p, nil
	}
	if scheme, _, ok := strings.Cut(p.Value, "://"); ok {
		return p, usageField(p.From, "this version keeps its store in a file; it cannot open a %s address", visibleLine(scheme))
	}
	if strings.ContainsRune(p.Value, 0) {
		return p, usageField(p.From, "a path cannot hold a NUL character")
	}
	if !filepath.IsAbs(p.Value) {
		dir, err := a.env.Dir()
		if err != nil {
			return p, testigo.Errorf(testigo.CodeUnreachable, "the current directory cannot be read, and the store's path is relative to it").
				WithNext("name the store by its whole path")
		}
		p.Value = filepath.Join(dir, p.Value)
	}
	return p, nil
}

// dataDir is the folder for a user's data on this system.
func (e Env) dataDir() (string, error) {
	if dir := e.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) { // a relative one is to be ignored, says the specification
		return dir, nil
	}
	home := e.Getenv("HOME")
	switch {
	case e.OS == "windows" && e.Getenv("LOCALAPPDATA") != "":
		return e.Getenv("LOCALAPPDATA"), nil
	case e.OS == "windows" && home == "":
		home = e.Getenv("USERPROFILE")
	}
	if home == "" {
		return "", testigo.Errorf(testigo.CodeUnreachable, "no home directory is known, so the store's default place is not either").
			WithNext("name the store with --db or TESTIGO_DB")
	}
	switch e.OS {
	case "windows":
		return filepath.Join(home, "AppData", "Local"), nil
	case "darwin":
		return filepath.Join(home, "Library", "Application Support"), nil
	}
	return filepath.Join(home, ".local", "share"), nil
}

// byDefault is how the place of the store was decided when nobody named one.
const byDefault = "the default"

// byLogin is how the agent was decided when nobody named one.
const byLogin = "the login name"

// agent decides who acts: --as or a variable, else the person at the terminal.
func (a *app) agent() (decided, error) {
	if a.acting.Value != "" {
		if a.global.As != "" && a.global.As != a.acting.Value {
			return decided{}, usageField(a.acting.From, "differs from --as; give one of them")
		}
		return a.acting, checkAgent(a.acting)
	}
	d := a.env.first("--as", a.global.As, agentVars[:])
	if d.Value == "" {
		d.Value, d.From = testigo.PersonPrefix+loginName(a.env.Login()), byLogin
		return d, nil
	}
	return d, checkAgent(d)
}

// serverAgent decides who a server acts for. There is no fallback: a server without a name would write as a person.
func (a *app) serverAgent(flag string) (decided, error) {
	if flag != "" && a.global.As != "" && flag != a.global.As {
		return decided{}, usageField("--agent", "differs from --as; give one of them")
	}
	if flag == "" {
		flag = a.global.As
	}
	d := a.env.first("--agent", flag, agentVars[:])
	if d.Value == "" {
		return d, usageField("--agent", "is required: a server acts for one agent (or set %s)", strings.Join(agentVars[:], ", ")).
			WithNext("testigo mcp --agent NAME")
	}
	if testigo.IsPerson(d.Value) {
		return d, usageField(d.From, "%q is reserved for people at a terminal", testigo.PersonPrefix)
	}
	return d, checkAgent(d)
}

func checkAgent(d decided) error {
	if testigo.IsService(d.Value) {
		return usageField(d.From, "%q is reserved for parts of Testigo", testigo.ServicePrefix)
	}
	return testigo.CheckAgentName(d.From, d.Value)
}

func usageField(field, format string, args ...any) *testigo.Error {
	return testigo.Invalid(field, format, args...)
}

// loginName turns the system's name for a person into one that an agent may have: "DOMAIN\ana maria" becomes
// "ana-maria".
func loginName(login string) string {
	login = login[strings.LastIndexByte(login, '\\')+1:]
	clean := strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._@-", r)) {
			return r
		}
		return '-'
	}, login)
	clean = strings.Trim(clean, "-._@")
	if clean == "" {
		return "unknown"
	}
	return clean[:min(len(clean), 64)]
}

// maxSession bounds a host's session id, in bytes; they are 36 characters as a rule.
const maxSession = 200

// session is the host's id for the running session when this command was started from inside one.
func (a *app) session() decided {
	d := a.env.first("", "", sessionVars[:])
	if _, bad := testigo.HasHidden(d.Value); bad || len(d.Value) > maxSession || !utf8.ValidString(d.Value) {
		return decided{From: "none: " + d.From + " holds no usable id"}
	}
	if d.Value == "" {
		d.From = "none: this is not a host's session"
	}
	return d
}
