package memory

import (
	"context"
	"fmt"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/canonical"
	"github.com/testigo/testigo/witness"
)

// Verification is the integrity report.
type Verification struct {
	OK       bool  `json:"ok"`
	Versions int64 `json:"versions"`
	Erasures int64 `json:"erasures"`
	// Damage lists the first findings; Found counts them all.
	Damage []testigo.Damage `json:"damage,omitempty"`
	Found  int              `json:"found"`
	// LogSize and LogRoot are what was recomputed.
	LogSize int64  `json:"log_size"`
	LogRoot string `json:"log_root"`
	Summary string `json:"summary"`
}

const (
	// verifyBatch rows are read in one short transaction, so that a long check never pins the write-ahead log.
	verifyBatch = 2_000
	// damageShown bounds the report; Found still counts.
	damageShown = 100
)

// verifier is one streaming pass over the log. It keeps no rows, so its memory does not grow with the store.
type verifier struct {
	store    testigo.Store
	progress func(done, total int64)
	end      testigo.LogState
	log      testigo.LogState
	// lost: a leaf is missing, so the root cannot be recomputed from there on.
	lost bool
	rep  Verification
	// unread is how many rows could not be read: asking for one of them again fails, and is not told twice.
	unread int
	// cut is set when the walk over the log could not reach its end.
	cut bool
}

// Verify recomputes every body hash, link and log leaf up to the log's size at the start, checks that each fact's head
// is there, and lets the store check what the chain does not cover. What damage keeps it from reading is a finding, and it
// goes on with the rest. progress may be nil.
func (s *Service) Verify(ctx context.Context, progress func(done, total int64)) (Verification, error) {
	v := &verifier{store: s.store, progress: progress}
	err := s.store.Read(ctx, func(r testigo.Reader) (err error) {
		v.end, err = r.Log(ctx)
		return err
	})
	if err != nil {
		return Verification{}, err
	}
	if err := v.leaves(ctx); v.unreadable(err) {
		v.cut = true
	} else if err != nil {
		return Verification{}, err
	}
	v.root()
	if err := v.heads(ctx); err != nil && !v.unreadable(err) {
		return Verification{}, err
	}
	index, err := s.store.CheckIndex(ctx)
	if err != nil {
		return Verification{}, err
	}
	for _, d := range index {
		v.damage(d)
	}
	v.rep.OK = v.rep.Found == 0
	v.rep.LogSize, v.rep.LogRoot = v.log.Size, v.log.Root.String()
	checked := Count(int(v.rep.Versions), "version", "versions") + " and " + Count(int(v.rep.Erasures), "erasure", "erasures") + " checked: "
	v.rep.Summary = checked + "no damage"
	if !v.rep.OK {
		v.rep.Summary = checked + Count(v.rep.Found, "finding", "findings")
	}
	return v.rep, nil
}

func (v *verifier) damage(d testigo.Damage) {
	v.rep.Found++
	if len(v.rep.Damage) < damageShown {
		v.rep.Damage = append(v.rep.Damage, d)
	}
}

// unreadable makes a finding of an error that says the store cannot be read; it returns false for any other.
func (v *verifier) unreadable(err error) bool {
	if testigo.CodeOf(err) != testigo.CodeDamaged {
		return false
	}
	v.damage(testigo.Damage{Kind: testigo.PageDamaged, Leaf: -1, Detail: testigo.AsError(err).Msg})
	return true
}

// told reports that an error is about a row that the walk over the log named, or will name.
func (v *verifier) told(err error) bool {
	return v.unread > 0 && testigo.CodeOf(err) == testigo.CodeDamaged
}

// leaves walks the log in short reads.
func (v *verifier) leaves(ctx context.Context) error {
	for next := int64(0); next < v.end.Size; {
		err := v.store.Read(ctx, func(r testigo.Reader) error {
			leaves, err := r.Leaves(ctx, next, verifyBatch)
			if err != nil {
				return err
			}
			for _, l := range leaves {
				if l.Position >= v.end.Size {
					break
				}
				v.gap(next, l.Position)
				if err := v.leaf(ctx, r, l); err != nil {
					return err
				}
				next = l.Position + 1
			}
			if len(leaves) < verifyBatch || next >= v.end.Size {
				v.gap(next, v.end.Size)
				next = v.end.Size
			}
			return nil
		})
		if err != nil {
			return err
		}
		if v.progress != nil {
			v.progress(next, v.end.Size)
		}
	}
	return nil
}

// gap names the leaves from..to that the log counts and the store does not have: each of a few, or a long run at once,
// which a damaged size may claim to be of any length. Their hashes are lost, so the root cannot be recomputed either.
func (v *verifier) gap(from, to int64) {
	if from >= to {
		return
	}
	v.lost = true
	if n := to - from; n > damageShown {
		v.damage(testigo.Damage{Kind: testigo.VersionMissing, Leaf: from, Detail: fmt.Sprintf("the log counts %d entries from position %d on that are not there", n, from)})
		return
	}
	for at := from; at < to; at++ {
		v.damage(testigo.Damage{Kind: testigo.VersionMissing, Leaf: at, Detail: fmt.Sprintf("the log counts an entry at position %d that is not there", at)})
	}
}

// grow adds a leaf to the recomputed log, as long as none before it is missing.
func (v *verifier) grow(leaf testigo.Hash) {
	if !v.lost {
		v.log = witness.Append(v.log, leaf)
	}
}

func (v *verifier) leaf(ctx context.Context, r testigo.Reader, l testigo.Leaf) error {
	if l.Erasure != nil {
		v.rep.Erasures++
		v.erasure(*l.Erasure)
		return nil
	}
	v.rep.Versions++
	v.grow(l.Version.Hash)
	return v.version(ctx, r, *l.Version, l.Unreadable)
}

func (v *verifier) erasure(e testigo.Erasure) {
	want := EraseHash(e)
	v.grow(e.Hash)
	if e.Hash != want {
		v.damage(testigo.Damage{Kind: testigo.ChainBroken, Name: e.Name.String(), Project: e.Name.Project, Version: e.Number, Leaf: e.Leaf,
			Detail: "the erasure record does not match its hash"})
	}
}

// version checks one row: its content against the body hash, its link to the version before, and whether missing
// content was erased by a record in the log.
func (v *verifier) version(ctx context.Context, r testigo.Reader, row testigo.Version, unreadable string) error {
	found := func(k testigo.DamageKind, format string, args ...any) {
		v.damage(testigo.Damage{Kind: k, Name: row.Name.String(), Project: row.Name.Project, Version: row.Number, Leaf: row.Leaf, Detail: fmt.Sprintf(format, args...)})
	}
	switch {
	case unreadable != "":
		v.unread++
		found(testigo.ValueChanged, "its %s cannot be read", unreadable)
	case len(row.Salt) == 0:
		e, err := r.ErasureOf(ctx, row.Seq)
		switch {
		case testigo.CodeOf(err) == testigo.CodeNotFound:
			found(testigo.ErasedUnproven, "the content is gone and no erasure record names it")
		case err != nil:
			return err
		default:
			return v.proof(ctx, r, row, e, found)
		}
	case row.Erased():
		found(testigo.ValueChanged, "the row is marked erased and still has its content")
	case testigo.BodyHash(row.Salt, canonical.Body(row)) != row.BodyHash:
		found(testigo.ValueChanged, "the content does not match its body hash")
	}
	return v.link(ctx, r, row, found)
}

// proof checks the erasure record that explains missing content. Its place in the log is checked by the pass itself.
func (v *verifier) proof(ctx context.Context, r testigo.Reader, row testigo.Version, e testigo.Erasure, found findFunc) error {
	log, err := r.Log(ctx)
	if err != nil {
		return err
	}
	if e.Target != row.Hash || e.Hash != EraseHash(e) || e.Leaf >= log.Size || e.Leaf <= row.Leaf {
		found(testigo.ErasedUnproven, "the content is gone and its erasure record does not belong to it")
	}
	return v.link(ctx, r, row, found)
}

type findFunc func(k testigo.DamageKind, format string, args ...any)

// link checks a row's tie to the version before it.
func (v *verifier) link(ctx context.Context, r testigo.Reader, row testigo.Version, found findFunc) error {
	if testigo.LinkHash(row.PrevHash, row.BodyHash) != row.Hash {
		found(testigo.ChainBroken, "the hash does not follow from the version before and the body")
	}
	if row.Number == 1 {
		if !row.PrevHash.IsZero() {
			found(testigo.ChainBroken, "the first version claims one before it")
		}
		return nil
	}
	prev, err := r.VersionOf(ctx, row.Name, row.Number-1)
	switch {
	case testigo.CodeOf(err) == testigo.CodeNotFound:
		v.damage(testigo.Damage{Kind: testigo.VersionMissing, Name: row.Name.String(), Project: row.Name.Project, Version: row.Number - 1, Leaf: row.Leaf,
			Detail: fmt.Sprintf("version %d follows a version that is not there", row.Number)})
	case v.told(err):
	case err != nil:
		return err
	case prev.Hash != row.PrevHash:
		found(testigo.ChainBroken, "it does not link to version %d", prev.Number)
	case prev.Current():
		found(testigo.ChainBroken, "version %d before it still claims to be current", prev.Number)
	}
	return nil
}

// root compares what was recomputed with what the store kept.
func (v *verifier) root() {
	if v.cut || v.log.Root == v.end.Root && v.log.Size == v.end.Size && witness.Consistent(v.end) {
		return
	}
	v.damage(testigo.Damage{Kind: testigo.ChainBroken, Leaf: v.end.Size,
		Detail: fmt.Sprintf("the log's root is %s and its entries give %s", v.end.Root, v.log.Root)})
}

// heads checks that the newest version each fact remembers is there; it finds a newest version that was cut off.
func (v *verifier) heads(ctx context.Context) error {
	for after := (testigo.Name{}); ; {
		var heads []testigo.Head
		err := v.store.Read(ctx, func(r testigo.Reader) (err error) {
			if heads, err = r.Heads(ctx, after, verifyBatch); err != nil {
				return err
			}
			for _, h := range heads {
				if err := v.head(ctx, r, h); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if len(heads) < verifyBatch {
			return nil
		}
		after = heads[len(heads)-1].Name
	}
}

func (v *verifier) head(ctx context.Context, r testigo.Reader, h testigo.Head) error {
	d := testigo.Damage{Name: h.Name.String(), Project: h.Name.Project, Version: h.Number, Leaf: -1}
	row, err := r.VersionOf(ctx, h.Name, h.Number)
	switch {
	case testigo.CodeOf(err) == testigo.CodeNotFound:
		d.Kind, d.Detail = testigo.VersionMissing, "the fact's newest version is not there"
	case v.told(err):
		return nil
	case err != nil:
		return err
	case row.Hash != h.Hash:
		d.Kind, d.Detail, d.Leaf = testigo.ChainBroken, "the fact's newest version has another hash than was kept for it", row.Leaf
	case !row.Current():
		d.Kind, d.Detail, d.Leaf = testigo.ChainBroken, "the fact's newest version claims to be superseded", row.Leaf
	default:
		return nil
	}
	v.damage(d)
	return nil
}
