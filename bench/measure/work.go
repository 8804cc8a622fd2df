package measure

import (
	"errors"
	"os"
	"path/filepath"
)

// Work is the directory that the programs of one run share: BENCH_WORK, or a temporary one that cleanup removes.
func Work() (dir string, cleanup func(), err error) {
	if dir := os.Getenv("BENCH_WORK"); dir != "" {
		return dir, func() {}, os.MkdirAll(dir, 0o700)
	}
	dir, err = os.MkdirTemp("", "testigo-bench-")
	return dir, func() { os.RemoveAll(dir) }, err
}

// Repository makes a git repository in dir that is enough of one to be a project, and returns its path: agents work in
// one, and finding it is part of every call.
func Repository(dir string) (string, error) {
	repo := filepath.Join(dir, "repository")
	git := filepath.Join(repo, ".git")
	return repo, errors.Join(
		os.MkdirAll(filepath.Join(git, "refs"), 0o700), os.MkdirAll(filepath.Join(git, "objects"), 0o700),
		os.WriteFile(filepath.Join(git, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600),
		os.WriteFile(filepath.Join(git, "config"), []byte("[core]\n\trepositoryformatversion = 0\n"), 0o600))
}

// CProgram is the path of csqlite, which bench/run builds: CSQLITE, or "" when there is none to compare with.
func CProgram() string { return os.Getenv("CSQLITE") }
