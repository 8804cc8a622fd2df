package workspace

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/testigo/testigo"
)

// TestRepositoryRunsNothing sets every trap a repository can set for git status and git log, and looks whether one snaps.
func TestRepositoryRunsNothing(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the traps are shell scripts")
	}
	base := tempDir(t)
	repo := newRepo(t, filepath.Join(base, "repo"))
	first := captureHere(t, repo)
	write(t, filepath.Join(repo, ".gitattributes"), "* filter=evil diff=evil\n")
	write(t, filepath.Join(repo, "b.txt"), "b\n")
	commit(t, repo, "second")
	head := sign(t, repo)

	snapped := filepath.Join(base, "snapped")
	trap := filepath.Join(base, "trap.sh")
	write(t, trap, "#!/bin/sh\necho \"$0 $*\" >> '"+snapped+"'\ncat\n")
	hook := filepath.Join(repo, ".git", "hooks", "post-index-change")
	write(t, hook, "#!/bin/sh\necho hook >> '"+snapped+"'\n")
	for _, f := range []string{trap, hook} {
		if err := os.Chmod(f, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, kv := range []string{
		"core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy", "core.alternateRefsCommand",
		"pager.status", "pager.log", "pager.config", "diff.external", "diff.evil.command", "diff.evil.textconv", "gpg.program",
		"filter.evil.clean", "filter.evil.smudge", "credential.helper", "alias.status", "uploadpack.packObjectsHook", "interactive.diffFilter",
	} {
		runGit(t, repo, "config", kv, trap)
	}
	for _, kv := range [][2]string{
		{"filter.evil.required", "true"}, {"log.showSignature", "true"}, {"core.hooksPath", filepath.Dir(hook)}, {"log.diffMerges", "on"},
		{"protocol.ext.allow", "always"}, {"remote.origin.url", "ext::" + trap}, {"remote.origin.promisor", "true"}, {"status.submoduleSummary", "true"},
	} {
		runGit(t, repo, "config", kv[0], kv[1])
	}
	write(t, filepath.Join(base, "more.conf"), "[filter \"evil\"]\n\tprocess = "+trap+"\n")
	runGit(t, repo, "config", "include.path", filepath.Join(base, "more.conf"))
	write(t, filepath.Join(repo, "a.txt"), "two\n")
	if err := os.Chtimes(filepath.Join(repo, "b.txt"), at, at); err != nil { // same content, other time: git must read it
		t.Fatal(err)
	}

	for _, command := range []string{"status", "log"} {
		if out, _ := runGitMayFail(t, repo, command); !exists(snapped) {
			t.Fatalf("the traps for git %s do not work, so the test proves nothing: %s", command, out)
		}
		if err := os.Remove(snapped); err != nil {
			t.Fatal(err)
		}
	}
	p := identify(t, repo, Options{})
	w := Capture(t.Context(), repo, p, at)
	if w.Incomplete != "" || w.Commit != head || w.DirtyTotal != 1 || w.Dirty[0].SHA256 != sum("two\n") {
		t.Errorf("capture: %+v", w)
	}
	c := Compare(t.Context(), first, repo, p)
	if c.Status != "moved" || c.CommitsTotal != 1 {
		t.Errorf("compare: %+v", c)
	}
	StaleSources(t.Context(), repo, []testigo.Source{{Path: "never.txt"}, {Commit: head}, {Commit: strings.Repeat("ab", 20)}})
	if text, err := os.ReadFile(snapped); err == nil {
		t.Errorf("the repository ran:\n%s", text)
	}
}

// sign replaces the newest commit by one that carries a signature, so that showing it would call gpg.
func sign(t *testing.T, repo string) string {
	t.Helper()
	head, body, _ := strings.Cut(runGit(t, repo, "cat-file", "commit", "HEAD"), "\n\n")
	object := filepath.Join(repo, ".git", "signed")
	write(t, object, head+"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n AAAA\n -----END PGP SIGNATURE-----\n\n"+body+"\n")
	signed := runGit(t, repo, "hash-object", "-t", "commit", "-w", object)
	runGit(t, repo, "update-ref", "HEAD", signed)
	return signed
}

func TestForeignWorkTreeIsRefused(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	repo := newRepo(t, filepath.Join(base, "repo"))
	write(t, filepath.Join(base, "private", "secret"), "secret")
	runGit(t, repo, "config", "core.worktree", filepath.Join(base, "private"))
	w := captureHere(t, repo)
	if w.Incomplete == "" || len(w.Dirty) > 0 {
		t.Errorf("%+v", w)
	}
}

func TestFilterWithAnAwkwardName(t *testing.T) {
	t.Parallel()
	repo := newRepo(t, filepath.Join(tempDir(t), "repo"))
	runGit(t, repo, "config", "filter.a=b.clean", "false")
	if w := captureHere(t, repo); !strings.Contains(w.Incomplete, "filter") {
		t.Errorf("%+v", w)
	}
}

func TestSettingsThatAreNoTrouble(t *testing.T) {
	t.Parallel()
	repo := newRepo(t, filepath.Join(tempDir(t), "repo"))
	for _, kv := range [][2]string{{"core.bare", "false"}, {"core.worktree", repo}, {"filter.lfs.clean", "git-lfs clean"}, {"filter.lfs.required", "true"}, {"status.showUntrackedFiles", "no"}} {
		runGit(t, repo, "config", kv[0], kv[1])
	}
	write(t, filepath.Join(repo, "new"), "new")
	if w := captureHere(t, repo); w.Incomplete != "" || w.DirtyTotal != 1 {
		t.Errorf("%+v", w)
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	got := strings.Join(environment([]string{"PATH=/bin", "GIT_DIR=/x", "git_work_tree=/x", "GIT_CONFIG_GLOBAL=/g", "GIT_CONFIG_COUNT=1", "LC_ALL=de_DE", "HOME=/h"}), " ")
	want := "PATH=/bin GIT_CONFIG_GLOBAL=/g HOME=/h LC_ALL=C GIT_TERMINAL_PROMPT=0 GIT_OPTIONAL_LOCKS=0 GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL="
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestGitThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the slow program is a shell script")
	}
	base := tempDir(t)
	slow := filepath.Join(base, "git")
	// The grandchild keeps the output open for longer than the test waits.
	write(t, slow, "#!/bin/sh\nprintf '? half\\0'\nsleep 20 &\nwait\n")
	if err := os.Chmod(slow, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	var s status
	err := git{program: slow, dir: base}.run(ctx, "", func(r io.Reader) (err error) {
		s, err = parseStatus(r, 10)
		return err
	})
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("took %v", d)
	}
	if err == nil || !strings.Contains(explain(ctx, err), "time limit") || s.total > 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestOutputIsBounded(t *testing.T) {
	t.Parallel()
	repo := newRepo(t, filepath.Join(tempDir(t), "repo"))
	g := git{program: "git", dir: repo}
	if _, err := g.text(t.Context(), 3, "rev-parse", "HEAD"); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("%v", err)
	}
	if _, err := g.text(t.Context(), 300, "rev-parse", "--verify", "no-such\x1b-ref"); err == nil || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("%v", err)
	}
}
