package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/testigo/testigo"
)

var (
	errTooLarge   = fmt.Errorf("is larger than %d MiB", testigo.MaxSourceBytes>>20)
	errNotRegular = errors.New("is not a regular file")
)

// content is a file's hash with the size and time it had while it was read.
type content struct {
	sum  string
	size int64
	mod  time.Time
}

// readContent hashes a regular file below root. name must not pass through links that leave root.
func readContent(ctx context.Context, root *os.Root, name string) (content, error) {
	info, err := root.Stat(name)
	if err != nil {
		return content{}, err
	}
	if err := hashable(info); err != nil {
		return content{}, err
	}
	f, err := root.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return content{}, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil { // another file may stand there by now
		return content{}, err
	}
	if err := hashable(info); err != nil {
		return content{}, err
	}
	h := sha256.New()
	n, err := io.Copy(h, &steady{ctx: ctx, r: io.LimitReader(f, testigo.MaxSourceBytes+1)})
	if err != nil {
		return content{}, err
	}
	if n > testigo.MaxSourceBytes {
		return content{}, errTooLarge
	}
	c := content{sum: hex.EncodeToString(h.Sum(nil)), size: n}
	if after, err := f.Stat(); err == nil && after.Size() == n && after.ModTime().Equal(info.ModTime()) {
		c.mod = after.ModTime()
	}
	return c, nil
}

func hashable(info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return errNotRegular
	case info.Size() > testigo.MaxSourceBytes:
		return errTooLarge
	}
	return nil
}

// steady ends a long read when its context does.
type steady struct {
	ctx context.Context
	r   io.Reader
}

func (s *steady) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}

// dirtySum is the hash of a changed file as git sees it: a link is its target's name, a directory (a submodule) has none.
func dirtySum(ctx context.Context, root *os.Root, name string) (string, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return "", err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := root.Readlink(name)
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256([]byte(target))
		return hex.EncodeToString(sum[:]), nil
	}
	c, err := readContent(ctx, root, name)
	if errors.Is(err, errTooLarge) || errors.Is(err, errNotRegular) {
		return "", nil
	}
	return c.sum, err
}
