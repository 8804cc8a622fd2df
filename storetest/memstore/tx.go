package memstore

import (
	"context"
	"slices"
	"time"

	"github.com/testigo/testigo"
)

// tx changes a state that nobody else sees yet. Every method checks before it changes anything, so that a caller who goes
// on after an error commits no half of a call.
type tx struct {
	view
	now time.Time
}

var _ testigo.Tx = (*tx)(nil)

func (t *tx) Now() time.Time { return t.now }

func (t *tx) NextSeq() int64 {
	t.state.seq++
	return t.state.seq
}

func (t *tx) PutVersion(ctx context.Context, v testigo.Version, text testigo.IndexText) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	s := t.state
	old, exists := s.heads.get(v.Name)
	if v.Number != old.Number+1 {
		return testigo.Errorf(testigo.CodeConflict, "version %d of %s does not follow version %d", v.Number, v.Name, old.Number)
	}
	if s.versions.has(v.Seq) {
		return testigo.Errorf(testigo.CodeConflict, "sequence number %d is taken", v.Seq)
	}
	row := keepVersion(v)
	if exists {
		t.changeVersion(old.seq, func(prev *testigo.Version) { prev.SupersededAt = row.CreatedAt })
		s.docs.remove(old.seq)
	}
	s.versions.set(v.Seq, row)
	s.numbers.set(testigo.Pin{Name: v.Name, Version: v.Number}, v.Seq)
	s.heads.set(v.Name, head{testigo.Head{Name: v.Name, Number: v.Number, Hash: v.Hash}, v.Seq})
	s.said.set(saidKey{v.Author, v.Session, v.Name.Project, v.Seq}, v.Seq)
	s.leaves.set(v.Leaf, leafRef{versionSeq: v.Seq})
	s.docs.set(v.Seq, newDoc(text))
	return nil
}

// changeVersion replaces a row that is known to be there by a changed copy.
func (t *tx) changeVersion(seq int64, change func(*testigo.Version)) {
	old, _ := t.state.versions.get(seq)
	row := *old
	change(&row)
	t.state.versions.set(seq, &row)
}

// known checks the context and that there is a version with this sequence number.
func (t *tx) known(ctx context.Context, versionSeq int64) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	if !t.state.versions.has(versionSeq) {
		return missing("no version with sequence number %d", versionSeq)
	}
	return nil
}

func (t *tx) SetOpinion(ctx context.Context, versionSeq int64, confidence float64, counts testigo.OutcomeCounts) error {
	if err := t.known(ctx, versionSeq); err != nil {
		return err
	}
	t.changeVersion(versionSeq, func(v *testigo.Version) { v.Confidence, v.Counts = confidence, counts })
	return nil
}

func (t *tx) SetConfirmed(ctx context.Context, versionSeq int64, by string, at time.Time) error {
	if err := t.known(ctx, versionSeq); err != nil {
		return err
	}
	t.changeVersion(versionSeq, func(v *testigo.Version) { v.ConfirmedBy, v.ConfirmedAt = by, stamp(at) })
	return nil
}

func (t *tx) PutOutcome(ctx context.Context, o testigo.Outcome) error {
	if err := t.known(ctx, o.VersionSeq); err != nil {
		return err
	}
	o.At = stamp(o.At)
	t.state.outcomes.set(outcomeKey{o.VersionSeq, o.Seq}, &o)
	return nil
}

func (t *tx) PutIndexText(ctx context.Context, versionSeq int64, text testigo.IndexText) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	if !t.state.docs.has(versionSeq) {
		return missing("no index text to replace: not a current version with content")
	}
	t.state.docs.set(versionSeq, newDoc(text))
	return nil
}

func (t *tx) Erase(ctx context.Context, e testigo.Erasure) error {
	if err := t.known(ctx, e.VersionSeq); err != nil {
		return err
	}
	e.At = stamp(e.At)
	s := t.state
	if s.erasures.has(e.VersionSeq) {
		return testigo.Errorf(testigo.CodeConflict, "version %s was erased before", e.Name.Ref(e.Number))
	}
	t.changeVersion(e.VersionSeq, func(v *testigo.Version) {
		v.Value, v.Tags, v.Sources, v.Salt = nil, nil, nil, nil
		v.ErasedAt = e.At
	})
	s.docs.remove(e.VersionSeq)
	for key, r := range s.requests.all() {
		if r.VersionSeq == e.VersionSeq {
			bare := *r
			bare.Result, bare.Content = nil, testigo.Hash{}
			s.requests.set(key, &bare)
		}
	}
	for key, o := range s.outcomes.from(outcomeKey{version: e.VersionSeq}) {
		if key.version != e.VersionSeq {
			break
		}
		bare := *o
		bare.Note = ""
		s.outcomes.set(key, &bare)
	}
	s.erasures.set(e.VersionSeq, e)
	s.leaves.set(e.Leaf, leafRef{versionSeq: e.VersionSeq, erasure: true})
	return nil
}

func (t *tx) SetLog(ctx context.Context, s testigo.LogState) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	t.state.log = copyLog(s)
	return nil
}

func (t *tx) PutTouched(ctx context.Context, agent, session string, touches []testigo.Touch) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	for _, one := range touches {
		one.At = stamp(one.At)
		t.state.touched.set(touchKey{agent, session, one.Pin.Name}, touch{one, t.NextSeq()})
	}
	return nil
}

func (t *tx) PutRequest(ctx context.Context, r testigo.Request) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	key := requestKey{r.Agent, r.Key}
	if t.state.requests.has(key) {
		return testigo.Errorf(testigo.CodeConflict, "request key %q of %s is taken", r.Key, r.Agent)
	}
	row := copyRequest(&r)
	row.At = stamp(row.At)
	t.state.requests.set(key, &row)
	return nil
}

func (t *tx) PutHandoff(ctx context.Context, h testigo.Handoff) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	if t.state.ids.has(h.ID) {
		return testigo.Errorf(testigo.CodeConflict, "there is already a handoff %s", h.ID)
	}
	row := keepHandoff(h)
	t.state.ids.set(row.ID, row.Seq)
	t.state.sent.set(sentKey{row.From, row.FromSession, row.ContentHash, row.Seq}, row.Seq)
	t.setHandoff(row)
	return nil
}

func (t *tx) setHandoff(h *testigo.Handoff) {
	t.state.handoffs.set(h.Seq, h)
	if h.State.Final() {
		t.state.pending.remove(h.Seq)
	} else {
		t.state.pending.set(h.Seq, h)
	}
	t.state.noteFresh(h)
}

func (t *tx) MoveHandoff(ctx context.Context, h testigo.Handoff, from testigo.HandoffState, gen int) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	if h.State != from && !testigo.CanMove(from, h.State) {
		return testigo.Errorf(testigo.CodeInternal, "a handoff does not go from %s to %s", from, h.State)
	}
	seq, ok := t.state.ids.get(h.ID)
	if !ok {
		return testigo.Errorf(testigo.CodeGone, "no handoff %s is there to move", h.ID)
	}
	old, _ := t.state.handoffs.get(seq)
	if old.State != from || old.Claim.Generation != gen {
		return testigo.Errorf(testigo.CodeGone, "handoff %s is %s in generation %d, not %s in generation %d",
			h.ID, old.State, old.Claim.Generation, from, gen)
	}
	row := *old
	row.State, row.Claim = h.State, h.Claim
	row.ReadAt, row.AcceptedAt = h.ReadAt, h.AcceptedAt
	row.Return, row.Closure = h.Return, h.Closure
	row.ClosedAt, row.ClosedBy = h.ClosedAt, h.ClosedBy
	row.Outcome, row.OutcomeRef = h.Outcome, h.OutcomeRef
	t.setHandoff(keepHandoff(row))
	return nil
}

func (t *tx) PutEvent(ctx context.Context, e testigo.Event) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	row := copyEvent(&e)
	row.At = stamp(row.At)
	t.state.events.set(eventKey{e.Subject, e.Seq}, &row)
	return nil
}

// sortedWords is the words of a scrub without empty and repeated ones.
func sortedWords(words []string) []string {
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
	slices.Sort(words)
	return slices.Compact(words)
}
