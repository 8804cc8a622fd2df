package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What --json prints is a contract: one example of each command stands in testdata/golden, with ids, times, hashes and
// paths replaced. `go test ./cli -run Golden -update` writes them anew; the difference is then read like code.
func TestGoldenJSON(t *testing.T) {
	t.Parallel()
	u := newTerminal(t)
	g := &golden{t: t, u: u}

	g.out("init", "init")
	g.out("remember", "remember", "source/boards-example/rate-limit", `{"requests":30,"per":"minute"}`, "--tag", "source", "--confidence", "0.8")
	g.out("remember-unchanged", "remember", "source/boards-example/rate-limit", `{"per":"minute","requests":30}`, "--tag", "source")
	g.out("remember-redacted", "remember", "listing/482/contact", "write to the board; the hook is at https://bot:s3cr3tPassw0rd99@hooks.example.org/in")
	g.out("remember-superseding", "remember", "source/boards-example/rate-limit", "20")
	g.out("recall-name", "recall", "source/boards-example/rate-limit@1")
	g.out("recall-search", "recall", "requests", "per", "minute", "boards", "--explain")
	g.out("recall-nothing", "recall", "--query", "nowhere-to-be-found")
	id := g.field("id", "handoff", "handoff", "--title", "Two listings", "-m", "One caveat about the source.", "--next", "draft", "--open", "enough?",
		"--tried", "asking", "--ref", "source/boards-example/rate-limit@1", "--to", "executor", "--allow-unknown", "--as", "scout")
	g.out("resume", "resume", "--as", "executor")
	g.out("resume-packet", "resume", id)
	g.out("resume-claim", "resume", "--claim", "--as", "executor")
	g.out("outcome", "outcome", "success", "ci run 4711", "source/boards-example/rate-limit@2", "--note", "measured", "--as", "executor")
	g.out("outcome-closing", "outcome", "failure", "TICKET-12", "--handoff", id, "--as", "executor", "--ref", "source/boards-example/rate-limit@1")
	g.out("resume-nothing", "resume", "--as", "executor")
	g.out("log", "log", id)
	g.out("history", "history", "source/boards-example/rate-limit")
	g.out("stats", "stats")
	g.out("verify", "verify")
	g.out("whoami", "whoami", "--as", "executor")
	g.out("doctor", "doctor")
	g.out("version", "version")

	work := g.field("messageId", "send", "send", "scout", "executor", "Draft the application for listing/482.", "--title", "Application", "--due", "2h", "--key", "k",
		"--ref", "source/boards-example/rate-limit@2")
	g.out("send-again", "send", "scout", "executor", "Draft the application for listing/482.", "--title", "Application", "--due", "2h", "--key", "k",
		"--ref", "source/boards-example/rate-limit@2")
	g.out("inbox", "inbox", "executor")
	g.out("read", "read", work, "--as", "executor")
	g.out("accept", "accept", work, "--as", "executor")
	g.out("return", "return", work, "--summary", "Sent.", "--evidence", "ci run 4711", "--claim", "it is sent", "--as", "executor")
	next := g.field("successor", "close-revision", "close", work, "revision", "--note", "Name the rate.", "--as", "scout")
	g.out("status-one", "status", work)
	g.out("status-own", "status", "--as", "executor")
	g.out("status", "status")
	g.out("cancel", "cancel", next, "--as", "scout")
	g.out("block", "block", "scout", "executor")
	g.out("allow", "allow", "scout", "executor")
	g.out("config", "config")
	g.out("agent-list", "agent", "list", "--as", "scout")

	g.err("error-no-recipient", 1, "send", "executr", "hello", "--as", "scout")
	g.err("error-not-found", 1, "recall", "source/boards-exmple/rate-limit")
	g.err("error-conflict", 1, "remember", "source/boards-example/rate-limit", "10", "--expected-version", "1")
	g.err("error-invalid", 2, "remember", "source/boards-example/rate-limit", "10", "--confidence", "7")
	g.err("error-usage", 2, "recall", "--no-such-flag")
	g.err("error-command", 2, "recal")
	g.err("error-unknown-agent", 1, "handoff", "--to", "executer", "hello")
	g.err("error-refused", 1, "forget", "source/boards-example/rate-limit", "--yes")
	g.err("error-secret", 1, "remember", "listing/482/token", "ghp_16C7e42F292c6912E7710c838347Ae178B4a")
}

type golden struct {
	t *testing.T
	u *terminal
}

// out compares stdout of a command that succeeds, and its silence on stderr.
func (g *golden) out(name string, args ...string) {
	g.t.Helper()
	a := g.u.ok(append(args, "--json")...)
	if a.err != "" {
		g.t.Errorf("%s: stderr is not silent with --json: %s", name, a.err)
	}
	g.compare(name, a.out)
}

// err compares the JSON error of a command that fails, and its silence on stdout.
func (g *golden) err(name string, code int, args ...string) {
	g.t.Helper()
	a := g.u.fails(code, `{"error":`, append(args, "--json")...)
	if a.out != "" {
		g.t.Errorf("%s: stdout is not empty: %s", name, a.out)
	}
	g.compare(name, a.err)
}

// field is out, and returns one member of the answer.
func (g *golden) field(member, name string, args ...string) string {
	g.t.Helper()
	a := g.u.ok(append(args, "--json")...)
	g.compare(name, a.out)
	var res map[string]any
	value := ""
	if err := json.Unmarshal([]byte(a.out), &res); err == nil {
		value, _ = res[member].(string)
	}
	if value == "" {
		g.t.Fatalf("no %s in %s", member, a.out)
	}
	return value
}

func (g *golden) compare(name, text string) {
	g.t.Helper()
	if strings.Count(text, "\n") != 1 {
		g.t.Errorf("%s: want one line, got %q", name, text)
	}
	text = strings.TrimSpace(text)
	for _, m := range ofThePlace {
		text = m.pattern.ReplaceAllString(text, m.with)
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, []byte(text), "", "  "); err != nil {
		g.t.Fatalf("%s: %v in %s", name, err, text)
	}
	got := g.normal(pretty.String()) + "\n"
	path := filepath.Join("testdata", "golden", name+".json")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			g.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		g.t.Fatal(err)
	}
	if got != string(want) {
		g.t.Errorf("%s changed:\n%s\nwant:\n%s", path, got, want)
	}
}

// replacement is what stands in a golden file for what differs.
type replacement struct {
	pattern *regexp.Regexp
	with    string
}

// ofThePlace takes out what an answer says of the file system it is on: a test's folder may be in memory or not.
var ofThePlace = []replacement{
	{regexp.MustCompile(`,"warning":"[^"]*"`), ""},
	{regexp.MustCompile(`,?"the store is (?:in|on) [^"]*"`), ""},
	{regexp.MustCompile(`\[,`), "["},
	{regexp.MustCompile(`,"notes":\[\]`), ""},
}

// moving are the parts of an answer that differ from run to run, with what stands for them.
var moving = []replacement{
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "HASH"},
	{regexp.MustCompile(`\bh_[0-9a-f]{8}\b`), "h_00000000"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`), "TIME"},
	{regexp.MustCompile(`("(?:store_)?id": ")[0-9a-f-]{32,36}"`), `${1}ID"`},
	{regexp.MustCompile(`"bytes": \d+`), `"bytes": 1`},
	{regexp.MustCompile(`"schema": \d+`), `"schema": 1`},
	{regexp.MustCompile(`"go": "[^"]*"`), `"go": "GO"`},
	{regexp.MustCompile(`"platform": "[^"]*"`), `"platform": "PLATFORM"`},
	{regexp.MustCompile(`("(?:version|commit)": ")[^"]*"`), `${1}VERSION"`},
	{regexp.MustCompile(`\n *"(?:commit|time|modified)": [^\n]*`), ""},
	{regexp.MustCompile(`"(score|value)": -?\d+\.\d+`), `"$1": 1.5`},
	{regexp.MustCompile(`process \d+ `), "process 1 "},
	{regexp.MustCompile(`"device": "[^"]*"`), `"device": "DEVICE"`},
}

func (g *golden) normal(text string) string {
	text = strings.ReplaceAll(text, g.u.env["HOME"], "HOME")
	for _, m := range moving {
		text = m.pattern.ReplaceAllString(text, m.with)
	}
	return text
}

// Every golden file is one that the test writes: none is left over from a command that is gone.
func TestGoldenFilesAreValid(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "golden", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	source, err := os.ReadFile("golden_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".json")
		if !bytes.Contains(source, fmt.Appendf(nil, "%q", name)) {
			t.Errorf("%s: no test writes it", f)
		}
	}
}
