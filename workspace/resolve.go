package workspace

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/testigo/testigo"
)

// maxLinks is how many links that lead nowhere (yet) are followed, as many as Linux follows itself.
const maxLinks = 40

// resolve returns the real path of path: absolute, links followed, and on file systems that ignore letter case spelled
// as the directories spell it. What does not exist yet is resolved up to its nearest existing parent, so the answer is
// the same before and after it is created.
func resolve(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil { // the working directory itself is gone
		abs = filepath.Clean(path)
	}
	real := followLinks(abs)
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return spell(real, dirNames)
	}
	return real
}

func followLinks(path string) string {
	rest := ""
	for links := 0; ; {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			return filepath.Join(real, rest)
		}
		if target, err := os.Readlink(path); err == nil && links < maxLinks {
			links++
			if !filepath.IsAbs(target) {
				target = filepath.Join(filepath.Dir(path), target)
			}
			path = filepath.Clean(target)
			continue
		}
		parent := filepath.Dir(path)
		if parent == path {
			return filepath.Join(path, rest)
		}
		path, rest = parent, filepath.Join(filepath.Base(path), rest)
	}
}

// spell rewrites each element of path as its directory lists it: first the exact name, else the one that differs only
// in letter case or Unicode form and is the same file.
func spell(path string, names func(dir string) []string) string {
	volume := filepath.VolumeName(path)
	at := strings.ToUpper(volume) + string(filepath.Separator)
	for _, part := range strings.Split(path[len(volume):], string(filepath.Separator)) {
		if part == "" {
			continue
		}
		at = filepath.Join(at, spellPart(at, part, names(at)))
	}
	return at
}

func spellPart(dir, part string, names []string) string {
	found := ""
	for _, n := range names {
		if n == part {
			return part
		}
		if strings.EqualFold(norm.NFC.String(n), norm.NFC.String(part)) {
			found = n
		}
	}
	if found == "" {
		return part
	}
	a, errA := os.Lstat(filepath.Join(dir, part))
	b, errB := os.Lstat(filepath.Join(dir, found))
	if errA != nil || errB != nil || !os.SameFile(a, b) {
		return part
	}
	return found
}

func dirNames(dir string) []string {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	return names
}

// SameTree reports whether two directories are equal or one lies below the other. Elements are compared whole:
// /repo-a and /repo-a-staging have nothing to do with each other.
func SameTree(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	a, b = filepath.Clean(a), filepath.Clean(b)
	return below(a, b) || below(b, a)
}

// below reports whether path is dir or lies in it. Both are clean.
func below(path, dir string) bool {
	if path == dir {
		return true
	}
	sep := string(filepath.Separator)
	return strings.HasPrefix(path, strings.TrimSuffix(dir, sep)+sep)
}

// identityText writes a path as an identity: what could not be shown or stored as text (control characters, bytes that
// are no UTF-8) becomes %XX.
func identityText(path string) string {
	if _, bad := testigo.HasHidden(path); !bad && utf8.ValidString(path) {
		return path
	}
	var b strings.Builder
	for i := 0; i < len(path); {
		r, n := utf8.DecodeRuneInString(path[i:])
		_, hidden := testigo.HasHidden(path[i : i+n])
		if hidden || r == utf8.RuneError && n == 1 {
			for _, c := range []byte(path[i : i+n]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		} else {
			b.WriteString(path[i : i+n])
		}
		i += n
	}
	return b.String()
}

// readSmall reads a file that is expected to be at most limit bytes.
func readSmall(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, errors.New("it is not readable")
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, errors.New("it is not readable")
	}
	if int64(len(text)) > limit {
		return nil, fmt.Errorf("it is larger than %d KiB", limit>>10)
	}
	return text, nil
}
