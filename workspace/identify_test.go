package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/testigo/testigo"
)

func TestExplicitIsHonouredOrRefused(t *testing.T) { // P08
	t.Parallel()
	base := tempDir(t)
	dir := mkdir(t, filepath.Join(base, "tmp"))
	repo := newRepo(t, filepath.Join(base, "repo"))
	mkdir(t, filepath.Join(repo, "sub"))
	home := mkdir(t, filepath.Join(base, "home"))
	newRepo(t, filepath.Join(home, "work"))
	for _, c := range []struct {
		name     string
		explicit string
		env      string
		id, kind string
		root     string
		bad      string
	}{
		{"name", "backend", "", "backend", "explicit", dir, ""},
		{"name beats environment", "backend", "other", "backend", "explicit", dir, ""},
		{"environment", "", "other", "other", "explicit", dir, ""},
		{"name with a slash", "acme/backend", "", "acme/backend", "explicit", dir, ""},
		{"composed", "cafe\u0301", "", "caf\u00e9", "explicit", dir, ""},
		{"none", "none", "other", "", "none", dir, ""},
		{"path", repo, "", repo, "git", repo, ""},
		{"path below", filepath.Join(repo, "sub"), "", repo, "git", repo, ""},
		{"relative path", "../repo/sub", "", repo, "git", repo, ""},
		{"here", ".", "", dir, "folder", dir, ""},
		{"home path", "~/work", "", filepath.Join(home, "work"), "git", filepath.Join(home, "work"), ""},
		{"path in environment", "", repo, repo, "git", repo, ""},
		{"not there yet", "./new", "", filepath.Join(dir, "new"), "folder", filepath.Join(dir, "new"), ""},
		{"home is refused", "~", "", "", "", "", "home directory is no project"},
		{"root is refused", "/", "", "", "", "", "no project"},
		{"somebody's home", "~bob/x", "", "", "", "", "in full"},
		{"hidden", "back\u202eend", "", "", "", "", "U+202E"},
		{"hidden path", "/x/\n", "", "", "", "", "U+000A"},
		{"blank", " backend", "", "", "", "", "white space"},
		{"invalid", "a\xff", "", "", "", "", "UTF-8"},
		{"long", strings.Repeat("x", 201), "", "", "", "", "201 characters"},
		{"bad environment", "", "a\x07", "", "", "", "TESTIGO_PROJECT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, err := Identify(dir, Options{Explicit: c.explicit, EnvProject: c.env, Home: home})
			if c.bad != "" {
				if testigo.CodeOf(err) != testigo.CodeInvalid || !strings.Contains(err.Error(), c.bad) {
					t.Fatalf("got %+v, %v; want a refusal with %q", p, err, c.bad)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if p.ID != c.id || p.Kind != c.kind || p.Root != c.root || p.Why == "" {
				t.Errorf("got %+v, want %s %s %s", p, c.kind, c.id, c.root)
			}
		})
	}
}

func TestNoProject(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	home, temp := mkdir(t, filepath.Join(base, "home")), mkdir(t, filepath.Join(base, "temp"))
	link(t, home, filepath.Join(base, "home-link"))
	o := Options{Home: filepath.Join(base, "home-link"), TempDir: temp}
	for _, dir := range []string{"/", "/tmp", "/var/tmp", home, temp, filepath.Join(temp, "x", ".."), ""} {
		if p := identify(t, dir, o); p.ID != testigo.NoProject || p.Kind != "none" || p.Why == "" || p.Root != "" {
			t.Errorf("%q: %+v", dir, p)
		}
	}
	for _, dir := range []string{filepath.Join(home, "docs"), filepath.Join(temp, "work")} {
		if p := identify(t, dir, o); p.ID != dir || p.Kind != "folder" || p.Root != dir {
			t.Errorf("%q: %+v", dir, p)
		}
	}
	newRepo(t, home)
	if p := identify(t, home, o); p.ID != home || p.Kind != "git" {
		t.Errorf("a repository is always a project: %+v", p)
	}
}

func TestWorktreesBelongTogether(t *testing.T) { // P01, P02, P15
	t.Parallel()
	base := tempDir(t)
	main := newRepo(t, filepath.Join(base, "app"))
	runGit(t, main, "remote", "add", "origin", "https://user:secret@GitHub.com/Acme/App.git")
	tree := filepath.Join(base, "worktrees", "6389", "app")
	runGit(t, main, "worktree", "add", "-q", "-b", "ticket", tree)
	mkdir(t, filepath.Join(tree, "deep", "er"))

	for _, dir := range []string{main, tree, filepath.Join(tree, "deep", "er"), filepath.Join(main, ".git"),
		filepath.Join(main, ".git", "worktrees", "app"), filepath.Join(main, "not", "there", "yet")} {
		p := identify(t, dir, Options{})
		if p.ID != main || p.Kind != "git" || p.Remote != "github.com/Acme/App" {
			t.Errorf("%s: %+v", dir, p)
		}
	}
	if p := identify(t, tree, Options{}); p.Root != tree {
		t.Errorf("root of the worktree is %s", p.Root)
	}
	runGit(t, main, "worktree", "remove", "--force", tree)
	if p := identify(t, main, Options{}); p.ID != main {
		t.Errorf("after the worktree is gone: %+v", p)
	}
}

func TestOnePlaceDerivesIdentity(t *testing.T) { // P01
	t.Parallel()
	words := []string{"git-common-" + "dir", "common" + "dir", "show-" + "toplevel", `"gitdir` + `:`}
	err := filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "workspace" || d.Name() == "testdata" || len(d.Name()) > 2 && d.Name()[0] == '.'):
			return filepath.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, w := range words {
			if strings.Contains(string(text), w) {
				t.Errorf("%s derives a repository's identity itself (%s): call workspace.Identify", path, w)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSameBeforeAndAfterCreation(t *testing.T) { // P06
	t.Parallel()
	base := tempDir(t)
	mkdir(t, filepath.Join(base, "real"))
	link(t, filepath.Join(base, "real"), filepath.Join(base, "link"))
	link(t, "later", filepath.Join(base, "dangling"))
	for given, want := range map[string]string{
		filepath.Join(base, "link", "a", "b"):  filepath.Join(base, "real", "a", "b"),
		filepath.Join(base, "dangling", "sub"): filepath.Join(base, "later", "sub"),
	} {
		before := identify(t, given, Options{})
		mkdir(t, want)
		after := identify(t, given, Options{})
		if before.ID != want || before != after {
			t.Errorf("%s: before %+v, after %+v", given, before, after)
		}
	}
	link(t, "loop-b", filepath.Join(base, "loop-a"))
	link(t, "loop-a", filepath.Join(base, "loop-b"))
	if p := identify(t, filepath.Join(base, "loop-a", "x"), Options{}); p.Kind != "folder" {
		t.Errorf("a loop of links: %+v", p)
	}
}

func TestScopeIsComputedPerCall(t *testing.T) { // P11
	t.Parallel()
	base := tempDir(t)
	a, b := newRepo(t, filepath.Join(base, "repo-a")), newRepo(t, filepath.Join(base, "repo-a-staging"))
	for range 2 {
		for _, dir := range []string{a, b} {
			if p := identify(t, dir, Options{}); p.ID != dir || p.Root != dir {
				t.Errorf("%s: %+v", dir, p)
			}
		}
	}
	c := mkdir(t, filepath.Join(base, "later"))
	if p := identify(t, c, Options{}); p.Kind != "folder" {
		t.Errorf("before git init: %+v", p)
	}
	newRepo(t, c)
	if p := identify(t, c, Options{}); p.Kind != "git" {
		t.Errorf("after git init: %+v", p)
	}
}

func TestSettingsFileCountsOnceTrusted(t *testing.T) {
	t.Parallel()
	repo := newRepo(t, filepath.Join(tempDir(t), "clone"))
	file := filepath.Join(repo, settingsName)
	sub := mkdir(t, filepath.Join(repo, "sub"))
	write(t, file, "project = \"victim\"\nother = 1\n")
	trust := Options{Trusted: func(p string) bool { return p == file }}

	if p := identify(t, sub, Options{}); p.ID != repo || !strings.Contains(p.Why, `"victim"`) || !strings.Contains(p.Why, "testigo trust") {
		t.Errorf("untrusted: %+v", p)
	}
	if p := identify(t, sub, trust); p.ID != "victim" || p.Kind != "explicit" || p.Root != repo {
		t.Errorf("trusted: %+v", p)
	}
	if p := identify(t, sub, Options{Trusted: trust.Trusted, EnvProject: "env"}); p.ID != "env" {
		t.Errorf("the environment goes first: %+v", p)
	}
	for _, bad := range []string{"project = \"../other\"\n", "project = [\n", "project = 7\n", "# " + strings.Repeat("x", 65<<10)} {
		write(t, file, bad)
		if p, err := Identify(sub, trust); testigo.CodeOf(err) != testigo.CodeInvalid {
			t.Errorf("trusted and wrong (%.20q): %+v, %v", bad, p, err)
		}
		if p := identify(t, sub, Options{}); p.ID != repo {
			t.Errorf("untrusted and wrong: %+v", p)
		}
	}
	write(t, file, "library = \"docs\"\n")
	if p := identify(t, sub, trust); p.ID != repo {
		t.Errorf("without a project key: %+v", p)
	}
}

func TestIdentityIsText(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/a/ß 日本": "/a/ß 日本", "/a\nb": "/a%0Ab", "/a\xffb": "/a%FFb", "/a\u202eb": "/a%E2%80%AEb",
	} {
		if got := identityText(path); got != want {
			t.Errorf("%q: %q", path, got)
		}
	}
}

func TestSameTree(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"/repo-a", "/repo-a", true}, {"/repo-a", "/repo-a/", true}, {"/repo-a", "/repo-a/x", true}, {"/repo-a/x/y", "/repo-a", true},
		{"/repo-a", "/repo-a-staging", false}, {"/repo-a-staging", "/repo-a", false}, {"/repo-a/x", "/repo-a/xy", false},
		{"/repo-a/x", "/repo-a/y", false}, {"/", "/x", true}, {"", "/x", false}, {"", "", false}, {"/a/../b", "/b/c", true},
	} {
		a, b := filepath.FromSlash(c.a), filepath.FromSlash(c.b)
		if got := SameTree(a, b); got != c.want || SameTree(b, a) != got {
			t.Errorf("SameTree(%q, %q) = %v", a, b, got)
		}
	}
}

func TestSpelling(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	// A file system that ignores case is played by a second, unlisted name of the same file.
	write(t, filepath.Join(base, "Repo", "READ\u00c9.md"), "x")
	if err := os.Link(filepath.Join(base, "Repo", "READ\u00c9.md"), filepath.Join(base, "Repo", "reade\u0301.md")); err != nil {
		t.Fatal(err)
	}
	names := func(dir string) []string {
		return slices.DeleteFunc(dirNames(dir), func(n string) bool { return n == "reade\u0301.md" })
	}
	for given, want := range map[string]string{
		"Repo/reade\u0301.md": "Repo/READ\u00c9.md",
		"Repo/READ\u00c9.md":  "Repo/READ\u00c9.md",
		"Repo/new/X":          "Repo/new/X", // not there yet
		"repo":                "repo",       // another case is another file here
		"repo/reade\u0301.md": "repo/reade\u0301.md",
	} {
		if got := spell(filepath.Join(base, filepath.FromSlash(given)), names); got != filepath.Join(base, filepath.FromSlash(want)) {
			t.Errorf("%q: %q", given, got)
		}
	}
	if got := spellPart(base, "Repo", nil); got != "Repo" {
		t.Errorf("a directory that cannot be listed: %s", got)
	}
}

func BenchmarkIdentify(b *testing.B) {
	dir := mkdir(b, filepath.Join(newRepo(b, filepath.Join(resolve(b.TempDir()), "repo")), "a", "b", "c"))
	for b.Loop() {
		if _, err := Identify(dir, Options{Home: "/root"}); err != nil {
			b.Fatal(err)
		}
	}
}
