package witness

import (
	"math/bits"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/testigo/testigo"
)

// Append returns the state of the log after one more leaf. The given state is not changed.
func Append(s testigo.LogState, leaf testigo.Hash) testigo.LogState {
	h := tlog.RecordHash(leaf[:])
	frontier := append(make([]testigo.Hash, 0, len(s.Frontier)+1), s.Frontier...)
	// Every trailing one bit of the size is a complete subtree that the new leaf completes into a larger one.
	for n := s.Size; n&1 == 1; n >>= 1 {
		last := len(frontier) - 1
		h = tlog.NodeHash(tlog.Hash(frontier[last]), h)
		frontier = frontier[:last]
	}
	frontier = append(frontier, testigo.Hash(h))
	return testigo.LogState{Size: s.Size + 1, Frontier: frontier, Root: Root(frontier)}
}

// Root folds a frontier into the root hash, smallest subtree first. The root of an empty log is the zero hash here; RFC
// 6962's hash of nothing never occurs, because a log without leaves has nothing to vouch for.
func Root(frontier []testigo.Hash) testigo.Hash {
	if len(frontier) == 0 {
		return testigo.Hash{}
	}
	h := tlog.Hash(frontier[len(frontier)-1])
	for i := len(frontier) - 2; i >= 0; i-- {
		h = tlog.NodeHash(tlog.Hash(frontier[i]), h)
	}
	return testigo.Hash(h)
}

// Consistent reports whether a state's parts fit each other: one subtree per one bit of the size, and the root they fold to.
func Consistent(s testigo.LogState) bool {
	return bits.OnesCount64(uint64(s.Size)) == len(s.Frontier) && Root(s.Frontier) == s.Root
}
