package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/testigo/testigo"
)

// maxCommits bounds the list of commits in an answer; the total says how many there were.
const maxCommits = 10

// Compare says how the working tree around dir, which belongs to project p, differs from what a packet captured. Like
// Capture it is bounded and never fails.
func Compare(ctx context.Context, then testigo.Workspace, dir string, p testigo.Project) testigo.WorkspaceChange {
	return compare(ctx, "git", then, dir, p)
}

func compare(ctx context.Context, program string, then testigo.Workspace, dir string, p testigo.Project) testigo.WorkspaceChange {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	c := testigo.WorkspaceChange{Status: "same"}
	if other, ok := elsewhere(then, p); ok {
		return other
	}
	if dir == "" {
		return unchecked("the caller has no directory")
	}
	here := resolve(dir)
	if !isDir(here) {
		c.Status = "gone"
		note(&c, "the directory %s is not there", quote(here))
		return c
	}
	r, ok := findRepo(here)
	if !ok || r.gitDir == "" {
		if then.Commit == "" && then.Worktree == "" {
			return unchecked("no git repository: nothing to compare with")
		}
		c.Status = "gone"
		note(&c, "there is no git repository here")
		return c
	}
	now, incomplete := look(ctx, program, r)
	if incomplete != "" {
		return unchecked(incomplete)
	}
	if then.Incomplete != "" {
		note(&c, "the packet's own record is incomplete: %s", plain(clip(then.Incomplete, 200)))
	}
	g := git{program: program, dir: r.root}
	if !compareCommits(ctx, g, &c, then, now) {
		return unchecked("the time limit was reached before git was done")
	}
	compareTree(ctx, &c, then, now, r)
	return c
}

func unchecked(why string) testigo.WorkspaceChange {
	return testigo.WorkspaceChange{Status: "unchecked", Notes: []string{why}}
}

// elsewhere answers when the packet is about another project.
func elsewhere(then testigo.Workspace, p testigo.Project) (testigo.WorkspaceChange, bool) {
	c := testigo.WorkspaceChange{Status: "elsewhere"}
	switch {
	case then.Project == "" && then.Commit == "":
		return unchecked("the packet was written outside a project"), true
	case then.Project == p.ID:
		return c, false
	case filepath.IsAbs(then.Project) && !exists(then.Project):
		c.Status = "gone"
		note(&c, "%s is not on this machine", quote(then.Project))
	case p.ID == "":
		note(&c, "the packet is about %s, and this directory belongs to no project", quote(then.Project))
	default:
		note(&c, "the packet is about %s, and this directory belongs to %s", quote(then.Project), quote(p.ID))
	}
	if then.Remote != "" && then.Remote == p.Remote {
		note(&c, "both have the remote %s", quote(then.Remote))
	}
	return c, true
}

// compareCommits fills in branch and commits; false when time ran out.
func compareCommits(ctx context.Context, g git, c *testigo.WorkspaceChange, then testigo.Workspace, now status) bool {
	if then.Branch != plain(now.branch) {
		c.Status = "moved"
		note(c, "was %s, now %s", onBranch(then.Branch), onBranch(now.branch))
		if then.Branch != "" && then.Commit != "" {
			_, err := g.text(ctx, maxTextBytes, "show-ref", "--verify", "--quiet", "refs/heads/"+then.Branch)
			if err != nil && ctx.Err() == nil {
				note(c, "the branch %s is not here any more", quote(then.Branch))
			}
		}
	}
	if then.Commit == now.commit {
		return ctx.Err() == nil
	}
	c.Status = "moved"
	switch {
	case then.Commit == "":
		note(c, "the packet was written before the first commit")
		return newCommits(ctx, g, c, "HEAD")
	case !isHex(then.Commit, 7):
		note(c, "the packet names no valid commit")
		return true
	case now.commit == "":
		note(c, "there are no commits here now")
		return true
	}
	if _, err := g.text(ctx, maxTextBytes, "cat-file", "-e", then.Commit+"^{commit}"); err != nil {
		note(c, "the commit %s is not in this repository", short(then.Commit))
		return ctx.Err() == nil
	}
	if _, err := g.text(ctx, maxTextBytes, "merge-base", "--is-ancestor", then.Commit, "HEAD"); err != nil && ctx.Err() == nil {
		note(c, "the commit %s is not part of what is checked out: history was rewritten, or this is another line", short(then.Commit))
	}
	return newCommits(ctx, g, c, then.Commit+"..HEAD")
}

func newCommits(ctx context.Context, g git, c *testigo.WorkspaceChange, span string) bool {
	count, err := g.text(ctx, maxTextBytes, "rev-list", "--count", span, "--")
	if err != nil {
		return ctx.Err() == nil
	}
	c.CommitsTotal, _ = strconv.Atoi(count)
	if c.CommitsTotal == 0 {
		return true
	}
	out, err := g.text(ctx, maxTextBytes, "log", "-z", "--no-color", "--no-decorate", "--no-notes", "--no-patch", "--encoding=UTF-8", "--abbrev=7",
		"--format=%h %s", "--max-count="+strconv.Itoa(maxCommits), span, "--")
	if err != nil {
		return ctx.Err() == nil
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		c.Commits = append(c.Commits, clip(plain(line), 120))
	}
	return true
}

// compareTree fills in what happened to the packet's files and to the rest of the working tree.
func compareTree(ctx context.Context, c *testigo.WorkspaceChange, then testigo.Workspace, now status, r repo) {
	if then.Worktree != "" && then.Worktree != r.root && !r.bare {
		state := ""
		if !exists(then.Worktree) {
			state = ", which is gone"
		}
		note(c, "the packet was written in the worktree %s%s", quote(then.Worktree), state)
	}
	known := make(map[string]bool, len(then.Dirty))
	unhashed := 0
	if root, err := os.OpenRoot(r.root); err == nil && !r.bare {
		defer root.Close()
		for _, f := range then.Dirty {
			known[f.Path] = true
			differs, sure := differsNow(ctx, root, f)
			switch {
			case !sure:
				unhashed++
			case differs:
				c.Status = "moved"
				c.Files = append(c.Files, plain(f.Path))
			}
		}
	}
	if unhashed > 0 {
		note(c, "%s of the packet could not be compared", files(unhashed))
	}
	if then.DirtyTotal > len(then.Dirty) || now.total > len(now.dirty) { // a list was cut: only the totals compare
		if then.DirtyTotal != now.total {
			c.Status = "moved"
			note(c, "%s changed then, %d now", files(then.DirtyTotal), now.total)
		}
		return
	}
	fresh := 0
	for _, f := range now.dirty {
		if !known[f.Path] {
			fresh++
		}
	}
	if fresh > 0 {
		c.Status = "moved"
		note(c, "%s changed now that the packet does not list", files(fresh))
	}
}

// differsNow reports whether a file's content is not what the packet saw; sure is false when that cannot be told.
func differsNow(ctx context.Context, root *os.Root, f testigo.DirtyFile) (differs, sure bool) {
	name := filepath.FromSlash(f.Path)
	if !filepath.IsLocal(name) || ctx.Err() != nil {
		return false, false
	}
	sum, err := dirtySum(ctx, root, name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		// A name that was not UTF-8 did not survive being stored.
		return f.State != "deleted", !strings.ContainsRune(f.Path, '\uFFFD')
	case err != nil:
		return false, false
	case f.State == "deleted":
		return true, true
	case f.SHA256 == "":
		return sum != "", sum != "" // too large, or a submodule, both times: not comparable
	}
	return sum != f.SHA256, true
}

func note(c *testigo.WorkspaceChange, format string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
}

func onBranch(b string) string {
	if b == "" {
		return "on no branch"
	}
	return "on branch " + quote(plain(b))
}

func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return strconv.Itoa(n) + " files"
}

func short(commit string) string { return commit[:min(7, len(commit))] }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
