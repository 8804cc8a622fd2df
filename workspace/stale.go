package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/testigo/testigo"
)

// historyTime bounds the search for the commit that deleted a cited file; the answer is as true without it.
const historyTime = 200 * time.Millisecond

// StaleSources compares the sources of a fact with the files below root and returns those that are not what they were.
// Size and modification time are looked at first and the content only when they differ. A source that cannot be looked
// at is "unchecked", with the reason.
func StaleSources(ctx context.Context, root string, src []testigo.Source) []testigo.StaleSource {
	return staleSources(ctx, "git", root, src)
}

func staleSources(ctx context.Context, program, root string, src []testigo.Source) []testigo.StaleSource {
	if len(src) == 0 {
		return nil
	}
	if root == "" || !isDir(root) {
		return allUnchecked(src, "the repository is not here")
	}
	top, err := os.OpenRoot(resolve(root))
	if err != nil {
		return allUnchecked(src, "the repository cannot be read")
	}
	defer top.Close()
	commits := staleCommits(ctx, program, top.Name(), src)
	history, cancel := context.WithTimeout(ctx, historyTime)
	defer cancel()
	var out []testigo.StaleSource
	for _, s := range src {
		st := commits[s.Commit]
		if s.Commit == "" {
			st = staleFile(ctx, top, s)
		}
		if st.State == "" {
			continue
		}
		if st.State == "missing" && s.Path != "" {
			st.Reason += deletedBy(history, program, top.Name(), s.Path)
		}
		st.Path, st.Commit = s.Path, s.Commit
		out = append(out, st)
	}
	return out
}

func allUnchecked(src []testigo.Source, why string) []testigo.StaleSource {
	out := make([]testigo.StaleSource, 0, len(src))
	for _, s := range src {
		out = append(out, testigo.StaleSource{Path: s.Path, Commit: s.Commit, State: "unchecked", Reason: why})
	}
	return out
}

// staleFile returns an empty state when the file is what it was.
func staleFile(ctx context.Context, top *os.Root, s testigo.Source) testigo.StaleSource {
	found := func(state, format string, args ...any) testigo.StaleSource {
		return testigo.StaleSource{State: state, Reason: fmt.Sprintf(format, args...)}
	}
	if ctx.Err() != nil {
		return found("unchecked", "the time limit was reached")
	}
	if !filepath.IsLocal(filepath.FromSlash(s.Path)) {
		return found("unchecked", "the path leads outside the repository")
	}
	name, err := insideOf(top.Name(), s.Path)
	if err != nil {
		return found("changed", "now leads outside the repository")
	}
	info, err := top.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR): // an element of the path may be a file now
		return found("missing", "file missing")
	case err != nil:
		return found("unchecked", "cannot be read")
	case !info.Mode().IsRegular():
		return found("changed", "is no regular file now")
	case !s.ModTime.IsZero() && info.Size() != s.Size:
		return found("changed", "content differs: was %d bytes, is %d", s.Size, info.Size())
	case !s.ModTime.IsZero() && info.ModTime().Equal(s.ModTime):
		return testigo.StaleSource{}
	case info.Size() > testigo.MaxSourceBytes:
		return found("changed", "is now larger than a source may be (%d bytes)", info.Size())
	case s.SHA256 == "":
		return found("unchecked", "no hash was recorded")
	}
	c, err := readContent(ctx, top, name)
	switch {
	case ctx.Err() != nil:
		return found("unchecked", "the time limit was reached")
	case err != nil:
		return found("unchecked", "cannot be read")
	case c.sum != s.SHA256:
		return found("changed", "content differs")
	}
	return testigo.StaleSource{}
}

// staleCommits looks up all cited commits with one git process.
func staleCommits(ctx context.Context, program, root string, src []testigo.Source) map[string]testigo.StaleSource {
	var names []string
	for _, s := range src {
		if s.Commit != "" {
			names = append(names, s.Commit)
		}
	}
	if len(names) == 0 {
		return nil
	}
	out := make(map[string]testigo.StaleSource, len(names))
	for _, n := range names {
		out[n] = testigo.StaleSource{State: "unchecked", Reason: "no git repository here"}
	}
	r, ok := findRepo(root)
	if !ok || r.gitDir == "" {
		return out
	}
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	var query strings.Builder
	for _, n := range names {
		if !isHex(n, 7) {
			n = strings.Repeat("0", 64)
		}
		query.WriteString(n + "^{commit}\n")
	}
	text, err := git{program: program, dir: r.root}.ask(ctx, query.String(), maxTextBytes, "cat-file", "--batch-check=%(objecttype)")
	lines := strings.Split(text, "\n")
	for i, n := range names {
		switch {
		case err != nil:
			out[n] = testigo.StaleSource{State: "unchecked", Reason: explain(ctx, err)}
		case i >= len(lines) || strings.HasSuffix(lines[i], " ambiguous"):
			out[n] = testigo.StaleSource{State: "unchecked", Reason: "the abbreviation fits more than one commit"}
		case lines[i] == "commit":
			out[n] = testigo.StaleSource{}
		default:
			out[n] = testigo.StaleSource{State: "missing", Reason: "no such commit in this repository"}
		}
	}
	return out
}

// deletedBy says which commit removed a file, "" when that is not known in time.
func deletedBy(ctx context.Context, program, root, path string) string {
	r, ok := findRepo(root)
	if !ok || r.gitDir == "" || r.bare {
		return ""
	}
	rel, err := filepath.Rel(r.root, filepath.Join(root, filepath.FromSlash(path)))
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	g, rel := git{program: program, dir: r.root}, filepath.ToSlash(rel)
	if _, err := g.text(ctx, maxTextBytes, "cat-file", "-e", "HEAD:"+rel); err == nil {
		return ", still in the last commit"
	}
	commit, err := g.text(ctx, maxTextBytes, "log", "--no-color", "--no-renames", "--diff-filter=D", "--max-count=1", "--no-patch", "--abbrev=7", "--format=%h", "--", rel)
	if err != nil || !isHex(commit, 4) {
		return ""
	}
	return " since commit " + commit
}
