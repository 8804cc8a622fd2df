package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/testigo/testigo/proc"
)

// storeFile is one file of a store as it lies there.
type storeFile struct {
	Path  string `json:"path"`
	Mode  string `json:"mode"`
	Bytes int64  `json:"bytes"`
	// Open: somebody else than its owner may read or write it (fault X08).
	Open bool `json:"open_to_others,omitempty"`
}

// filesOf lists a store's folder, the store and everything beside it that carries its name. It asks the folder and opens
// nothing: a second descriptor of the database would drop its locks.
func filesOf(path string) []storeFile {
	dir := filepath.Dir(path)
	out := []storeFile{}
	if info, err := os.Lstat(dir); err == nil {
		out = append(out, describeFile(dir, info))
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return out
	}
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), filepath.Base(path))
		if !ours || rest != "" && rest[0] != '-' && rest[0] != '.' {
			continue
		}
		if info, err := e.Info(); err == nil {
			out = append(out, describeFile(filepath.Join(dir, e.Name()), info))
		}
	}
	return out
}

func describeFile(path string, info fs.FileInfo) storeFile {
	f := storeFile{Path: path, Mode: fmt.Sprintf("%04o", info.Mode().Perm())}
	if !info.IsDir() {
		f.Bytes = info.Size()
	}
	// A folder that others may list gives nothing away as long as the files in it are private; Windows has no such modes.
	f.Open = runtime.GOOS != "windows" && !info.IsDir() && info.Mode().Perm()&0o077 != 0
	return f
}

// writerOf says who wrote last, and whether that process still runs: what waits for the store waits for it.
func writerOf(path string) string {
	b, err := os.ReadFile(path + ".lock")
	if err != nil || len(b) > 32 {
		return ""
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || pid <= 0 || pid == os.Getpid() {
		return ""
	}
	if _, running := proc.Of(pid); running {
		return fmt.Sprintf("process %d wrote last and still runs", pid)
	}
	return fmt.Sprintf("process %d wrote last and has ended", pid)
}
