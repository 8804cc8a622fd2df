package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/testigo/testigo"
)

// newStore makes a store for one test.
func newStore(t *testing.T, o Options) *Store {
	t.Helper()
	o.Create = true
	return reopen(t, filepath.Join(t.TempDir(), "testigo.db"), o)
}

// reopen opens a store and closes it at the end of the test.
func reopen(t *testing.T, path string, o Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return s
}

// put writes the next version of a fact.
func put(s *Store, scope, key string) error {
	return putText(s, scope, key, `"a value"`, testigo.IndexText{Filter: "sp", Body: scope + " " + key})
}

func putText(s *Store, scope, key, value string, text testigo.IndexText) error {
	return s.Write(context.Background(), func(t testigo.Tx) error {
		_, err := putIn(t, scope, key, value, text)
		return err
	})
}

// putIn writes a version whose hashes are hashes of nothing in particular, and keeps the size of the log.
func putIn(t testigo.Tx, scope, key, value string, text testigo.IndexText) (testigo.Version, error) {
	ctx := context.Background()
	log, err := t.Log(ctx)
	if err != nil {
		return testigo.Version{}, err
	}
	n := testigo.Name{Project: "p", Scope: scope, Key: key}
	head, err := t.Current(ctx, n)
	if err != nil && testigo.CodeOf(err) != testigo.CodeNotFound {
		return testigo.Version{}, err
	}
	v := testigo.Version{Seq: t.NextSeq(), Name: n, Number: head.Number + 1, Value: json.RawMessage(value), Confidence: 0.7,
		Author: "scout", Session: "s", CreatedAt: t.Now(), Salt: make([]byte, testigo.SaltBytes), PrevHash: head.Hash,
		BodyHash: sha256.Sum256([]byte(value)), Leaf: log.Size}
	v.Hash = testigo.LinkHash(v.PrevHash, v.BodyHash)
	if err := t.PutVersion(ctx, v, text); err != nil {
		return v, err
	}
	log.Size++
	log.Root = v.Hash
	return v, t.SetLog(ctx, log)
}

// has reports whether a fact is there.
func has(s *Store, scope, key string) bool {
	err := s.Read(context.Background(), func(r testigo.Reader) error {
		_, err := r.Current(context.Background(), testigo.Name{Project: "p", Scope: scope, Key: key})
		return err
	})
	return err == nil
}

// want fails unless err carries code.
func want(t *testing.T, code testigo.Code, err error) *testigo.Error {
	t.Helper()
	if testigo.CodeOf(err) != code {
		t.Fatalf("got %v (code %q), want code %q", err, testigo.CodeOf(err), code)
	}
	if err == nil {
		return nil
	}
	return testigo.AsError(err)
}
