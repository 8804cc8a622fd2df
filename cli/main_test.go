package cli

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestMain lets the test binary stand in for the program where the store starts it to search raw files.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == scanCommand {
		os.Exit(Run(context.Background(), FromOS()))
	}
	os.Exit(m.Run())
}

// terminal is one user at one computer: an own store, an own environment, streams in memory.
type terminal struct {
	t   *testing.T
	env map[string]string
	dir string
	in  string
	tty bool
	// width is that of the terminal; 0 does not break lines.
	width int
}

func newTerminal(t *testing.T) *terminal {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir()) // projects are known by their real path
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(home, "boards-example")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return &terminal{t: t, dir: dir, env: map[string]string{"HOME": home, "XDG_DATA_HOME": filepath.Join(home, "data"), "TESTIGO_PROJECT": "boards"}}
}

type answer struct {
	code     int
	out, err string
}

// run runs one command as its own process would.
func (u *terminal) run(args ...string) answer {
	u.t.Helper()
	return u.runIn(u.t.Context(), args...)
}

func (u *terminal) runIn(ctx context.Context, args ...string) answer {
	var out, errs bytes.Buffer
	code := Run(ctx, u.environment(&out, &errs, args))
	return answer{code, out.String(), errs.String()}
}

func (u *terminal) environment(out, errs *bytes.Buffer, args []string) Env {
	return Env{
		Args: args, In: strings.NewReader(u.in), Out: out, Err: errs,
		Getenv: func(k string) string { return u.env[k] }, Dir: func() (string, error) { return u.dir, nil },
		Login: func() string { return "keeper" }, OS: "linux", Local: time.UTC, InTTY: u.tty, OutTTY: u.tty, ErrTTY: u.tty, Width: u.width,
	}
}

// ok runs a command that has to succeed.
func (u *terminal) ok(args ...string) answer {
	u.t.Helper()
	a := u.run(args...)
	if a.code != 0 {
		u.t.Fatalf("testigo %s: exit code %d\n%s%s", strings.Join(args, " "), a.code, a.out, a.err)
	}
	return a
}

// fails runs a command that has to end with an exit code, and with a text on stderr.
func (u *terminal) fails(code int, text string, args ...string) answer {
	u.t.Helper()
	a := u.run(args...)
	if a.code != code || !strings.Contains(a.err, text) {
		u.t.Fatalf("testigo %s: exit code %d, want %d with %q\n%s%s", strings.Join(args, " "), a.code, code, text, a.out, a.err)
	}
	return a
}
