package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/testigo/testigo"
)

// applicationID marks a file as a Testigo store: "TSTG" at byte 68 of the file, where SQLite keeps it.
const applicationID = 0x54535447

// breaking is the schema generation that this program reads and writes (user_version). It rises only when an older program
// must not touch the store any more; other migrations leave it.
const breaking = 1

// sideSuffixes are the files beside a store that show that there was one.
var sideSuffixes = []string{"-wal", "-shm", "-journal", ".turn", ".lock", ".wake"}

// network file systems, where locks and shared memory do not work as WAL needs them.
var refusedFileSystems = map[string]string{
	"nfs": "NFS", "cifs": "SMB", "9p": "9P (a shared folder of a virtual machine)", "fuse.sshfs": "SSHFS",
}

// checkFileSystem refuses the file systems on which a store would be damaged and describes the risk of others.
func checkFileSystem(path, kind string) (warning string, err error) {
	if name, bad := refusedFileSystems[kind]; bad {
		return "", testigo.Errorf(testigo.CodeRefused, "%s is on a network file system (%s), where a store would be damaged", path, name).
			WithNext("use a folder on a local disk (--db), or share the store through testigo serve (TESTIGO_URL)")
	}
	switch {
	case kind == "tmpfs":
		return "the store is in memory (tmpfs): it is gone after a restart", nil
	case kind == "overlay":
		return "the store is in a container's own layer (overlay): it is gone with the container unless the folder is a volume", nil
	case strings.HasPrefix(kind, "fuse"):
		return "the store is on a " + kind + " file system, whose locks are not known to work", nil
	}
	return "", nil
}

// checkPlace looks at where a store is or shall be, without touching anything.
func checkPlace(path string, o Options) (exists bool, warning string, err error) {
	info, err := os.Lstat(path)
	switch {
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		return false, "", testigo.Errorf(testigo.CodeRefused, "%s is a symbolic link; locks and side files would belong to the wrong name", path).
			WithNext("give the path of the file itself")
	case err == nil && !info.Mode().IsRegular():
		return false, "", testigo.Errorf(testigo.CodeRefused, "%s is not a regular file", path).WithNext("give another path with --db")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return false, "", fileError("look at", path, err)
	}
	exists = err == nil
	dir, err := nearestFolder(filepath.Dir(path))
	if err != nil {
		return exists, "", err
	}
	ask := o.fileSystem
	if ask == nil {
		ask = fileSystem
	}
	kind, err := ask(dir)
	if err != nil {
		return exists, "", fileError("look at", dir, err)
	}
	if warning, err = checkFileSystem(path, kind); err != nil || exists {
		return exists, warning, err
	}
	err = checkNoStore(path, o)
	if _, again := os.Lstat(path); again == nil { // another process made it just now; it makes the file before those beside it
		return true, warning, nil
	}
	return false, warning, err
}

// nearestFolder is dir or the first folder above it that exists.
func nearestFolder(dir string) (string, error) {
	for {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return "", testigo.Errorf(testigo.CodeRefused, "%s is not a folder", dir).WithNext("give another path with --db")
		}
		if err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || up == dir {
			return "", fileError("look at", dir, err)
		}
		dir = up
	}
}

// checkNoStore decides what a missing file means: a new store, or one that went missing. A missing store is never made
// anew, because an empty memory that looks healthy is the worst answer there is.
func checkNoStore(path string, o Options) error {
	if side := sideFile(path); side != "" {
		return testigo.Errorf(testigo.CodeUnreachable, "store missing: %s is not there, but %s is", path, filepath.Base(side)).
			WithNext("%s", putBack(path))
	}
	if !o.Create || o.ReadOnly {
		return testigo.Errorf(testigo.CodeUnreachable, "there is no store at %s", path).
			WithNext("check the path (--db, TESTIGO_DB)")
	}
	return nil
}

// sideFile finds a file that belongs to the store at path, "" when there is none.
func sideFile(path string) string {
	for _, suffix := range sideSuffixes {
		if _, err := os.Lstat(path + suffix); err == nil {
			return path + suffix
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(path)+".") {
			return filepath.Join(filepath.Dir(path), e.Name())
		}
	}
	return ""
}

// makeFile makes the folder and the empty file, private from the first moment. Another process may be faster: that is fine.
func makeFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fileError("make", filepath.Dir(path), err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fileError("make", path, err)
	}
	defer f.Close()
	if err := f.Chmod(0o600); err != nil {
		return fileError("protect", path, err)
	}
	return nil
}

// openFiles counts this process's stores by file. While there is one, the file must not be opened apart from SQLite:
// closing that descriptor would drop the locks of the connections.
var openFiles = struct {
	mu    sync.Mutex
	count map[fileID]int
}{count: map[fileID]int{}}

// admit checks the header of the file, if that may be read, and counts it as open. It returns the function that takes the
// count back.
func admit(path string) (info os.FileInfo, release func(), err error) {
	openFiles.mu.Lock()
	defer openFiles.mu.Unlock()
	if info, err = os.Stat(path); err != nil {
		return nil, nil, fileError("look at", path, err)
	}
	if err := checkEmptied(path); err != nil {
		return nil, nil, err
	}
	id, known := idOf(info)
	if !known || openFiles.count[id] == 0 {
		if err := checkHeader(path, info.Size()); err != nil {
			return nil, nil, err
		}
	}
	openFiles.count[id]++
	return info, func() {
		openFiles.mu.Lock()
		defer openFiles.mu.Unlock()
		if openFiles.count[id]--; openFiles.count[id] == 0 {
			delete(openFiles.count, id)
		}
	}, nil
}

// checkHeader reads the first 100 bytes, which every SQLite database begins with. An empty file is a store that is just
// being made.
func checkHeader(path string, size int64) error {
	if size == 0 {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return fileError("open", path, err)
	}
	defer f.Close()
	var h [100]byte
	n, err := io.ReadFull(f, h[:])
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fileError("read", path, err)
	}
	noDatabase := n < len(h) || string(h[:16]) != "SQLite format 3\x00"
	switch {
	case noDatabase && (wasStore(path) || hasLog(path)), !noDatabase && binary.BigEndian.Uint32(h[68:]) != applicationID && wasStore(path):
		return testigo.Errorf(testigo.CodeDamaged, "the store is damaged: the first bytes of %s are not those of a store, and the files beside it show that it was one; nothing was touched",
			path).WithNext("%s", putBack(path))
	case noDatabase:
		return foreign(path, h[:n])
	case binary.BigEndian.Uint32(h[68:]) != applicationID:
		return foreignDatabase(path)
	}
	return checkGeneration(path, int(int32(binary.BigEndian.Uint32(h[60:])))) //nolint:gosec // SQLite keeps it as a signed number
}

// plausible bounds the generations that there may ever be: a number beyond it was not written by a newer program.
const plausible = 1000

// checkGeneration decides by user_version whether this program may touch the store.
func checkGeneration(path string, version int) error {
	switch {
	case version < 0 || version > plausible:
		return testigo.Errorf(testigo.CodeDamaged, "the store is damaged: %s says that it is of schema %d; it was not touched", path, version).
			WithNext("%s", putBack(path))
	case version <= breaking:
		return nil
	}
	return testigo.Errorf(testigo.CodeTooNew, "%s was made by a newer version of Testigo (schema %d; this program knows %d); it was not touched",
		path, version, breaking).WithNext("use the newer program: testigo version shows this one's")
}

// foreign is the error for a file that is no SQLite database.
func foreign(path string, head []byte) error {
	e := testigo.Errorf(testigo.CodeRefused, "%s is not a Testigo store; it was not touched", path).WithNext("give another path with --db")
	if text := strings.TrimSpace(string(head)); strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		e.Msg = path + " is a JSON file and not a Testigo store; it was not touched"
		e.Next = "if it is what agentmemory remembers, leave it to agentmemory; give another path with --db"
	}
	return e
}

// foreignDatabase is the error for a SQLite database of another program.
func foreignDatabase(path string) error {
	e := testigo.Errorf(testigo.CodeRefused, "%s is another program's SQLite database and not a Testigo store; it was not touched", path).
		WithNext("give another path with --db")
	switch tables := tablesOf(path); {
	case tables["handoffs"] || tables["messages"] && tables["agents"]:
		e.Msg = path + " is the message database of handoffs and not a Testigo store; it was not touched"
	case tables["memories"] || tables["observations"]:
		e.Msg = path + " is the database of agentmemory and not a Testigo store; it was not touched"
	}
	return e
}

// tablesOf lists the tables of a foreign database. It is opened immutable: no lock, no side file, no byte is written.
func tablesOf(path string) map[string]bool {
	tables := map[string]bool{}
	db, err := openDB(dsn(path, "mode=ro&immutable=1", 0))
	if err != nil {
		return tables
	}
	defer db.Close()
	rows, err := db.QueryContext(context.Background(), "PRAGMA table_list")
	if err != nil {
		return tables
	}
	defer rows.Close()
	for rows.Next() {
		var schema, name, kind string
		var columns, withoutRowid, strict int
		if rows.Scan(&schema, &name, &kind, &columns, &withoutRowid, &strict) != nil {
			break
		}
		tables[name] = true
	}
	if rows.Err() != nil {
		return map[string]bool{} // half a list tells whose file it is no better than none
	}
	return tables
}
