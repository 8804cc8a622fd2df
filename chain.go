package testigo

import (
	"crypto/sha256"
	"encoding/hex"
)

// Hash is a SHA-256 digest.
type Hash [sha256.Size]byte

func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// IsZero reports whether h is the 32 zero bytes that stand before a fact's first version.
func (h Hash) IsZero() bool { return h == Hash{} }

// ParseHash reads 64 hex digits.
func ParseHash(s string) (Hash, error) {
	var h Hash
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(h) {
		return h, Invalid("hash", "must be %d hex digits", 2*len(h))
	}
	copy(h[:], b)
	return h, nil
}

// SaltBytes is the length of a version's salt. The salt keeps a body hash from confirming a guess of a value that was
// erased.
const SaltBytes = 16

// ChainTime is how a time is written into hashed bodies: UTC, milliseconds.
const ChainTime = "2006-01-02T15:04:05.000Z"

// BodyHash hashes one version's content: SHA-256(salt ‖ canonical JSON). The canonical form is made by package
// canonical from exactly the keys author, created_at, key, project, scope, sources, tags, value, version.
func BodyHash(salt, canonical []byte) Hash {
	h := sha256.New()
	h.Write(salt)
	h.Write(canonical)
	return Hash(h.Sum(nil))
}

// LinkHash joins a body to the version before it: SHA-256(prev ‖ body).
func LinkHash(prev, body Hash) Hash {
	var buf [2 * sha256.Size]byte
	copy(buf[:], prev[:])
	copy(buf[sha256.Size:], body[:])
	return sha256.Sum256(buf[:])
}

// DamageKind names what verification found wrong with a row.
type DamageKind string

// The kinds of damage.
const (
	ValueChanged   DamageKind = "value_changed"   // the content does not match its body hash
	ChainBroken    DamageKind = "chain_broken"    // a link, a head or the log root does not match, or two rows contradict each other
	VersionMissing DamageKind = "version_missing" // the chain or the log knows a version that is not there
	ErasedUnproven DamageKind = "erased"          // content gone, and no erasure record in the log says so
	IndexDiffers   DamageKind = "index_differs"   // the search index does not match the rows
	PageDamaged    DamageKind = "page_damaged"    // the file itself is broken: a page, a table or an index of the database
	RowMissing     DamageKind = "row_missing"     // a row that another one needs is not there
)

// Damage is one finding of verification.
type Damage struct {
	Kind    DamageKind `json:"kind"`
	Name    string     `json:"name,omitempty"`
	Project string     `json:"project,omitempty"`
	Version int        `json:"version,omitempty"`
	Leaf    int64      `json:"leaf"`
	Detail  string     `json:"detail"`
}

// LogState is the frontier of the store's Merkle log (RFC 6962 hashing): Size leaves, and the roots of the complete
// subtrees they form, largest first. Package witness computes with it.
type LogState struct {
	Size     int64
	Frontier []Hash
	Root     Hash
}
