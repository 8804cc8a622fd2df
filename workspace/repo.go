package workspace

import (
	"os"
	"path/filepath"
	"strings"
)

// maxNesting bounds how many submodules or worktrees are followed to find the repository at the end.
const maxNesting = 8

// maxPointerBytes bounds a .git, gitdir or commondir file: one path.
const maxPointerBytes = 8 << 10

// repo is what the files around a directory say about its git repository.
type repo struct {
	id     string // the identity: where the repository lives
	root   string // top of the working tree; the repository itself when it has none
	gitDir string // holds HEAD and the index; "" when a .git file points to nothing
	common string // holds objects and settings, shared by all worktrees
	bare   bool   // found as a repository without working tree
	why    string
}

func (r repo) remote() string {
	if r.common == "" {
		return ""
	}
	return normaliseRemote(readConfig(r.common).remoteURL())
}

// findRepo looks for the repository around dir, a real path, the way git does: .git in dir and its parents, or dir
// itself being a repository.
func findRepo(dir string) (repo, bool) { return findFrom(dir, 0) }

func findFrom(dir string, depth int) (repo, bool) {
	for d := dir; ; d = filepath.Dir(d) {
		if r, ok := repoAt(d, depth); ok {
			return r, true
		}
		if d == filepath.Dir(d) {
			return repo{}, false
		}
	}
}

func repoAt(d string, depth int) (repo, bool) {
	dot := filepath.Join(d, ".git")
	info, err := os.Lstat(dot)
	switch {
	case err != nil:
	case info.IsDir():
		if isGitDir(dot) {
			return repo{id: d, root: d, gitDir: dot, common: dot, why: "git repository"}, true
		}
	case info.Mode().IsRegular():
		target, ok := readPointer(dot, "gitdir:")
		if !ok {
			break
		}
		if target = resolve(under(d, target)); isGitDir(target) {
			return pointed(d, target, depth), true
		}
		return repo{id: d, root: d, why: "its .git file points to a repository that is not here: the folder itself"}, true
	case info.Mode()&os.ModeSymlink != 0:
		if target := resolve(dot); isGitDir(target) {
			return pointed(d, target, depth), true
		}
	}
	if isGitDir(d) {
		return inside(d, depth), true
	}
	return repo{}, false
}

// pointed describes d, whose .git is not a directory but leads to gitDir. The repository decides whether d is its own.
func pointed(d, gitDir string, depth int) repo {
	r := repo{id: d, root: d, gitDir: gitDir, common: gitDir}
	if common, ok := commonOf(gitDir); ok {
		r.common = common
		if !pointsBack(gitDir, d) {
			r.why = "git worktree, but its repository does not point back: on its own (git worktree repair joins it)"
			return r
		}
		r.id = home(common, depth)
		r.why = "linked worktree of a git repository"
		return r
	}
	switch {
	case below(gitDir, d):
		r.id, r.bare = home(gitDir, depth), readConfig(gitDir).bare
		r.why = "git repository"
	case readConfig(gitDir).worktreeFrom(gitDir) == d:
		r.id, r.why = submodule(d, gitDir, depth), "git submodule: a project of its own"
	default:
		r.why = "git repository kept elsewhere that does not point back: the folder itself"
	}
	return r
}

// submodule names the submodule at d after its place in the superproject, so that the submodules of a linked worktree
// are those of the main checkout.
func submodule(d, gitDir string, depth int) string {
	if depth >= maxNesting {
		return d
	}
	super, ok := findFrom(filepath.Dir(d), depth+1)
	if !ok || super.common == "" || !below(gitDir, super.common) {
		return d
	}
	rel, err := filepath.Rel(super.root, d)
	if err != nil {
		return d
	}
	return filepath.Join(super.id, rel)
}

// inside describes a directory that is itself a repository: a bare one, or the .git of a working tree.
func inside(d string, depth int) repo {
	common := d
	if c, ok := commonOf(d); ok {
		common = c
	}
	if filepath.Base(common) == ".git" {
		top := filepath.Dir(common)
		return repo{id: top, root: top, gitDir: common, common: common, why: "inside a git repository"}
	}
	if w := workTree(common); w != "" && depth < maxNesting {
		if r, ok := repoAt(w, depth+1); ok {
			return r
		}
	}
	return repo{id: common, root: common, gitDir: common, common: common, bare: true, why: "bare git repository"}
}

// home is where the repository with this common directory lives.
func home(common string, depth int) string {
	if filepath.Base(common) == ".git" {
		return filepath.Dir(common)
	}
	if w := workTree(common); w != "" && depth < maxNesting {
		if r, ok := repoAt(w, depth+1); ok {
			return r.id
		}
	}
	return common
}

// workTree returns the working tree a repository's settings name (a submodule's do), if that tree names it in return.
func workTree(common string) string {
	w := readConfig(common).worktreeFrom(common)
	if w == "" {
		return ""
	}
	if target, ok := readPointer(filepath.Join(w, ".git"), "gitdir:"); ok && resolve(under(w, target)) == common {
		return w
	}
	return ""
}

// commonOf returns the common directory of a linked worktree's git directory, which lies in <common>/worktrees. A
// commondir file anywhere else is not believed.
func commonOf(gitDir string) (string, bool) {
	list := filepath.Dir(gitDir)
	if filepath.Base(list) != "worktrees" {
		return "", false
	}
	target, ok := readPointer(filepath.Join(gitDir, "commondir"), "")
	if !ok {
		return "", false
	}
	common := resolve(under(gitDir, target))
	return common, common == filepath.Dir(list) && isGitDir(common)
}

// pointsBack reports whether the linked worktree's git directory names d as its worktree.
func pointsBack(gitDir, d string) bool {
	target, ok := readPointer(filepath.Join(gitDir, "gitdir"), "")
	return ok && resolve(filepath.Dir(under(gitDir, target))) == d
}

// isGitDir applies git's own test: HEAD, and objects and refs or a pointer to where they are.
func isGitDir(d string) bool {
	if _, err := os.Lstat(filepath.Join(d, "HEAD")); err != nil {
		return false
	}
	if info, err := os.Stat(filepath.Join(d, "commondir")); err == nil && info.Mode().IsRegular() {
		return true
	}
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(d, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// readPointer reads a file that holds one path after prefix.
func readPointer(path, prefix string) (string, bool) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	text, err := readSmall(path, maxPointerBytes)
	if err != nil {
		return "", false
	}
	target, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), prefix)
	if prefix != "" {
		target = strings.TrimPrefix(target, " ")
	}
	return target, ok && target != "" && !strings.ContainsRune(target, 0)
}

// under makes a pointer's path absolute.
func under(dir, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
