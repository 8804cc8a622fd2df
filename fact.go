package testigo

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Limits of a fact. Lengths of scope and key are characters; the value is bytes of JSON text.
const (
	MaxScopeLen      = 200
	MaxKeyLen        = 200
	MaxValueBytes    = 256 << 10
	MaxValueDepth    = 64
	MaxNumberLen     = 1000 // characters of one number literal; longer ones serve only to burn a reader's CPU
	MaxTags          = 32
	MaxTagLen        = 64
	MaxSources       = 64
	MaxSourceBytes   = 16 << 20
	MaxRequestKeyLen = 200
	// DefaultConfidence is what a new version starts with when its writer gives none.
	DefaultConfidence = 0.7
)

// NoProject is the project of facts that all projects share. In tool arguments it is written "none".
const NoProject = ""

// Name identifies a fact: a project (or none) and scope/key. The pair is one path split at its last slash, so
// (a, b/c) and (a/b, c) are the same fact; NewName folds them together.
type Name struct {
	Project string
	Scope   string
	Key     string
}

// String returns scope/key, the form used in refs.
func (n Name) String() string { return n.Scope + "/" + n.Key }

// Ref returns scope/key@version.
func (n Name) Ref(version int) string { return fmt.Sprintf("%s/%s@%d", n.Scope, n.Key, version) }

// NewName folds slashes of the key into the scope, then checks both parts. Texts must already be NFC (memory does it).
func NewName(project, scope, key string) (Name, error) {
	if key == "" {
		return Name{}, Invalid("key", "is required")
	}
	if scope == "" && !strings.Contains(key, "/") {
		return Name{}, Invalid("scope", "is required").WithNext("give scope, or a key of the form scope/key")
	}
	if i := strings.LastIndexByte(key, '/'); i >= 0 {
		if scope == "" {
			scope, key = key[:i], key[i+1:]
		} else {
			scope, key = scope+"/"+key[:i], key[i+1:]
		}
	}
	if err := CheckScope("scope", scope); err != nil {
		return Name{}, err
	}
	if err := checkSegments("key", key, MaxKeyLen); err != nil {
		return Name{}, err
	}
	if _, v := cutVersion(key); v >= 0 {
		return Name{}, Invalid("key", "must not end in @digits: that is how a ref names a version")
	}
	return Name{Project: project, Scope: scope, Key: key}, nil
}

// CheckScope checks a scope, or a scope prefix, under the argument name field.
func CheckScope(field, scope string) error { return checkSegments(field, scope, MaxScopeLen) }

func checkSegments(field, s string, limit int) error {
	switch {
	case s == "":
		return Invalid(field, "is required")
	case !utf8.ValidString(s):
		return Invalid(field, "must be valid UTF-8")
	case utf8.RuneCountInString(s) > limit:
		return Invalid(field, "has %d characters; at most %d are allowed", utf8.RuneCountInString(s), limit)
	case strings.HasPrefix(s, "/") || strings.HasSuffix(s, "/"):
		return Invalid(field, "must not start or end with a slash")
	case strings.Contains(s, "//"):
		return Invalid(field, "must not contain an empty segment (//)")
	case strings.TrimSpace(s) != s:
		return Invalid(field, "must not start or end with white space")
	}
	if r, bad := HasHidden(s); bad {
		return Invalid(field, "contains the control or direction character U+%04X", r)
	}
	return nil
}

// HasHidden reports the first control, bidirectional or otherwise invisible formatting character of s. Such characters
// let one name look like another, or move the text around it. Joiners that scripts and emoji need (U+200C, U+200D) pass.
func HasHidden(s string) (rune, bool) {
	for _, r := range s {
		if r == 0x200c || r == 0x200d {
			continue
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == 0x2028 || r == 0x2029 {
			return r, true
		}
	}
	return 0, false
}

// Version is one immutable version of a fact. Value, tags, sources and author never change after it is written;
// Confidence, Counts and the confirmation are opinions about it and move.
type Version struct {
	// Seq orders every write of the store; it is unique and never reused.
	Seq     int64
	Name    Name
	Number  int // 1..n within the fact
	Value   json.RawMessage
	Tags    []string
	Sources []Source

	Confidence float64
	Counts     OutcomeCounts

	Author    string
	Session   string
	CreatedAt time.Time
	// SupersededAt is zero while the version is current.
	SupersededAt time.Time
	// ConfirmedAt is the last time somebody wrote the same value again; zero if nobody did.
	ConfirmedAt time.Time
	ConfirmedBy string
	// ErasedAt is set when a person removed the content; Value, Tags, Sources and Salt are then empty.
	ErasedAt time.Time

	Salt     []byte // 16 random bytes, nil after erasure
	PrevHash Hash
	BodyHash Hash
	Hash     Hash
	// Leaf is the position of Hash in the store's log, from 0.
	Leaf int64
}

// Current reports whether v is its fact's current version.
func (v *Version) Current() bool { return v.SupersededAt.IsZero() }

// Erased reports whether v's content was removed on request.
func (v *Version) Erased() bool { return !v.ErasedAt.IsZero() }

// Source cites what a fact was derived from: a file inside the repository (Path, with the SHA-256 of its content in
// hex and, for a cheap first look, its size and modification time), or a Commit. Exactly one of Path and Commit is set.
// Size and ModTime are hints of this machine and are not part of the body hash.
type Source struct {
	Path    string    `json:"path,omitempty"`
	SHA256  string    `json:"sha256,omitempty"`
	Commit  string    `json:"commit,omitempty"`
	Size    int64     `json:"-"`
	ModTime time.Time `json:"-"`
}

// Erasure is the log record that a person removed a version's content.
type Erasure struct {
	Leaf       int64 // position in the log
	VersionSeq int64 // the version whose content went
	Name       Name
	Number     int
	Target     Hash // the version's Hash, which stays
	By         string
	At         time.Time
	Hash       Hash // ErasureHash of the fields above
}
