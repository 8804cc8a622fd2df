// Package witness computes the store's append-only Merkle log: RFC 6962 hashing (through golang.org/x/mod/sumdb/tlog) over
// leaves whose data are the hashes of versions and erasures.
//
// The log is kept as a frontier, the roots of the complete subtrees that its leaves form. For 6 leaves:
//
//	     A           frontier: [A, B]   (4 + 2 leaves)
//	   /   \
//	  o     o     B  root: NodeHash(A, B)
//	 / \   / \   / \
//	0   1 2   3 4   5
//
// Appending costs a handful of hashes, and recomputing it over all leaves needs no memory that grows with them.
package witness
