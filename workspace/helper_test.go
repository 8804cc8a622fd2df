package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/testigo/testigo"
)

// TestMain gives every test a home of its own and, in GIT_DIR and friends, a repository that must never be looked at.
func TestMain(m *testing.M) {
	base, err := os.MkdirTemp("", "workspace-test-")
	if err != nil {
		panic(err)
	}
	for k, v := range map[string]string{
		"HOME": filepath.Join(base, "home"), "GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_SYSTEM": os.DevNull,
		"GIT_DIR": filepath.Join(base, "decoy.git"), "GIT_WORK_TREE": base, "GIT_INDEX_FILE": filepath.Join(base, "decoy.index"),
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.bare", "GIT_CONFIG_VALUE_0": "true",
	} {
		os.Setenv(k, v)
	}
	code := m.Run()
	os.RemoveAll(base)
	os.Exit(code)
}

var at = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// tempDir is t.TempDir as a real path.
func tempDir(t *testing.T) string {
	t.Helper()
	return resolve(t.TempDir())
}

func needGit(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("this test needs git on PATH")
	}
}

// runGit runs git with a fixed author and no settings from outside.
func runGit(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := runGitMayFail(t, dir, args...)
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func runGitMayFail(t testing.TB, dir string, args ...string) (string, error) {
	t.Helper()
	needGit(t)
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "protocol.file.allow=always"}, args...)...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "LC_ALL=C",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z")
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// newRepo makes a repository with one commit that holds a.txt.
func newRepo(t testing.TB, dir string) string {
	t.Helper()
	mkdir(t, dir)
	runGit(t, dir, "init", "-q", "-b", "main")
	write(t, filepath.Join(dir, "a.txt"), "one\n")
	commit(t, dir, "first")
	return dir
}

func commit(t testing.TB, dir, subject string) string {
	t.Helper()
	runGit(t, dir, "add", "-A")
	runGit(t, dir, "commit", "-q", "-m", subject)
	return runGit(t, dir, "rev-parse", "HEAD")
}

func mkdir(t testing.TB, dir string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t testing.TB, path, text string) {
	t.Helper()
	mkdir(t, filepath.Dir(path))
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

// identify fails the test on an error.
func identify(t testing.TB, dir string, o Options) testigo.Project {
	t.Helper()
	if o.Home == "" {
		o.Home = "/no-home"
	}
	p, err := Identify(dir, o)
	if err != nil {
		t.Fatalf("Identify(%s): %v", dir, err)
	}
	return p
}
