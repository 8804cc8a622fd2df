package command

import (
	"io"
	"os"
	"strings"

	"github.com/testigo/testigo"
)

// maxSecret is far above any token or key.
const maxSecret = 8 << 10

// secret reads a file that holds one line. A symbolic link is refused, because whoever may move it decides what is sent to
// whom; so is a file that others may read.
func secret(field, path string) (string, error) {
	before, err := os.Lstat(path)
	if err != nil {
		return "", testigo.Invalid(field, "cannot be read: %s", reason(err))
	}
	switch {
	case before.Mode()&os.ModeSymlink != 0:
		return "", testigo.Invalid(field, "%s is a symbolic link; name the file itself", path)
	case !before.Mode().IsRegular():
		return "", testigo.Invalid(field, "%s is not a file", path)
	case os.PathSeparator == '/' && before.Mode().Perm()&0o077 != 0:
		return "", testigo.Invalid(field, "%s can be read by others; its mode must be 0600", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", testigo.Invalid(field, "cannot be read: %s", reason(err))
	}
	defer f.Close()
	after, err := f.Stat()
	if err != nil || !os.SameFile(before, after) {
		return "", testigo.Invalid(field, "%s was exchanged while it was read", path)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err != nil {
		return "", testigo.Invalid(field, "cannot be read: %s", reason(err))
	}
	line := strings.TrimRight(string(b), "\r\n")
	if line == "" || len(b) > maxSecret || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", testigo.Invalid(field, "%s must hold one line", path)
	}
	return line, nil
}

func reason(err error) string {
	if e, ok := err.(*os.PathError); ok { //nolint:errorlint // the functions above return it bare
		return e.Path + ": " + e.Err.Error()
	}
	return err.Error()
}
