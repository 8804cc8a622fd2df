package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/testigo/testigo"
)

// writeOld writes a file whose time lies far enough back to stand for its content.
func writeOld(t testing.TB, path, text string) {
	t.Helper()
	write(t, path, text)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func TestCheckSources(t *testing.T) {
	t.Parallel()
	root := filepath.Join(tempDir(t), "repo")
	writeOld(t, filepath.Join(root, "conf", "app.yml"), "port: 1\n")
	link(t, "conf/app.yml", filepath.Join(root, "inner"))
	link(t, filepath.Join(root, "conf"), filepath.Join(root, "absolute-inner"))
	link(t, root, filepath.Join(filepath.Dir(root), "link"))
	got, err := CheckSources(filepath.Join(filepath.Dir(root), "link"), []testigo.Source{
		{Path: "conf/app.yml"}, {Path: "./conf/../inner"}, {Path: "absolute-inner/app.yml"},
		{Path: "conf/app.yml", SHA256: strings.ToUpper(sum("port: 1\n"))}, {Path: "conf/app.yml", SHA256: sum("as I saw it")},
		{Commit: "ABCDEF1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []testigo.Source{
		{Path: "conf/app.yml", SHA256: sum("port: 1\n"), Size: 8, ModTime: at}, {Path: "inner", SHA256: sum("port: 1\n"), Size: 8, ModTime: at},
		{Path: "absolute-inner/app.yml", SHA256: sum("port: 1\n"), Size: 8, ModTime: at},
		{Path: "conf/app.yml", SHA256: sum("port: 1\n"), Size: 8, ModTime: at}, {Path: "conf/app.yml", SHA256: sum("as I saw it")},
		{Commit: "abcdef1"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got, err := CheckSources("", nil); got != nil || err != nil {
		t.Errorf("no sources: %v, %v", got, err)
	}
	if got, err := CheckSources("", []testigo.Source{{Commit: "abcdef1"}}); len(got) != 1 || err != nil {
		t.Errorf("a commit needs no directory: %v, %v", got, err)
	}
}

func TestSourcesStayInside(t *testing.T) { // X09
	t.Parallel()
	base := tempDir(t)
	root := mkdir(t, filepath.Join(base, "repo"))
	write(t, filepath.Join(base, "repo-staging", "x"), "x")
	write(t, filepath.Join(root, "ok"), "ok")
	mkdir(t, filepath.Join(root, "dir"))
	link(t, "/etc", filepath.Join(root, "etc"))
	link(t, "../repo-staging/x", filepath.Join(root, "sibling"))
	link(t, "nowhere", filepath.Join(root, "dangling"))
	big, err := os.Create(filepath.Join(root, "big"))
	if err != nil {
		t.Fatal(err)
	}
	if err := big.Truncate(testigo.MaxSourceBytes + 1); err != nil {
		t.Fatal(err)
	}
	big.Close()
	many := make([]testigo.Source, testigo.MaxSources+1)
	for i := range many {
		many[i].Path = "ok"
	}
	for name, c := range map[string]struct {
		root string
		in   []testigo.Source
		want string
	}{
		"upwards":         {root, []testigo.Source{{Path: "../../etc/passwd"}}, "relative to the project"},
		"absolute":        {root, []testigo.Source{{Path: "/etc/passwd"}}, "relative to the project"},
		"through a link":  {root, []testigo.Source{{Path: "etc/passwd"}}, "outside the project"},
		"sibling name":    {root, []testigo.Source{{Path: "sibling"}}, "outside the project"},
		"dangling":        {root, []testigo.Source{{Path: "dangling"}}, "does not exist"},
		"missing":         {root, []testigo.Source{{Path: "100%s"}}, `"100%s" does not exist`},
		"directory":       {root, []testigo.Source{{Path: "dir"}}, "not a regular file"},
		"top":             {root, []testigo.Source{{Path: "."}}, "not a regular file"},
		"large":           {root, []testigo.Source{{Path: "big"}}, "16 MiB"},
		"hidden":          {root, []testigo.Source{{Path: "o\u202ek"}}, "U+202E"},
		"not text":        {root, []testigo.Source{{Path: "o\xffk"}}, "UTF-8"},
		"both":            {root, []testigo.Source{{Path: "ok", Commit: "abcdef1"}}, "either"},
		"neither":         {root, []testigo.Source{{SHA256: sum("")}}, "either"},
		"short hash":      {root, []testigo.Source{{Path: "ok", SHA256: "abc"}}, "64 hex"},
		"short commit":    {root, []testigo.Source{{Commit: "abcdef"}}, "7 to 64"},
		"option":          {root, []testigo.Source{{Commit: "--output"}}, "7 to 64"},
		"commit and hash": {root, []testigo.Source{{Commit: "abcdef1", SHA256: sum("")}}, "no sha256"},
		"too many":        {root, many, "at most 64"},
		"no project":      {"", []testigo.Source{{Path: "ok"}}, "there is none"},
		"root not there":  {filepath.Join(base, "nowhere"), []testigo.Source{{Path: "ok"}}, "cannot be read"},
	} {
		got, err := CheckSources(c.root, c.in)
		if e := testigo.AsError(err); e == nil || e.Code != testigo.CodeInvalid || e.Field != "sources" || !strings.Contains(e.Msg, c.want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if got, err := CheckSources(root, many[1:]); err != nil || len(got) != testigo.MaxSources {
		t.Errorf("as many as allowed: %v", err)
	}
}

func TestFreshTimesAreNoHint(t *testing.T) {
	t.Parallel()
	now := at.Add(time.Hour)
	for mod, want := range map[time.Time]bool{
		now.Add(-time.Millisecond): false, now.Add(-25 * time.Millisecond): true, now.Add(-time.Second): false,
		now.Add(-3 * time.Second): true, now.Add(time.Second): false, {}: false,
	} {
		if got := settled(mod, now); got != want {
			t.Errorf("%v before: %v", now.Sub(mod), got)
		}
	}
}

func TestStaleFiles(t *testing.T) { // M01
	t.Parallel()
	repo := newRepo(t, filepath.Join(tempDir(t), "repo"))
	names := []string{"same", "touched", "edited", "longer", "deleted", "uncommitted", "dir", "linked", "d/x", "big"}
	var in []testigo.Source
	for _, n := range names {
		writeOld(t, filepath.Join(repo, n), "port: 1\n")
		in = append(in, testigo.Source{Path: n})
	}
	commit(t, repo, "files")
	src, err := CheckSources(repo, in)
	if err != nil {
		t.Fatal(err)
	}
	if s := StaleSources(t.Context(), repo, src); s != nil {
		t.Fatalf("nothing changed: %+v", s)
	}

	file := func(n string) string { return filepath.Join(repo, n) }
	for _, n := range []string{"deleted", "uncommitted", "dir", "linked"} {
		if n == "uncommitted" {
			commit(t, repo, "remove")
		}
		if err := os.Remove(file(n)); err != nil {
			t.Fatal(err)
		}
	}
	head := runGit(t, repo, "rev-parse", "--short=7", "HEAD")
	write(t, file("touched"), "port: 1\n")
	write(t, file("edited"), "port: 2\n")
	write(t, file("longer"), "port: 10\n")
	mkdir(t, file("dir"))
	link(t, "/etc/passwd", file("linked"))
	if err := os.RemoveAll(file("d")); err != nil {
		t.Fatal(err)
	}
	write(t, file("d"), "a file now")
	if err := os.Truncate(file("big"), testigo.MaxSourceBytes+1); err != nil {
		t.Fatal(err)
	}

	want := []testigo.StaleSource{
		{Path: "edited", State: "changed", Reason: "content differs"},
		{Path: "longer", State: "changed", Reason: "content differs: was 8 bytes, is 9"},
		{Path: "deleted", State: "missing", Reason: "file missing since commit " + head},
		{Path: "uncommitted", State: "missing", Reason: "file missing, still in the last commit"},
		{Path: "dir", State: "changed", Reason: "is no regular file now"},
		{Path: "linked", State: "changed", Reason: "now leads outside the repository"},
		{Path: "d/x", State: "missing", Reason: "file missing, still in the last commit"},
		{Path: "big", State: "changed", Reason: "content differs: was 8 bytes, is 16777217"},
	}
	if d := cmp.Diff(want, StaleSources(t.Context(), repo, src)); d != "" {
		t.Error(d)
	}

	// Without hints (another machine, or content that was never the file's) the hash decides.
	bare := []testigo.Source{{Path: "same", SHA256: sum("port: 1\n")}, {Path: "edited", SHA256: sum("port: 1\n")}, {Path: "same"},
		{Path: "big", SHA256: sum("")}, {Path: "../x", SHA256: sum("")}}
	got := StaleSources(t.Context(), repo, bare)
	var states []string
	for _, s := range got {
		states = append(states, s.Path+" "+s.State)
	}
	if d := cmp.Diff([]string{"edited changed", "same unchecked", "big changed", "../x unchecked"}, states); d != "" {
		t.Error(d)
	}
}

func TestStaleWhereNothingCanBeChecked(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	src := []testigo.Source{{Path: "a", SHA256: sum("a")}, {Commit: "abcdef1"}}
	for _, root := range []string{"", filepath.Join(base, "nowhere")} {
		s := StaleSources(t.Context(), root, src)
		if len(s) != 2 || s[0].State != "unchecked" || s[1].State != "unchecked" || s[0].Reason != "the repository is not here" {
			t.Errorf("%q: %+v", root, s)
		}
	}
	want := []testigo.StaleSource{{Path: "a", State: "missing", Reason: "file missing"}, {Commit: "abcdef1", State: "unchecked", Reason: "no git repository here"}}
	if d := cmp.Diff(want, StaleSources(t.Context(), base, src)); d != "" {
		t.Error(d)
	}
	if s := StaleSources(t.Context(), base, nil); s != nil {
		t.Errorf("%+v", s)
	}
}

func TestStaleCommits(t *testing.T) {
	t.Parallel()
	repo := newRepo(t, filepath.Join(tempDir(t), "repo"))
	head := runGit(t, repo, "rev-parse", "HEAD")
	blob := runGit(t, repo, "rev-parse", "HEAD:a.txt")
	none := strings.Repeat("ab", 20)
	got := StaleSources(t.Context(), repo, []testigo.Source{{Commit: head}, {Commit: none}, {Commit: head[:7]}, {Commit: blob}, {Commit: "--all\nHEAD"}})
	want := []testigo.StaleSource{
		{Commit: none, State: "missing", Reason: "no such commit in this repository"}, {Commit: blob, State: "missing", Reason: "no such commit in this repository"},
		{Commit: "--all\nHEAD", State: "missing", Reason: "no such commit in this repository"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func BenchmarkStaleSourcesFresh(b *testing.B) {
	root := resolve(b.TempDir())
	writeOld(b, filepath.Join(root, "a", "b.txt"), strings.Repeat("x", 10000))
	src, err := CheckSources(root, []testigo.Source{{Path: "a/b.txt"}})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if s := StaleSources(b.Context(), root, src); s != nil {
			b.Fatal(s)
		}
	}
}
