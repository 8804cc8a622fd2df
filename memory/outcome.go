package memory

import (
	"context"

	"github.com/testigo/testigo"
)

// Report is one outcome as it is applied to one version.
type Report struct {
	Kind       testigo.OutcomeKind
	OutcomeRef string
	Note       string
	HandoffID  string
}

// Moved says what an outcome did to one version.
type Moved struct {
	Name    string  `json:"name"`
	Project *string `json:"project"`
	Version int     `json:"version"`
	Before  float64 `json:"before"`
	After   float64 `json:"after"`
	// AlreadyRecorded: the same agent reported the same outcome under the same reference before; it counts once.
	AlreadyRecorded bool `json:"already_recorded,omitempty"`
	// CurrentVersion is set when the version acted on is no longer the current one, which then stays as it is.
	CurrentVersion int `json:"current_version,omitempty"`
}

// ApplyOutcome moves the confidence of the version an agent acted on, and only of that version, and stores the audit
// row. The same (reference, version, agent) counts once: with the same outcome it answers AlreadyRecorded, with another
// it is a conflict that names the first.
func ApplyOutcome(ctx context.Context, tx testigo.Tx, c Caller, pin testigo.Pin, rep Report) (Moved, error) {
	v, err := tx.VersionOf(ctx, pin.Name, pin.Version)
	if err != nil {
		return Moved{}, err
	}
	m := Moved{Name: v.Name.String(), Project: projectField(v.Name.Project), Version: v.Number, Before: v.Confidence, After: v.Confidence}
	if !v.Current() {
		cur, err := tx.Current(ctx, v.Name)
		if err != nil {
			return Moved{}, err
		}
		m.CurrentVersion = cur.Number
	}
	first, err := tx.OutcomeBy(ctx, v.Seq, c.Agent, rep.OutcomeRef)
	switch {
	case err == nil && first.Kind == rep.Kind:
		m.Before, m.After, m.AlreadyRecorded = first.Before, first.After, true
		return m, nil
	case err == nil:
		return Moved{}, testigo.Errorf(testigo.CodeConflict, "%s was already reported for %s under outcome_ref %q; nothing was recorded",
			first.Kind, pin, rep.OutcomeRef).WithNext("use another outcome_ref if something else happened")
	case testigo.CodeOf(err) != testigo.CodeNotFound:
		return Moved{}, err
	}
	m.After = rep.Kind.Move(v.Confidence)
	v.Counts.Add(rep.Kind)
	if err := tx.SetOpinion(ctx, v.Seq, m.After, v.Counts); err != nil {
		return Moved{}, err
	}
	return m, tx.PutOutcome(ctx, testigo.Outcome{Seq: tx.NextSeq(), VersionSeq: v.Seq, Pin: pin, Kind: rep.Kind,
		OutcomeRef: rep.OutcomeRef, Note: rep.Note, Agent: c.Agent, Session: c.Session, HandoffID: rep.HandoffID,
		At: tx.Now(), Before: m.Before, After: m.After})
}
