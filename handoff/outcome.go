package handoff

import (
	"context"
	"fmt"
	"strings"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

// OutcomeParams are the arguments of record_outcome.
type OutcomeParams struct {
	Outcome    testigo.OutcomeKind `json:"outcome"`
	OutcomeRef string              `json:"outcome_ref"`
	// Refs name the versions acted on. Nil means the pins of the one claimed packet, less those shown stale and not read
	// again, or without a claim what the session touched.
	Refs      []testigo.Ref `json:"refs,omitempty"`
	Note      string        `json:"note,omitempty"`
	HandoffID string        `json:"handoff_id,omitempty"`
	Project   string        `json:"project,omitempty"`
}

// OutcomeResult says what moved.
type OutcomeResult struct {
	Outcome    testigo.OutcomeKind `json:"outcome"`
	OutcomeRef string              `json:"outcome_ref"`
	Moved      []memory.Moved      `json:"moved"`
	// Closed is the packet this closed; Open the one that stays claimed.
	Closed   string          `json:"closed,omitempty"`
	Open     string          `json:"still_open,omitempty"`
	Redacted memory.Redacted `json:"redacted,omitempty"`
	Summary  string          `json:"summary"`
	Notes    []string        `json:"notes,omitempty"`
}

// RecordOutcome moves the confidence of the versions an agent acted on and, with a handoff id, closes that packet.
// Errors: invalid for an argument, not_found for a ref, gone when the claim has passed on, conflict for a reference
// that was reported otherwise, refused for work, which ends with return_work.
func (s *Service) RecordOutcome(ctx context.Context, c Caller, p OutcomeParams) (OutcomeResult, error) {
	var gate memory.Gate
	id, gen, err := checkOutcome(&p, &gate)
	if err != nil {
		return OutcomeResult{}, err
	}
	project, err := s.mem.Project(ctx, c, p.Project)
	if err != nil {
		return OutcomeResult{}, err
	}
	res := OutcomeResult{Outcome: p.Outcome, OutcomeRef: p.OutcomeRef, Moved: []memory.Moved{}}
	done := func() {}
	err = s.store.Write(ctx, func(tx testigo.Tx) error {
		if done, err = memory.CheckIn(ctx, tx, c); err != nil {
			return err
		}
		return s.record(ctx, tx, c, p, id, gen, project, &res)
	})
	if err != nil {
		return OutcomeResult{}, err
	}
	done()
	res.Redacted = gate.Found()
	res.Summary = fmt.Sprintf("%s recorded for %s", p.Outcome, memory.Count(len(res.Moved), "version", "versions"))
	if res.Closed != "" {
		res.Summary += "; " + res.Closed + " is closed"
	}
	res.Notes = append(fitNotes(c, res.Notes), s.mem.Warnings(ctx)...)
	res.Moved, res.Notes = fitList(c, res.Moved, res.Notes, "moves", "history of each fact")
	return res, nil
}

// maxNotes is how many notes an answer to a model carries: each superseded version makes one.
const maxNotes = 10

func fitNotes(c Caller, notes []string) []string {
	if c.Budget == 0 || len(notes) <= maxNotes {
		return notes
	}
	return append(notes[:maxNotes:maxNotes], fmt.Sprintf("%d more notes of this kind", len(notes)-maxNotes))
}

func outcomeWords() string {
	var words []string
	for _, k := range testigo.OutcomeKinds() {
		words = append(words, string(k))
	}
	return strings.Join(words, ", ")
}

func checkOutcome(p *OutcomeParams, gate *memory.Gate) (id string, gen int, err error) {
	if !p.Outcome.Valid() {
		return "", 0, testigo.Invalid("outcome", "must be one of %s", outcomeWords())
	}
	if p.OutcomeRef, err = memory.OneLine("outcome_ref", p.OutcomeRef, testigo.MaxOutcomeRef); err != nil {
		return "", 0, err
	}
	if err := gate.Clean("outcome_ref", p.OutcomeRef); err != nil {
		return "", 0, err
	}
	if p.Note != "" {
		if p.Note, err = memory.Prose("note", p.Note, testigo.MaxNoteLen); err != nil {
			return "", 0, err
		}
		if p.Note, err = gate.Text("note", p.Note); err != nil {
			return "", 0, err
		}
	}
	if len(p.Refs) > testigo.MaxRefs {
		return "", 0, testigo.Invalid("refs", "has %d refs; at most %d are allowed", len(p.Refs), testigo.MaxRefs)
	}
	if p.HandoffID != "" {
		id, gen, err = parseClaim("handoff_id", p.HandoffID)
	}
	return id, gen, err
}

// record is the transaction of record_outcome.
func (s *Service) record(ctx context.Context, tx testigo.Tx, c Caller, p OutcomeParams, id string, gen int, project testigo.Project, res *OutcomeResult) error {
	packet, again, err := s.packetOf(ctx, tx, c, p, id, gen)
	if err != nil {
		return err
	}
	pins, err := s.actedOn(ctx, tx, c, p, packet, project, res)
	if err != nil {
		return err
	}
	rep := memory.Report{Kind: p.Outcome, OutcomeRef: p.OutcomeRef, Note: p.Note}
	if packet != nil {
		rep.HandoffID = packet.ID
	}
	for _, pin := range pins {
		m, err := memory.ApplyOutcome(ctx, tx, c, pin, rep)
		if err != nil {
			return err
		}
		if m.CurrentVersion > 0 {
			res.Notes = append(res.Notes, fmt.Sprintf("%s is superseded: its own confidence moved, the current version %d did not", pin, m.CurrentVersion))
		}
		res.Moved = append(res.Moved, m)
	}
	switch {
	case packet == nil:
		return nil
	case again:
		res.Closed = packet.ID
		res.Notes = append(res.Notes, "this packet was closed with this outcome before")
		return nil
	case id == "":
		res.Open = packet.ID
		res.Notes = append(res.Notes, fmt.Sprintf("%s stays claimed; pass handoff_id to close it", packet.ID))
		return renew(ctx, tx, c, packet)
	}
	res.Closed = packet.ID
	return closePacket(ctx, tx, c, p, packet)
}

// packetOf finds the packet an outcome belongs to: the one named, or the only one held. again says that it was closed
// with the very same outcome before.
func (s *Service) packetOf(ctx context.Context, tx testigo.Tx, c Caller, p OutcomeParams, id string, gen int) (packet *testigo.Handoff, again bool, err error) {
	if id == "" {
		mine, err := held(ctx, tx, c)
		switch {
		case err != nil || len(mine) == 0:
			return nil, false, err
		case len(mine) > 1 && p.Refs == nil:
			_, err := s.heldOne(ctx, tx, c, "", "handoff_id")
			return nil, false, err
		case len(mine) > 1:
			return nil, false, nil
		}
		return &mine[0], false, nil
	}
	h, err := find(ctx, tx, "handoff_id", id)
	if err != nil {
		return nil, false, err
	}
	if h.Kind == testigo.KindWork {
		return nil, false, testigo.Errorf(testigo.CodeRefused, "%s is work: its sender waits for a return", h.ID).WithNext("return_work ends it")
	}
	if h.State == testigo.Closed && h.ClosedBy == c.Agent && h.Outcome == p.Outcome && h.OutcomeRef == p.OutcomeRef {
		return &h, true, nil
	}
	return &h, false, mustHold(c, h, gen)
}

// actedOn lists the versions an outcome goes to.
func (s *Service) actedOn(ctx context.Context, tx testigo.Tx, c Caller, p OutcomeParams, packet *testigo.Handoff, project testigo.Project, res *OutcomeResult) ([]testigo.Pin, error) {
	switch {
	case p.Refs != nil:
		return s.resolveRefs(ctx, tx, c, project, p.Refs)
	case packet != nil:
		return s.creditable(ctx, tx, c, *packet, res)
	case c.Session == "":
		return nil, testigo.Invalid("refs", "is required: this caller has no session and holds no packet")
	}
	pins, _, err := s.touched(ctx, tx, c, project.ID)
	if err == nil && len(pins) == 0 {
		return nil, testigo.Invalid("refs", "is required: this session has touched no fact and holds no packet")
	}
	res.Notes = append(res.Notes, "no refs and no packet: the outcome goes to everything this session touched")
	return pins, err
}

// creditable lists a packet's pins for a default outcome. A pin that was shown as stale counts only when it was read
// again since, and then in the version that was read.
func (s *Service) creditable(ctx context.Context, r testigo.FactReader, c Caller, h testigo.Handoff, res *OutcomeResult) ([]testigo.Pin, error) {
	stale := map[testigo.Pin]bool{}
	for _, p := range h.Claim.StaleShown {
		stale[p] = true
	}
	touches, err := r.Touched(ctx, c.Agent, c.Session, 10*testigo.MaxTouchedPins)
	if err != nil {
		return nil, err
	}
	read := map[testigo.Name]testigo.Touch{}
	for _, t := range touches {
		read[t.Pin.Name] = t
	}
	var pins []testigo.Pin
	for _, p := range h.Pins {
		if !stale[p] {
			pins = append(pins, p)
			continue
		}
		if t, ok := read[p.Name]; ok && t.Pin.Version != p.Version && !t.At.Before(h.Claim.At) {
			pins = append(pins, t.Pin)
			continue
		}
		res.Notes = append(res.Notes, fmt.Sprintf("%s was shown as stale and not read again, so it is left out", p))
	}
	return pins, nil
}

func closePacket(ctx context.Context, tx testigo.Tx, c Caller, p OutcomeParams, h *testigo.Handoff) error {
	gen := h.Claim.Generation
	h.State, h.ClosedAt, h.ClosedBy, h.Outcome, h.OutcomeRef = testigo.Closed, tx.Now(), c.Agent, p.Outcome, p.OutcomeRef
	if err := tx.MoveHandoff(ctx, *h, testigo.Claimed, gen); err != nil {
		return err
	}
	return event(ctx, tx, c, h.ID, "closed", map[string]any{"outcome": p.Outcome, "outcome_ref": p.OutcomeRef, "generation": gen})
}
