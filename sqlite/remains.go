package sqlite

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/testigo/testigo"
)

// What lies beside a store file tells whether there was a store, when the file itself does not tell any more.

// putBack is the safe next step when a store file is missing or spoilt. A log belongs to the very file it was written for:
// beside a backup, the old one would be copied over it page by page.
func putBack(path string) string {
	name := filepath.Base(path)
	return "put the store file back from where it was moved, or from a backup; for a backup, first move the " + name + "-wal and " +
		name + "-shm that lie here aside, and keep them: they belong to the old file, and a backup brings its own -wal or needs none; testigo doctor shows what is there"
}

// checkEmptied refuses a file that lost its content. To SQLite it is a new database, and the log beside it, which may hold
// all there is, a leftover to remove: so this comes before the first connection. What shows that there was a store is looked
// at before the file, because whoever makes one fills the file first.
func checkEmptied(path string) error {
	log, lock := sizeOf(path+"-wal"), sizeOf(path+".lock") // whoever makes a store leaves the lock file empty
	_, noBell := os.Lstat(path + ".wake")
	info, err := os.Stat(path)
	if err != nil {
		return fileError("look at", path, err)
	}
	if info.Size() > 0 || log == 0 && lock == 0 && errors.Is(noBell, fs.ErrNotExist) {
		return nil
	}
	what := "the files beside it show that it was a store"
	if log > 0 {
		what = "its log " + filepath.Base(path) + "-wal is not, and may hold what was written last"
	}
	return testigo.Errorf(testigo.CodeDamaged, "the store is damaged: %s is empty, but %s; nothing was touched", path, what).
		WithNext("copy what is there to a safe place before anything else; %s", putBack(path))
}

// wasStore reports that a turnstile stands beside path, which every store has from its first moment and nobody else.
func wasStore(path string) bool {
	_, err := os.Lstat(path + ".turn")
	return err == nil
}

// hasLog reports that beside path lies a log of SQLite's with something in it: path was a database then.
func hasLog(path string) bool {
	f, err := os.Open(path + "-wal")
	if err != nil {
		return false
	}
	defer f.Close()
	var magic [4]byte
	_, err = io.ReadFull(f, magic[:])
	return err == nil && string(magic[:3]) == "\x37\x7f\x06" && magic[3]|1 == 0x83
}

// sizeOf is the size of a file, 0 when there is none.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
