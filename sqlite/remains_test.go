package sqlite

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/testigo/testigo"
)

// crashed copies a store with a fact in its log as a crash would leave it: file and log, without the log's index.
func crashed(t *testing.T) (path string) {
	t.Helper()
	s := newStore(t, Options{})
	if err := put(s, "a", "b"); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if out, err := copyFiles(s.path, dir); err != nil {
		skipOnWindows(t, fmt.Errorf("%s: %w", out, err))
	}
	return filepath.Join(dir, filepath.Base(s.path))
}

// filesAt reads the files of a store, in a folder that no connection of this process is open in.
func filesAt(t *testing.T, path string) string {
	t.Helper()
	var all strings.Builder
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(suffix + ":" + string(b))
	}
	return all.String()
}

func safeNext(t *testing.T, e *testigo.Error) {
	t.Helper()
	if !strings.Contains(e.Next, "aside") || strings.Contains(e.Next, "remove") || strings.Contains(e.Next, "delete") {
		t.Errorf("next step %q", e.Next)
	}
}

// An emptied file beside a log that holds commits: SQLite would remove the log and begin anew.
func TestEmptiedFileBesideLogKeepsTheLog(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"empty": "", "no header": "oops", "zeroes": strings.Repeat("\x00", 8192)} {
		for _, o := range []Options{{Create: true}, {}, {ReadOnly: true}} {
			path := crashed(t)
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			before := filesAt(t, path)
			_, err := Open(t.Context(), path, o)
			safeNext(t, want(t, testigo.CodeDamaged, err))
			if filesAt(t, path) != before {
				t.Errorf("%s: the files were changed", name)
			}
		}
	}
}

// A header that was spoilt is damage of a store, as the files beside it show, and a generation that no program ever had is no newer one.
func TestSpoiltHeaderIsDamageAndNotAnotherProgram(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(b []byte){
		"magic":          func(b []byte) { copy(b, "not a database at all") },
		"application id": func(b []byte) { binary.BigEndian.PutUint32(b[68:], 7) },
		"generation":     func(b []byte) { binary.BigEndian.PutUint32(b[60:], 0x41414141) },
		"negative":       func(b []byte) { binary.BigEndian.PutUint32(b[60:], 0xffffffff) },
	} {
		path := filepath.Join(t.TempDir(), "testigo.db")
		s, err := Open(t.Context(), path, Options{Create: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		spoil(b)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err = Open(t.Context(), path, Options{Create: true})
		if e := want(t, testigo.CodeDamaged, err); !strings.Contains(e.Msg, "the store is damaged") {
			t.Errorf("%s: %v", name, e)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(after, b) {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

// What is told about a missing store never leads to an old log beside a backup.
func TestHintForMissingStoreKeepsLogsApart(t *testing.T) {
	t.Parallel()
	path := crashed(t)
	if err := os.Rename(path, path+"-elsewhere"); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), path, Options{Create: true})
	safeNext(t, want(t, testigo.CodeUnreachable, err))
}

// A file put in the place of the open one is neither read from under its name nor written over, not even at the end.
func TestReplacedFileIsNotServedNorOverwritten(t *testing.T) {
	t.Parallel()
	for _, role := range []Role{Server, OneShot} {
		other := crashed(t)
		path := filepath.Join(t.TempDir(), "testigo.db")
		s, err := Open(t.Context(), path, Options{Create: true, Role: role})
		if err != nil {
			t.Fatal(err)
		}
		if err := put(s, "old", "fact"); err != nil {
			t.Fatal(err)
		}
		for _, suffix := range []string{"", "-wal", "-shm"} {
			if err := os.Rename(path+suffix, path+".old"+suffix); err != nil {
				skipOnWindows(t, err)
			}
		}
		for _, suffix := range []string{"", "-wal"} {
			if err := os.Rename(other+suffix, path+suffix); err != nil {
				t.Fatal(err)
			}
		}
		before := filesAt(t, path)
		err = s.Read(t.Context(), func(testigo.Reader) error { t.Error("it was read"); return nil })
		want(t, testigo.CodeUnreachable, err)
		want(t, testigo.CodeUnreachable, put(s, "old", "other"))
		s.emptyIdleLog()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if filesAt(t, path) != before {
			t.Error("the new file or its log was changed")
		}
		if r := reopen(t, path, Options{}); !has(r, "a", "b") || has(r, "old", "fact") {
			t.Error("the new file does not hold what it held")
		}
	}
}

// A file put in the place of the open one alone must not be mixed with the log of the old one by the closing checkpoint.
func TestClosingLeavesTheLogOfAReplacedFile(t *testing.T) {
	t.Parallel()
	other := crashed(t)
	path := filepath.Join(t.TempDir(), "testigo.db")
	s, err := Open(t.Context(), path, Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := put(s, "old", "fact"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+".old"); err != nil {
		skipOnWindows(t, err)
	}
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	before := filesAt(t, path)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if filesAt(t, path) != before {
		t.Error("the new file or the old log was changed")
	}
}

// A store that was written to and then lost its content, with its log copied and gone, is not made anew either.
func TestEmptiedFileWithoutLogIsNotANewStore(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "testigo.db")
	s, err := Open(t.Context(), path, Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := put(s, "a", "b"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), path, Options{Create: true})
	safeNext(t, want(t, testigo.CodeDamaged, err))
}
