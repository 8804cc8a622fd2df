package faces_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/cli"
	"github.com/testigo/testigo/sqlite"
)

// TestMain lets the test binary stand in for the program where the store starts it to search raw files.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == sqlite.ScanCommand {
		os.Exit(cli.Run(context.Background(), cli.FromOS()))
	}
	os.Exit(m.Run())
}

// args are the arguments of one operation, under the names of its parameter struct. A text "$NAME" stands for what an
// earlier answer was kept as; "$NAME#1" works too.
type args map[string]any

// answer is the JSON of a good answer, or the refusal.
type answer struct {
	value any
	bad   *refusal
}

// refusal is an error as a face tells it.
type refusal struct {
	Code    testigo.Code `json:"code"`
	Message string       `json:"message"`
	Field   string       `json:"field"`
	Next    string       `json:"next"`
	Data    any          `json:"data"`
}

// face is one way to the use cases, with a store of its own.
type face interface {
	// arrive makes an agent known, as its first call would.
	arrive(t *testing.T, agent string)
	call(t *testing.T, agent, op string, a args) answer
}

// faces makes each face anew, all in one directory. The order decides nothing but what a failure prints first.
func faces(t *testing.T) (list []named) {
	t.Helper()
	dir := workDir(t)
	return []named{{"use case", dir, newDirect(t, dir)}, {"command line", dir, newTerminal(t, dir)}, {"mcp", dir, newServers(t, dir)}}
}

type named struct {
	name, dir string
	face
}

// workDir is where all faces stand: what the workspace looks like must not tell them apart.
func workDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir()) // projects are known by their real path
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "limits.yml"), []byte("limit: 30\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

const project = "boards"

func sessionOf(agent string) string { return "session-of-" + agent }

// steady is a clock that never shows the same millisecond twice, so that a fact can be read as of its first version
// however fast the machine is. The command line has no clock to replace; starting it takes longer than that.
func steady() func() time.Time {
	start, ticks := time.Now().UTC(), atomic.Int64{}
	return func() time.Time { return start.Add(time.Duration(ticks.Add(1)) * time.Millisecond) }
}

// decoded reads JSON and keeps numbers as they are written.
func decoded(t *testing.T, raw []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return v
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// filled puts what was kept into arguments.
func filled(v any, kept map[string]string) any {
	switch v := v.(type) {
	case args:
		out := args{}
		for k, x := range v {
			out[k] = filled(x, kept)
		}
		return out
	case map[string]any:
		return map[string]any(filled(args(v), kept).(args))
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = filled(x, kept)
		}
		return out
	case string:
		if name, ok := strings.CutPrefix(v, "$"); ok {
			name, rest, claim := strings.Cut(name, "#")
			if claim {
				rest = "#" + rest
			}
			return kept[name] + rest
		}
	}
	return v
}
