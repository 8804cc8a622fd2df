package e2e

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	_ "time/tzdata" // a machine without time zones must not change what a script says

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/testigo/testigo/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"testigo": func() { os.Exit(testigo()) }})
}

// testigo is what cmd/testigo does.
func testigo() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return cli.Run(ctx, cli.FromOS())
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:         filepath.Join("testdata", "script"),
		WorkdirRoot: openFolder(t),
		Setup:       setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "bytes": makeBytes, "patch": patch, "swap": swap, "readonly": readOnly, "powerless": powerless,
			"keep": keep,
		},
		RequireUniqueNames: true,
	})
}

// openFolder makes a folder that another user may walk through, which t.TempDir is not.
func openFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "testigo-e2e-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// setup gives every script a home of its own and a folder to work in.
func setup(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	env.Setenv("HOME", home)
	env.Setenv("USERPROFILE", home)
	env.Setenv("LOCALAPPDATA", filepath.Join(home, "AppData", "Local"))
	env.Setenv("XDG_DATA_HOME", filepath.Join(home, "data"))
	env.Setenv("STORE", filepath.Join(home, "data", "testigo", "testigo.db"))
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	work := filepath.Join(env.WorkDir, "boards")
	env.Cd = work
	if err := errors.Join(os.MkdirAll(home, 0o755), os.MkdirAll(work, 0o755)); err != nil {
		return err
	}
	init := exec.Command("git", "init", "-q", work) // a project of its own: outside a repository there is none
	init.Env = append(os.Environ(), "HOME="+home, "GIT_CONFIG_NOSYSTEM=1")
	return init.Run()
}

// exits runs a command that has to end with the exit code given first.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N command …")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := exitCode(ts, ts.Exec(args[1], args[2:]...)); got != want {
		ts.Fatalf("%s: exit code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

func exitCode(ts *testscript.TestScript, err error) int {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Fatalf("%v", err)
	}
	if exit == nil {
		return 0
	}
	return exit.ExitCode()
}

// keep puts what the last command printed into a variable: the first line, or what the group of a pattern matches.
func keep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: keep NAME [PATTERN]")
	}
	text, _, _ := strings.Cut(ts.ReadFile("stdout"), "\n")
	if len(args) == 2 {
		m := regexp.MustCompile("(?m)" + args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
		if len(m) != 2 {
			ts.Fatalf("%s was not printed once", args[1])
		}
		text = m[1]
	}
	ts.Setenv(args[0], text)
}

func makeBytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: bytes FILE HEX [N]")
	}
	b, err := hex.DecodeString(args[1])
	ts.Check(err)
	n := 1
	if len(args) == 3 {
		n, err = strconv.Atoi(args[2])
		ts.Check(err)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat(string(b), n)), 0o600))
}

func patch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: patch FILE OFFSET HEX")
	}
	at, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	b, err := hex.DecodeString(args[2])
	ts.Check(err)
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY, 0)
	ts.Check(err)
	_, err = f.WriteAt(b, at)
	ts.Check(errors.Join(err, f.Close()))
}

// swap puts one text in the place of another of the same length, as somebody with a hex editor would.
func swap(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 || len(args[1]) != len(args[2]) {
		ts.Fatalf("usage: swap FILE OLD NEW, of one length")
	}
	path := ts.MkAbs(args[0])
	b, err := os.ReadFile(path)
	ts.Check(err)
	if !bytes.Contains(b, []byte(args[1])) {
		ts.Fatalf("%s does not hold %q", path, args[1])
	}
	ts.Check(os.WriteFile(path, bytes.ReplaceAll(b, []byte(args[1]), []byte(args[2])), 0o600))
}

// readOnly takes the right to write. Root may write anyway, so the files are given to the user that powerless acts as.
func readOnly(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: readonly DIR")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o400)
		if d.IsDir() {
			mode = 0o500
		}
		return errors.Join(giveAway(path), os.Chmod(path, mode))
	}))
	ts.Defer(func() { os.Chmod(dir, 0o700) }) //nolint:errcheck // removing it says what is wrong
}
