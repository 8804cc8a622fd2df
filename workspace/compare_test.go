package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/testigo/testigo"
)

func compareHere(t testing.TB, then testigo.Workspace, dir string) testigo.WorkspaceChange {
	t.Helper()
	return Compare(context.Background(), then, dir, identify(t, dir, Options{}))
}

func hasNote(c testigo.WorkspaceChange, words string) bool {
	return strings.Contains(strings.Join(c.Notes, "\n"), words)
}

func TestCompareSame(t *testing.T) {
	t.Parallel()
	repo := newRepo(t, filepath.Join(tempDir(t), "repo"))
	write(t, filepath.Join(repo, "a.txt"), "dirty")
	write(t, filepath.Join(repo, "new"), "new")
	link(t, "a.txt", filepath.Join(repo, "to-a"))
	then := captureHere(t, repo)
	if c := compareHere(t, then, repo); c.Status != "same" || len(c.Files)+len(c.Notes)+len(c.Commits) > 0 {
		t.Errorf("%+v", c)
	}
}

func TestCompareMoved(t *testing.T) {
	t.Parallel()
	repo := newRepo(t, filepath.Join(tempDir(t), "repo"))
	for _, f := range []string{"kept", "edited", "removed", "linked"} {
		write(t, filepath.Join(repo, f), f)
	}
	if err := os.Remove(filepath.Join(repo, "a.txt")); err != nil {
		t.Fatal(err)
	}
	then := captureHere(t, repo)

	commit(t, repo, "kept as it was\x1b[31m")
	for i := range 11 {
		runGit(t, repo, "commit", "-q", "--allow-empty", "-m", fmt.Sprint("step ", i))
	}
	write(t, filepath.Join(repo, "edited"), "EDITED")
	write(t, filepath.Join(repo, "a.txt"), "back")
	write(t, filepath.Join(repo, "fresh"), "fresh")
	for _, f := range []string{"removed", "linked"} {
		if err := os.Remove(filepath.Join(repo, f)); err != nil {
			t.Fatal(err)
		}
	}
	link(t, "kept", filepath.Join(repo, "linked"))

	c := compareHere(t, then, repo)
	if c.Status != "moved" || c.CommitsTotal != 12 || len(c.Commits) != 10 || !strings.HasSuffix(c.Commits[0], " step 10") {
		t.Errorf("commits: %+v", c)
	}
	if got := strings.Join(c.Files, " "); got != "a.txt edited linked removed" {
		t.Errorf("files: %s", got)
	}
	if !hasNote(c, "1 file changed now") {
		t.Errorf("notes: %q", c.Notes)
	}
	runGit(t, repo, "reset", "-q", "--hard", "HEAD~11")
	if c := compareHere(t, then, repo); len(c.Commits) != 1 || strings.Contains(c.Commits[0], "\x1b") {
		t.Errorf("a subject keeps its control characters: %q", c.Commits)
	}
}

func TestCompareBranches(t *testing.T) {
	t.Parallel()
	repo := newRepo(t, filepath.Join(tempDir(t), "repo"))
	runGit(t, repo, "checkout", "-q", "-b", "topic")
	write(t, filepath.Join(repo, "t"), "t")
	commit(t, repo, "topic work")
	then := captureHere(t, repo)
	runGit(t, repo, "checkout", "-q", "main")

	c := compareHere(t, then, repo)
	if c.Status != "moved" || !hasNote(c, `was on branch "topic", now on branch "main"`) || !hasNote(c, "another line") || hasNote(c, "any more") || len(c.Commits) > 0 {
		t.Errorf("other branch: %+v", c)
	}
	runGit(t, repo, "branch", "-q", "-D", "topic")
	if c := compareHere(t, then, repo); !hasNote(c, `"topic" is not here any more`) {
		t.Errorf("branch deleted: %+v", c)
	}
	runGit(t, repo, "checkout", "-q", "--detach")
	if c := compareHere(t, then, repo); !hasNote(c, "now on no branch") {
		t.Errorf("detached: %+v", c)
	}

	then = captureHere(t, repo)
	for commit, words := range map[string]string{
		strings.Repeat("ab", 20): "is not in this repository", "--output=x": "no valid commit", "": "before the first commit",
	} {
		was := then
		was.Commit = commit
		if c := compareHere(t, was, repo); c.Status != "moved" || !hasNote(c, words) {
			t.Errorf("commit %q: %+v", commit, c)
		}
	}
	runGit(t, repo, "checkout", "-q", "--orphan", "new")
	if c := compareHere(t, then, repo); c.Status != "moved" || !hasNote(c, "no commits here now") {
		t.Errorf("no commits now: %+v", c)
	}
}

func TestCompareElsewhere(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	a, b := newRepo(t, filepath.Join(base, "repo-a")), newRepo(t, filepath.Join(base, "repo-a-staging"))
	for _, dir := range []string{a, b} {
		runGit(t, dir, "remote", "add", "origin", "git@example.org:x/y.git")
	}
	then := captureHere(t, a)
	if c := compareHere(t, then, b); c.Status != "elsewhere" || !hasNote(c, "same remote") && !hasNote(c, "both have the remote") {
		t.Errorf("another project: %+v", c)
	}
	if c := compareHere(t, then, "/"); c.Status != "elsewhere" || !hasNote(c, "no project") {
		t.Errorf("no project: %+v", c)
	}
	if err := os.RemoveAll(a); err != nil {
		t.Fatal(err)
	}
	if c := compareHere(t, then, b); c.Status != "gone" || !hasNote(c, "not on this machine") {
		t.Errorf("repository deleted: %+v", c)
	}
	if c := compareHere(t, then, a); c.Status != "gone" {
		t.Errorf("asked from the deleted directory: %+v", c)
	}
	mkdir(t, a)
	if c := compareHere(t, then, a); c.Status != "gone" || !hasNote(c, "no git repository") {
		t.Errorf("a folder where the repository was: %+v", c)
	}
	for _, w := range []testigo.Workspace{{}, {Project: a}} {
		if c := compareHere(t, w, a); c.Status != "unchecked" {
			t.Errorf("nothing to compare: %+v", c)
		}
	}
}

func TestCompareAcrossWorktrees(t *testing.T) { // P15
	t.Parallel()
	base := tempDir(t)
	main := newRepo(t, filepath.Join(base, "app"))
	tree := filepath.Join(base, "tree")
	runGit(t, main, "worktree", "add", "-q", "-b", "ticket", tree)
	then := captureHere(t, tree)
	if then.Project != main || then.Branch != "ticket" || then.Worktree != tree {
		t.Fatalf("%+v", then)
	}
	if c := compareHere(t, then, main); !hasNote(c, tree) || hasNote(c, "which is gone") {
		t.Errorf("%+v", c)
	}
	runGit(t, main, "worktree", "remove", tree)
	if c := compareHere(t, then, main); c.Status != "moved" || !hasNote(c, "which is gone") || !hasNote(c, `was on branch "ticket"`) {
		t.Errorf("worktree removed: %+v", c)
	}
}

// A packet may come from another store: its paths are text, not permission.
func TestCompareForeignPaths(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	repo := newRepo(t, filepath.Join(base, "repo"))
	write(t, filepath.Join(base, "outside"), "x")
	link(t, base, filepath.Join(repo, "out"))
	commit(t, repo, "a link out")
	then := captureHere(t, repo)
	then.Incomplete = "cut\x1b"
	then.Dirty = []testigo.DirtyFile{
		{Path: "../outside", State: "modified", SHA256: sum("x")}, {Path: "/etc/passwd", State: "modified", SHA256: sum("x")},
		{Path: "out/outside", State: "modified", SHA256: sum("y")}, {Path: "bad\uFFFDname", State: "untracked", SHA256: sum("y")},
		{Path: "a.txt", State: "modified"},
	}
	then.DirtyTotal = 7
	c := compareHere(t, then, repo)
	if !hasNote(c, "4 files of the packet could not be compared") || !hasNote(c, "record is incomplete: cut") || len(c.Files) != 1 {
		t.Errorf("%+v", c)
	}
	if c.Status != "moved" || !hasNote(c, "7 files changed then, 0 now") {
		t.Errorf("%+v", c)
	}
}

func BenchmarkCompare(b *testing.B) {
	repo := newRepo(b, filepath.Join(resolve(b.TempDir()), "repo"))
	p := identify(b, repo, Options{})
	then := Capture(context.Background(), repo, p, at)
	runGit(b, repo, "commit", "-q", "--allow-empty", "-m", "later")
	for b.Loop() {
		if c := Compare(context.Background(), then, repo, p); c.Status != "moved" {
			b.Fatalf("%+v", c)
		}
	}
}
