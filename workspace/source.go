package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/testigo/testigo"
)

// CheckSources checks the sources of a fact at write time and completes them: paths become clean and relative, a missing
// hash is computed, Size and ModTime are filled in where they can stand for the content. Files must be regular, at most
// 16 MiB, and inside root after every link is followed. Errors are CodeInvalid on sources.
func CheckSources(root string, in []testigo.Source) ([]testigo.Source, error) {
	if len(in) == 0 {
		return nil, nil
	}
	if len(in) > testigo.MaxSources {
		return nil, testigo.Invalid("sources", "has %d sources; at most %d are allowed", len(in), testigo.MaxSources)
	}
	out := make([]testigo.Source, 0, len(in))
	var top *os.Root
	for _, s := range in {
		switch {
		case s.Path != "" && s.Commit != "", s.Path == "" && s.Commit == "":
			return nil, testigo.Invalid("sources", "each source is either a path or a commit")
		case s.Commit != "":
			c, err := checkCommit(s)
			if err != nil {
				return nil, err
			}
			out = append(out, c)
			continue
		}
		if top == nil {
			var err error
			if top, err = openTop(root); err != nil {
				return nil, err
			}
			defer top.Close()
		}
		c, err := checkFile(top, s)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

func openTop(root string) (*os.Root, error) {
	if root == "" {
		return nil, testigo.Invalid("sources", "a path needs a project directory, and there is none here").WithNext("leave sources out, or cite a commit")
	}
	top, err := os.OpenRoot(resolve(root))
	if err != nil {
		e := testigo.Invalid("sources", "the project directory %s cannot be read", quote(root))
		e.Err = err
		return nil, e
	}
	return top, nil
}

func checkCommit(s testigo.Source) (testigo.Source, error) {
	c := strings.ToLower(s.Commit)
	if !isHex(c, 7) {
		return s, testigo.Invalid("sources", "%s is not a commit: 7 to 64 hex digits", quote(s.Commit))
	}
	if s.SHA256 != "" {
		return s, testigo.Invalid("sources", "a commit takes no sha256")
	}
	return testigo.Source{Commit: c}, nil
}

func checkFile(top *os.Root, s testigo.Source) (testigo.Source, error) {
	fail := func(format string, args ...any) (testigo.Source, error) {
		return s, testigo.Invalid("sources", quoteFor(s.Path)+" "+format, args...)
	}
	want := strings.ToLower(s.SHA256)
	if want != "" && !isHex(want, 64) {
		return fail("has a sha256 that is not 64 hex digits")
	}
	if r, bad := testigo.HasHidden(s.Path); bad || strings.ToValidUTF8(s.Path, "") != s.Path {
		return fail("contains the control or direction character U+%04X, or is not valid UTF-8", r)
	}
	clean := path.Clean(filepath.ToSlash(s.Path))
	if !filepath.IsLocal(filepath.FromSlash(clean)) {
		return fail("must be a path relative to the project directory and inside it")
	}
	name, err := insideOf(top.Name(), clean)
	if err != nil {
		return fail("leads outside the project directory")
	}
	c, err := readContent(context.Background(), top, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fail("does not exist")
	case errors.Is(err, errNotRegular), errors.Is(err, errTooLarge):
		return fail("%s", err)
	case err != nil:
		return fail("cannot be read")
	}
	out := testigo.Source{Path: clean, SHA256: c.sum}
	if want != "" && want != c.sum {
		out.SHA256 = want // the writer saw other content: no hints, so every later look compares hashes
		return out, nil
	}
	if settled(c.mod, time.Now()) {
		out.Size, out.ModTime = c.size, c.mod
	}
	return out, nil
}

// settled reports whether a file's time stands for its content: a write that follows at once could otherwise leave the
// same time behind. File systems that count whole seconds need two of them, others a few milliseconds.
func settled(mod, now time.Time) bool {
	grain := 20 * time.Millisecond
	if mod.Nanosecond() == 0 {
		grain = 2 * time.Second
	}
	return !mod.IsZero() && now.Sub(mod) > grain
}

var errOutside = errors.New("outside the project directory")

// insideOf follows the links of a relative path and returns where it leads, relative to top, a real path.
func insideOf(top, rel string) (string, error) {
	real := resolve(filepath.Join(top, filepath.FromSlash(rel)))
	if !below(real, top) {
		return "", errOutside
	}
	return filepath.Rel(top, real)
}

// quoteFor quotes foreign text for use in a format string.
func quoteFor(s string) string { return strings.ReplaceAll(quote(s), "%", "%%") }
