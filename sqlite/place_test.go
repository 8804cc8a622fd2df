package sqlite

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/testigo/testigo"
)

// X08: folder 0700, files 0600, whatever the umask; also the log, its index, the locks and the bell.
func TestX08FilesArePrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a", "b", "testigo.db")
	s := reopen(t, path, Options{Create: true})
	if err := put(s, "a", "b"); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(t.Context(), func(tx testigo.Tx) error {
		return tx.PutEvent(t.Context(), testigo.Event{Seq: tx.NextSeq(), Subject: "x", Kind: "y", At: tx.Now()})
	}); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Dir(path), filepath.Dir(filepath.Dir(path))} {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v %v", dir, info.Mode(), err)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 6 {
		t.Errorf("files: %v", entries)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", e.Name(), info.Mode(), err)
		}
	}
}

func TestSymbolicLinkIsRefused(t *testing.T) {
	t.Parallel()
	real := newStore(t, Options{})
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(real.path, link); err != nil {
		skipOnWindows(t, err)
	}
	_, err := Open(t.Context(), link, Options{Create: true})
	want(t, testigo.CodeRefused, err)
	_, err = Open(t.Context(), t.TempDir(), Options{Create: true})
	want(t, testigo.CodeRefused, err)
}

// S03: network file systems are refused before anything is made there. S12: a place that forgets is warned of.
func TestS03S12FileSystems(t *testing.T) {
	t.Parallel()
	for kind, expect := range map[string]string{
		"": "", "nfs": "refused", "cifs": "refused", "9p": "refused", "fuse.sshfs": "refused",
		"fuse.rclone": "warning", "fuse": "warning", "tmpfs": "warning", "overlay": "warning",
	} {
		path := filepath.Join(t.TempDir(), "new", "testigo.db")
		s, err := Open(t.Context(), path, Options{Create: true, fileSystem: func(string) (string, error) { return kind, nil }})
		if expect == "refused" {
			want(t, testigo.CodeRefused, err)
			if _, err := os.Stat(filepath.Dir(path)); err == nil {
				t.Errorf("%s: a folder was made", kind)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		info, err := s.Info(t.Context())
		if err != nil || (info.Warning != "") != (expect == "warning") {
			t.Errorf("%s: warning %q, %v", kind, info.Warning, err)
		}
		s.Close()
	}
}

// Z02: a store that went missing is not made anew, as long as any file shows that there was one.
func TestZ02MissingStoreIsNotMadeAnew(t *testing.T) {
	t.Parallel()
	for _, suffix := range append([]string{".backup-1", ".quarantine"}, sideSuffixes...) {
		path := filepath.Join(t.TempDir(), "testigo.db")
		if err := os.WriteFile(path+suffix, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(t.Context(), path, Options{Create: true})
		e := want(t, testigo.CodeUnreachable, err)
		if !strings.Contains(e.Msg, "missing") || e.Next == "" {
			t.Errorf("%s: %v", suffix, e)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: the store was made", suffix)
		}
	}
	path := filepath.Join(t.TempDir(), "testigo.db")
	_, err := Open(t.Context(), path, Options{})
	want(t, testigo.CodeUnreachable, err)
	if _, err := os.Stat(path); err == nil {
		t.Error("made without being asked to")
	}
}

// Z02 for a process that has the store open: what is written into a file that was moved away would be lost.
func TestZ02MovedWhileOpen(t *testing.T) {
	t.Parallel()
	s := newStore(t, Options{})
	if err := put(s, "a", "b"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(s.path, s.path+".moved"); err != nil {
		skipOnWindows(t, err)
	}
	want(t, testigo.CodeUnreachable, put(s, "a", "c"))
	if err := os.Rename(s.path+".moved", s.path); err != nil {
		t.Fatal(err)
	}
	if err := put(s, "a", "c"); err != nil {
		t.Fatal(err)
	}
}

// A file that lost its content is no new store.
func TestEmptiedStoreIsDamaged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "testigo.db")
	for _, f := range []string{path, path + ".wake"} {
		if err := os.WriteFile(f, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Open(t.Context(), path, Options{Create: true})
	want(t, testigo.CodeDamaged, err)
}

// Other programs' files are never written, the error names whose they are, and no command that does not exist.
func TestForeignFilesAreNotTouched(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	database := func(name, schema string) string {
		path := filepath.Join(dir, name)
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for _, q := range []string{"PRAGMA journal_mode = WAL", schema} {
			if _, err := db.Exec(q); err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	text := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for path, whose := range map[string]string{
		database("handoffs.db", "CREATE TABLE messages (id); CREATE TABLE agents (id)"): "database of handoffs",
		database("memory.db", "CREATE TABLE memories (id)"):                             "database of agentmemory",
		database("other.db", "CREATE TABLE cats (id)"):                                  "another program",
		text("standalone.json", `{"memories":{}}`):                                      "agentmemory",
		text("note.txt", "hello"):                                                       "not a Testigo store",
		text("long.txt", strings.Repeat("not a database ", 500)):                        "not a Testigo store",
	} {
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, readOnly := range []bool{false, true} {
			_, err = Open(t.Context(), path, Options{Create: true, ReadOnly: readOnly})
			if e := want(t, testigo.CodeRefused, err); !strings.Contains(e.Error(), whose) ||
				!strings.Contains(e.Next, "give another path with --db") || strings.Contains(e.Next, "testigo import") {
				t.Errorf("%s: %v", path, e)
			}
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
			t.Errorf("%s was changed", path)
		}
		if side := sideFile(path); side != "" {
			t.Errorf("%s was made", side)
		}
	}
}

// S10: a store of a newer breaking version is refused and stays as it is; one with additive migrations works.
func TestS10NewerStores(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "testigo.db")
	s, err := Open(t.Context(), path, Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := put(s, "a", "b"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.Exec("UPDATE store SET schema = 99"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if s, err = Open(t.Context(), path, Options{}); err != nil {
		t.Fatal(err)
	}
	if info, _ := s.Info(t.Context()); info.Schema != 99 {
		t.Errorf("schema %d", info.Schema)
	}
	if err := put(s, "a", "b"); err != nil {
		t.Error(err)
	}
	if _, err := s.db.Exec("PRAGMA user_version = 2"); err != nil {
		t.Fatal(err)
	}
	s.Close()

	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, readOnly := range []bool{false, true} {
		_, err = Open(t.Context(), path, Options{Create: true, ReadOnly: readOnly})
		want(t, testigo.CodeTooNew, err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("the file was changed")
	}
}

// A newer version that only the log knows of, yet, is seen, too.
func TestS10NewerInTheLog(t *testing.T) {
	t.Parallel()
	s := newStore(t, Options{})
	if _, err := s.db.Exec("PRAGMA user_version = 2"); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), s.path, Options{})
	want(t, testigo.CodeTooNew, err)
}

// S05: a damaged file is told as such, whichever page it is.
func TestS05DamageIsTold(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "testigo.db")
	s, err := Open(t.Context(), path, Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := put(s, "a", "b"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bad := bytes.Clone(good)
	for i := 100; i < len(bad); i++ {
		bad[i] ^= 0xa5
	}
	binary.BigEndian.PutUint32(bad[68:], applicationID)
	if err := os.WriteFile(path, bad, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), path, Options{Create: true})
	if e := want(t, testigo.CodeDamaged, err); e.Next != "testigo doctor" || strings.Contains(e.Msg, "SQL") {
		t.Errorf("error %v", e)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(after, bad) {
		t.Error("the damaged file was changed")
	}
}
