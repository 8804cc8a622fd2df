package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/testigo/testigo"
)

// maxTextBytes bounds the output of git commands that answer a few lines (256 KiB).
const maxTextBytes = 256 << 10

// Capture describes the working tree around dir for project p, as it is now. It takes at most two seconds and never
// fails: Incomplete says what could not be read.
func Capture(ctx context.Context, dir string, p testigo.Project, now time.Time) testigo.Workspace {
	return capture(ctx, "git", dir, p, now)
}

func capture(ctx context.Context, program, dir string, p testigo.Project, now time.Time) testigo.Workspace {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	w := testigo.Workspace{Project: p.ID, Remote: p.Remote, Ahead: -1, Behind: -1, At: now}
	if dir == "" {
		w.Incomplete = "the caller has no directory"
		return w
	}
	w.Dir = resolve(dir)
	r, ok := findRepo(w.Dir)
	switch {
	case !isDir(w.Dir):
		w.Incomplete = "the directory is not there"
		return w
	case !ok:
		return w
	}
	if !r.bare {
		w.Worktree = r.root
	}
	if w.Remote == "" {
		w.Remote = r.remote()
	}
	s, incomplete := look(ctx, program, r)
	w.Branch, w.Commit, w.Ahead, w.Behind = plain(s.branch), s.commit, s.ahead, s.behind
	w.Dirty, w.DirtyTotal = s.dirty, s.total
	w.Incomplete = join(incomplete, hashDirty(ctx, r.root, w.Dirty))
	return w
}

// look asks git for the state of a working tree, and says what it could not tell.
func look(ctx context.Context, program string, r repo) (status, string) {
	none := status{ahead: -1, behind: -1}
	if r.gitDir == "" {
		return none, "the repository that .git points to is not here"
	}
	g := git{program: program, dir: r.root}
	bare, err := g.disarm(ctx, r)
	if err != nil {
		return none, explain(ctx, err)
	}
	if bare {
		return g.bareHead(ctx, none)
	}
	s := none
	err = g.run(ctx, "", func(out io.Reader) error {
		var err error
		s, err = parseStatus(out, testigo.MaxDirtyFiles)
		return err
	}, "status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all", "--ignored=no",
		"--ignore-submodules=dirty", "--find-renames")
	if err != nil {
		return s, explain(ctx, err)
	}
	return s, ""
}

// disarm reads the settings git would obey and prepares to overrule filters that come with the repository: status runs
// them on changed files. Filters of the user's own settings (git-lfs) stay.
func (g *git) disarm(ctx context.Context, r repo) (bare bool, err error) {
	out, err := g.text(ctx, maxTextBytes, "config", "--includes", "--show-scope", "-z", "--get-regexp",
		`^(core\.(bare|worktree)|filter\..*)$`)
	if err != nil {
		var refused *gitError
		if errors.As(err, &refused) && refused.said == "" && ctx.Err() == nil {
			return r.bare, nil // no such setting
		}
		return false, err
	}
	bare = r.bare
	parts := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for i := 0; i+1 < len(parts); i += 2 {
		scope := parts[i]
		key, value, given := strings.Cut(parts[i+1], "\n")
		// Of the settings all worktrees share, a linked worktree's git ignores core.bare and core.worktree.
		own := scope == "worktree" || scope == "local" && r.gitDir == r.common
		if scope != "local" && scope != "worktree" {
			continue
		}
		switch name, _ := cutLast(key, "."); {
		case key == "core.bare":
			bare = bare || own && (!given || isTrue(value))
		case key == "core.worktree":
			if own && resolve(under(r.gitDir, value)) != r.root {
				return false, errors.New("the repository's settings put its working tree elsewhere")
			}
		case strings.ContainsAny(name, "=\n"):
			return false, errors.New("the repository's settings name a filter in a way that cannot be switched off")
		case !slices.Contains(g.off, name+".clean="):
			g.off = append(g.off, "-c", name+".clean=", "-c", name+".smudge=", "-c", name+".process=", "-c", name+".required=false")
		}
	}
	return bare, nil
}

// bareHead reads branch and commit of a repository without working tree.
func (g git) bareHead(ctx context.Context, s status) (status, string) {
	branch, err := g.text(ctx, maxTextBytes, "symbolic-ref", "-q", "--short", "HEAD")
	if err != nil && (errors.Is(err, errNoGit) || ctx.Err() != nil) {
		return s, explain(ctx, err)
	}
	s.branch = branch
	if commit, err := g.text(ctx, maxTextBytes, "rev-parse", "-q", "--verify", "HEAD^{commit}"); err == nil && isHex(commit, 40) {
		s.commit = commit
	}
	return s, ""
}

// hashDirty fills in the hashes of files, and says how many it could not read.
func hashDirty(ctx context.Context, top string, files []testigo.DirtyFile) string {
	if len(files) == 0 {
		return ""
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return "the working tree cannot be read"
	}
	defer root.Close()
	unread := 0
	for i := range files {
		f := &files[i]
		if f.State == "deleted" {
			continue
		}
		if ctx.Err() != nil {
			return fmt.Sprintf("the time limit was reached after hashing %d of %d changed files", i, len(files))
		}
		sum, err := dirtySum(ctx, root, filepath.FromSlash(f.Path))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			unread++
		}
		f.SHA256 = sum
	}
	if unread > 0 {
		return fmt.Sprintf("%d changed files could not be read", unread)
	}
	return ""
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

func cutLast(s, sep string) (before, after string) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, ""
	}
	return s[:i], s[i+len(sep):]
}

// plain takes control and direction characters out of foreign text that people and models will read.
func plain(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.Map(func(r rune) rune {
		if _, bad := testigo.HasHidden(string(r)); bad {
			if unicode.IsSpace(r) {
				return ' '
			}
			return -1
		}
		return r
	}, s)
}
