package witness_test

import (
	"crypto/sha256"
	"encoding/binary"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/witness"
)

func leaf(i int64) testigo.Hash {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(i))
	return sha256.Sum256(b[:])
}

// The frontier gives the same root as the reference implementation that stores every node.
func TestRootEqualsTreeHash(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 300).Draw(t, "n")
		var s testigo.LogState
		var stored []tlog.Hash
		reader := tlog.HashReaderFunc(func(idx []int64) ([]tlog.Hash, error) {
			out := make([]tlog.Hash, len(idx))
			for i, x := range idx {
				out[i] = stored[x]
			}
			return out, nil
		})
		for i := range n {
			l := leaf(i)
			s = witness.Append(s, l)
			hs, err := tlog.StoredHashes(i, l[:], reader)
			if err != nil {
				t.Fatal(err)
			}
			stored = append(stored, hs...)
		}
		want, err := tlog.TreeHash(n, reader)
		if err != nil {
			t.Fatal(err)
		}
		if s.Root != testigo.Hash(want) || s.Size != n || !witness.Consistent(s) {
			t.Fatalf("size %d: root %s, want %s", n, s.Root, testigo.Hash(want))
		}
	})
}

func TestConsistentSeesTampering(t *testing.T) {
	t.Parallel()
	var s testigo.LogState
	for i := range int64(11) {
		s = witness.Append(s, leaf(i))
	}
	shorter := s
	shorter.Size = 10
	if witness.Consistent(shorter) {
		t.Error("a state with a leaf taken off its size passed")
	}
	other := s
	other.Root = leaf(99)
	if witness.Consistent(other) {
		t.Error("a state with another root passed")
	}
}
