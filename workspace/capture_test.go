package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/testigo/testigo"
)

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

func captureHere(t testing.TB, dir string) testigo.Workspace {
	t.Helper()
	return Capture(context.Background(), dir, identify(t, dir, Options{}), at)
}

func TestCapture(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	repo := newRepo(t, filepath.Join(base, "repo"))
	for _, name := range []string{"gone.txt", "old name.txt", "staged-gone.txt"} {
		write(t, filepath.Join(repo, name), strings.Repeat(name+"\n", 20))
	}
	write(t, filepath.Join(repo, ".gitignore"), "ignored\n")
	head := commit(t, repo, "more")

	write(t, filepath.Join(repo, "a.txt"), "two\n")
	write(t, filepath.Join(repo, "ignored"), "x")
	write(t, filepath.Join(repo, "dir", "new \"q\"\n日本.txt"), "new")
	write(t, filepath.Join(repo, "added.txt"), "added")
	link(t, "/etc/passwd", filepath.Join(repo, "outward"))
	runGit(t, repo, "add", "added.txt")
	runGit(t, repo, "mv", "old name.txt", "new name.txt")
	runGit(t, repo, "rm", "-q", "staged-gone.txt")
	if err := os.Remove(filepath.Join(repo, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	big, err := os.Create(filepath.Join(repo, "big.bin"))
	if err != nil {
		t.Fatal(err)
	}
	if err := big.Truncate(testigo.MaxSourceBytes + 1); err != nil {
		t.Fatal(err)
	}
	big.Close()

	got := captureHere(t, mkdir(t, filepath.Join(repo, "dir")))
	want := testigo.Workspace{
		Project: repo, Dir: filepath.Join(repo, "dir"), Worktree: repo, Branch: "main", Commit: head, Ahead: -1, Behind: -1, At: at,
		Dirty: []testigo.DirtyFile{
			{Path: "a.txt", State: "modified", SHA256: sum("two\n")},
			{Path: "added.txt", State: "added", SHA256: sum("added")},
			{Path: "gone.txt", State: "deleted"},
			{Path: "new name.txt", State: "renamed", SHA256: sum(strings.Repeat("old name.txt\n", 20))},
			{Path: "staged-gone.txt", State: "deleted"},
			{Path: "big.bin", State: "untracked"},
			{Path: "dir/new \"q\"\n日本.txt", State: "untracked", SHA256: sum("new")},
			{Path: "outward", State: "untracked", SHA256: sum("/etc/passwd")},
		},
		DirtyTotal: 8,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestCaptureHead(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	up := newRepo(t, filepath.Join(base, "up"))
	repo := filepath.Join(base, "clone")
	runGit(t, base, "clone", "-q", up, repo)
	if w := captureHere(t, repo); w.Ahead != 0 || w.Behind != 0 || w.Branch != "main" {
		t.Errorf("fresh clone: %+v", w)
	}
	write(t, filepath.Join(up, "b.txt"), "b")
	commit(t, up, "theirs")
	write(t, filepath.Join(repo, "c.txt"), "c")
	head := commit(t, repo, "ours")
	runGit(t, repo, "fetch", "-q")
	if w := captureHere(t, repo); w.Ahead != 1 || w.Behind != 1 {
		t.Errorf("one each: %+v", w)
	}
	runGit(t, repo, "checkout", "-q", "--detach")
	if w := captureHere(t, repo); w.Branch != "" || w.Commit != head || w.Ahead != -1 || w.Incomplete != "" {
		t.Errorf("detached: %+v", w)
	}

	empty := mkdir(t, filepath.Join(base, "empty"))
	runGit(t, empty, "init", "-q", "-b", "trunk")
	write(t, filepath.Join(empty, "x"), "x")
	if w := captureHere(t, empty); w.Branch != "trunk" || w.Commit != "" || len(w.Dirty) != 1 || w.Incomplete != "" {
		t.Errorf("no commits yet: %+v", w)
	}

	if w := captureHere(t, mkdir(t, filepath.Join(base, "plain"))); w.Incomplete != "" || w.Commit != "" || w.Ahead != -1 || w.Project == "" {
		t.Errorf("plain folder: %+v", w)
	}
	if w := captureHere(t, filepath.Join(base, "nowhere")); w.Incomplete == "" {
		t.Errorf("a directory that is not there: %+v", w)
	}
	if w := Capture(t.Context(), "", testigo.Project{}, at); w.Incomplete == "" {
		t.Errorf("no directory: %+v", w)
	}
}

func TestConflict(t *testing.T) {
	t.Parallel()
	repo := newRepo(t, filepath.Join(tempDir(t), "repo"))
	runGit(t, repo, "checkout", "-q", "-b", "other")
	write(t, filepath.Join(repo, "a.txt"), "other\n")
	commit(t, repo, "other")
	runGit(t, repo, "checkout", "-q", "main")
	write(t, filepath.Join(repo, "a.txt"), "main\n")
	commit(t, repo, "main")
	runGit(t, repo, "checkout", "-q", "-m", "other", "--")
	write(t, filepath.Join(repo, "a.txt"), "local\n")
	runGit(t, repo, "stash", "-q")
	runGit(t, repo, "checkout", "-q", "main")
	popped, _ := runGitMayFail(t, repo, "stash", "pop")
	w := captureHere(t, repo)
	if len(w.Dirty) != 1 || w.Dirty[0].State != "conflicted" || w.Dirty[0].SHA256 == "" {
		t.Errorf("%+v after %s", w, popped)
	}
}

func TestManyDirtyFiles(t *testing.T) {
	t.Parallel()
	repo := newRepo(t, filepath.Join(tempDir(t), "repo"))
	for i := range testigo.MaxDirtyFiles + 50 {
		write(t, filepath.Join(repo, "many", strings.Repeat("x", i+1)[:1+i%200]+string(rune('a'+i/200))), "x")
	}
	w := captureHere(t, repo)
	if len(w.Dirty) != testigo.MaxDirtyFiles || w.DirtyTotal != testigo.MaxDirtyFiles+50 || w.Incomplete != "" {
		t.Errorf("%d of %d, %s", len(w.Dirty), w.DirtyTotal, w.Incomplete)
	}
	c := Compare(t.Context(), w, repo, identify(t, repo, Options{}))
	if c.Status != "same" || len(c.Files) > 0 {
		t.Errorf("nothing changed: %+v", c)
	}
}

func TestWithoutGit(t *testing.T) {
	t.Parallel()
	repo := newRepo(t, filepath.Join(tempDir(t), "repo"))
	p := identify(t, repo, Options{})
	then := Capture(t.Context(), repo, p, at)
	w := capture(t.Context(), "no-such-git-program", repo, p, at)
	if w.Project != repo || w.Worktree != repo || !strings.Contains(w.Incomplete, "git is not installed") || w.Ahead != -1 {
		t.Errorf("%+v", w)
	}
	if c := compare(t.Context(), "no-such-git-program", then, repo, p); c.Status != "unchecked" || len(c.Notes) != 1 {
		t.Errorf("%+v", c)
	}
	s := staleSources(t.Context(), "no-such-git-program", repo, []testigo.Source{{Commit: then.Commit}})
	if len(s) != 1 || s[0].State != "unchecked" || !strings.Contains(s[0].Reason, "not installed") {
		t.Errorf("%+v", s)
	}
}

func TestTimeLimit(t *testing.T) {
	t.Parallel()
	repo := newRepo(t, filepath.Join(tempDir(t), "repo"))
	p := identify(t, repo, Options{})
	then := Capture(t.Context(), repo, p, at)
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	if w := Capture(ctx, repo, p, at); !strings.Contains(w.Incomplete, "time limit") || w.Worktree != repo {
		t.Errorf("%+v", w)
	}
	if c := Compare(ctx, then, repo, p); c.Status != "unchecked" {
		t.Errorf("%+v", c)
	}
	if s := StaleSources(ctx, repo, []testigo.Source{{Path: "a.txt", SHA256: sum("one\n")}, {Commit: then.Commit}}); len(s) != 2 || s[0].State != "unchecked" || s[1].State != "unchecked" {
		t.Errorf("%+v", s)
	}
	stop, end := context.WithCancel(t.Context())
	end()
	if w := Capture(stop, repo, p, at); !strings.Contains(w.Incomplete, "interrupted") {
		t.Errorf("%+v", w)
	}
}

func BenchmarkCapture(b *testing.B) {
	repo := newRepo(b, filepath.Join(resolve(b.TempDir()), "repo"))
	for i := range 200 {
		write(b, filepath.Join(repo, "d", string(rune('a'+i%20)), strings.Repeat("f", 1+i/20)), strings.Repeat("line\n", 200))
	}
	commit(b, repo, "files")
	for i := range 10 {
		write(b, filepath.Join(repo, "d", string(rune('a'+i)), "f"), "changed\n")
	}
	p := identify(b, repo, Options{})
	for b.Loop() {
		if w := Capture(context.Background(), repo, p, at); w.Incomplete != "" || w.DirtyTotal != 10 {
			b.Fatalf("%+v", w)
		}
	}
}
