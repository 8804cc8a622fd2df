package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSubmodules(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	lib := newRepo(t, filepath.Join(base, "lib"))
	super := newRepo(t, filepath.Join(base, "super"))
	runGit(t, super, "submodule", "--quiet", "add", lib, "vendor/lib")
	commit(t, super, "add lib")
	sub := filepath.Join(super, "vendor", "lib")

	p := identify(t, mkdir(t, filepath.Join(sub, "x")), Options{})
	if p.ID != sub || p.Kind != "git" || p.Root != sub || !strings.Contains(p.Why, "submodule") {
		t.Errorf("submodule: %+v", p)
	}
	if p := identify(t, filepath.Join(super, ".git", "modules", "vendor", "lib"), Options{}); p.ID != sub {
		t.Errorf("inside its git directory: %+v", p)
	}

	tree := filepath.Join(base, "tree")
	runGit(t, super, "worktree", "add", "-q", tree)
	runGit(t, tree, "submodule", "--quiet", "update", "--init")
	if p := identify(t, filepath.Join(tree, "vendor", "lib"), Options{}); p.ID != sub || p.Root != filepath.Join(tree, "vendor", "lib") {
		t.Errorf("submodule of a linked worktree: %+v", p)
	}

	subTree := filepath.Join(base, "lib-tree")
	runGit(t, sub, "worktree", "add", "-q", subTree)
	if p := identify(t, subTree, Options{}); p.ID != sub || p.Root != subTree {
		t.Errorf("linked worktree of a submodule: %+v", p)
	}
	if w := Capture(t.Context(), subTree, p, at); w.Incomplete != "" || w.Branch != "lib-tree" {
		t.Errorf("capture in a linked worktree of a submodule: %+v", w)
	}
	if w := Capture(t.Context(), sub, p, at); w.Incomplete != "" || w.Worktree != sub || w.Commit == "" {
		t.Errorf("capture in a submodule: %+v", w)
	}
}

func TestBareRepositories(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	src := newRepo(t, filepath.Join(base, "src"))
	bare := filepath.Join(base, "app.git")
	runGit(t, base, "clone", "-q", "--bare", src, bare)
	tree := filepath.Join(base, "trees", "one")
	runGit(t, bare, "worktree", "add", "-q", "-b", "one", tree)
	for _, dir := range []string{bare, filepath.Join(bare, "refs"), tree} {
		if p := identify(t, dir, Options{}); p.ID != bare || p.Kind != "git" {
			t.Errorf("%s: %+v", dir, p)
		}
	}
	p := identify(t, bare, Options{})
	if w := Capture(t.Context(), bare, p, at); w.Incomplete != "" || w.Branch != "main" || len(w.Commit) != 40 || w.Worktree != "" {
		t.Errorf("capture in a bare repository: %+v", w)
	}
	if w := Capture(t.Context(), tree, p, at); w.Incomplete != "" || w.Branch != "one" || w.Worktree != tree || len(w.Dirty) > 0 {
		t.Errorf("capture in its worktree: %+v", w)
	}

	// A folder that holds its repository as .bare and only worktrees beside it.
	hub := mkdir(t, filepath.Join(base, "hub"))
	runGit(t, hub, "clone", "-q", "--bare", src, ".bare")
	write(t, filepath.Join(hub, ".git"), "gitdir: ./.bare\n")
	runGit(t, hub, "worktree", "add", "-q", "-b", "two", "two")
	for _, dir := range []string{hub, filepath.Join(hub, ".bare"), filepath.Join(hub, "two")} {
		if p := identify(t, dir, Options{}); p.ID != filepath.Join(hub, ".bare") {
			t.Errorf("%s: %+v", dir, p)
		}
	}
	if w := Capture(t.Context(), hub, p, at); w.Incomplete != "" || len(w.Dirty) > 0 || w.Commit == "" {
		t.Errorf("capture in the hub: %+v", w)
	}
}

// An unpacked archive may contain any .git. It must not be taken for the repository it names.
func TestPointersAreNotBelievedAlone(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	victim := newRepo(t, filepath.Join(base, "victim"))
	runGit(t, victim, "worktree", "add", "-q", filepath.Join(base, "tree"))
	lib := newRepo(t, filepath.Join(base, "lib"))
	runGit(t, victim, "submodule", "--quiet", "add", lib, "lib")

	evil := func(name string) string { return mkdir(t, filepath.Join(base, name)) }
	write(t, filepath.Join(evil("file"), ".git"), "gitdir: ../victim/.git\n")
	write(t, filepath.Join(evil("tree-copy"), ".git"), "gitdir: "+filepath.Join(victim, ".git", "worktrees", "tree")+"\n")
	write(t, filepath.Join(evil("module"), ".git"), "gitdir: ../victim/.git/modules/lib\n")
	link(t, filepath.Join(victim, ".git"), filepath.Join(evil("link"), ".git"))
	write(t, filepath.Join(evil("gone"), ".git"), "gitdir: "+filepath.Join(base, "nowhere")+"\n")
	write(t, filepath.Join(evil("noise"), ".git"), strings.Repeat("x", 100))
	dir := newRepo(t, evil("commondir"))
	write(t, filepath.Join(dir, ".git", "commondir"), filepath.Join(victim, ".git")+"\n")

	for _, name := range []string{"file", "tree-copy", "module", "link", "gone", "noise", "commondir"} {
		dir := filepath.Join(base, name)
		if p := identify(t, dir, Options{}); p.ID != dir || p.Why == "" {
			t.Errorf("%s: %+v", name, p)
		}
	}
	if w := Capture(t.Context(), filepath.Join(base, "gone"), identify(t, filepath.Join(base, "gone"), Options{}), at); w.Incomplete == "" {
		t.Errorf("a .git file that leads nowhere: %+v", w)
	}
}

func TestMovedWorktreeSaysHowToJoin(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	main := newRepo(t, filepath.Join(base, "main"))
	old, moved := filepath.Join(base, "old"), filepath.Join(base, "moved")
	runGit(t, main, "worktree", "add", "-q", old)
	if err := os.Rename(old, moved); err != nil {
		t.Fatal(err)
	}
	if p := identify(t, moved, Options{}); p.ID != moved || !strings.Contains(p.Why, "git worktree repair") {
		t.Errorf("before repair: %+v", p)
	}
	runGit(t, moved, "worktree", "repair")
	if p := identify(t, moved, Options{}); p.ID != main {
		t.Errorf("after repair: %+v", p)
	}
}

func TestSymlinkedBase(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	real := newRepo(t, filepath.Join(base, "real", "repo"))
	link(t, filepath.Join(base, "real"), filepath.Join(base, "link"))
	runGit(t, filepath.Join(base, "link", "repo"), "worktree", "add", "-q", filepath.Join(base, "link", "tree"))
	for _, dir := range []string{"link/repo", "link/tree", "real/tree"} {
		if p := identify(t, filepath.Join(base, dir), Options{}); p.ID != real {
			t.Errorf("%s: %+v", dir, p)
		}
	}
}

func TestNormaliseRemote(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://github.com/acme/app.git":                 "github.com/acme/app",
		"https://user:secret@GitHub.com/acme/App.git/":    "github.com/acme/App",
		"git@github.com:acme/app.git":                     "github.com/acme/app",
		"ssh://git@github.com:22/acme/app":                "github.com/acme/app",
		"ssh://git@example.org:2222/acme/app.git":         "example.org:2222/acme/app",
		"example.org:acme/app":                            "example.org/acme/app",
		"user:secret@example.org:acme/app":                "example.org/acme/app",
		"[2001:db8::1]:acme/app":                          "[2001:db8::1]/acme/app",
		"https://example.org/acme/app.git?token=secret#x": "example.org/acme/app",
		"https://user:1/secret@example.org/acme/app":      "",
		"https://user:pa/secret@example.org/acme/app":     "",
		"/srv/git/app.git":                                "",
		"../app.git":                                      "",
		"file:///srv/git/app.git":                         "",
		"C:/git/app.git":                                  "",
		`C:\git\app.git`:                                  "",
		"ext::sh -c evil":                                 "",
		"https://example.org":                             "",
		"https://exa\u202emple.org/x":                     "",
		"":                                                "",
	} {
		if got := normaliseRemote(raw); got != want {
			t.Errorf("%q: got %q, want %q", raw, got, want)
		}
	}
}

func TestParseConfig(t *testing.T) {
	t.Parallel()
	c := parseConfig("# x\n[core]\n\tbare = false ; no\n\tWorkTree = \"../a # b\" # c\n[remote \"up\\\"stream\"]\n\turl=first\n" +
		"[remote \"origin\"] url = git@h:p \n url = second\n[branch \"main\"]\n url = never\n[remote]\nurl = never\n[broken\n")
	if c.bare || c.worktree != "../a # b" || c.remoteURL() != "git@h:p" || len(c.remotes) != 2 || c.remotes[0].name != `up"stream` {
		t.Errorf("%+v", c)
	}
	if c := parseConfig("[core]\nbare\n"); !c.bare {
		t.Error("a key alone means true")
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add("[remote \"origin\"]\nurl = https://user:secret@h/p\n")
	f.Add("[core]\n\tworktree = \"a\\\"b\" ; c\n")
	f.Fuzz(func(t *testing.T, text string) {
		if got := normaliseRemote(parseConfig(text).remoteURL()); strings.Contains(got, "@") {
			t.Errorf("%q keeps a user: %q", text, got)
		}
	})
}
