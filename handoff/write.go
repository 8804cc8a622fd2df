package handoff

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
	"github.com/testigo/testigo/workspace"
)

// Params are the arguments of handoff.
type Params struct {
	Title         string   `json:"title"`
	Summary       string   `json:"summary"`
	NextSteps     []string `json:"next_steps,omitempty"`
	OpenQuestions []string `json:"open_questions,omitempty"`
	Tried         []string `json:"tried,omitempty"`
	// Refs name the facts to pin. Nil pins everything the session touched.
	Refs    []testigo.Ref `json:"refs,omitempty"`
	ToAgent string        `json:"to_agent,omitempty"`
	Project string        `json:"project,omitempty"`
	// ExpiresAt is RFC 3339; DueMinutes counts from now.
	ExpiresAt     string `json:"expires_at,omitempty"`
	DueMinutes    int    `json:"due_minutes,omitempty"`
	ExpectsReturn bool   `json:"expects_return,omitempty"`
	Notify        string `json:"notify,omitempty"`
	RequestKey    string `json:"request_key,omitempty"`
	AllowRepeat   bool   `json:"allow_repeat,omitempty"`
	AllowUnknown  bool   `json:"allow_unknown,omitempty"`
}

// Result says what was written and what will become of it.
type Result struct {
	ID      string              `json:"id"`
	Kind    testigo.HandoffKind `json:"kind"`
	State   string              `json:"state"`
	Project *string             `json:"project"`
	Title   string              `json:"title"`
	Pins    []PinRef            `json:"pins"`
	To      *Recipient          `json:"to,omitempty"`
	// Repeated: an equal packet, or this request key, was answered before; nothing was written now.
	Repeated bool            `json:"repeated,omitempty"`
	Redacted memory.Redacted `json:"redacted,omitempty"`
	Notes    []string        `json:"notes,omitempty"`
}

// PinRef is a pin as answers show it.
type PinRef struct {
	Name    string  `json:"name"`
	Project *string `json:"project"`
	Version int     `json:"version"`
}

// Handoff writes a packet, durably, and says which versions it pins. Errors: invalid for an argument, not_found for a
// ref or recipient that does not exist, conflict for a request key used for something else.
func (s *Service) Handoff(ctx context.Context, c Caller, p Params) (Result, error) {
	h, gate, err := s.draft(ctx, c, p)
	if err != nil {
		return Result{}, err
	}
	var res Result
	done := func() {}
	err = s.store.Write(ctx, func(tx testigo.Tx) error {
		if done, err = memory.CheckIn(ctx, tx, c); err != nil {
			return err
		}
		res, err = s.write(ctx, tx, c, p, h)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	done()
	res.Redacted = gate.Found()
	res.Notes = append(res.Notes, s.mem.Warnings(ctx)...)
	res.Pins, res.Notes = fitList(c, res.Pins, res.Notes, "pins", "resume with peek and handoff_id "+res.ID)
	return res, nil
}

// fitList cuts a list to a caller's budget and says so.
func fitList[T any](c Caller, list []T, notes []string, what, more string) ([]T, []string) {
	if c.Budget == 0 {
		return list, notes
	}
	used := headerBytes + jsonSize(notes)
	for i, it := range list {
		if used += jsonSize(it) + 1; used > c.Budget {
			return list[:i], append(notes, fmt.Sprintf("%d of %d %s shown; %s shows all", i, len(list), what, more))
		}
	}
	return list, notes
}

// draft checks the arguments and captures the workspace; everything that needs no transaction.
func (s *Service) draft(ctx context.Context, c Caller, p Params) (testigo.Handoff, *memory.Gate, error) {
	var gate memory.Gate
	project, err := s.mem.Project(ctx, c, p.Project)
	if err != nil {
		return testigo.Handoff{}, nil, err
	}
	h := testigo.Handoff{Kind: testigo.KindPacket, State: testigo.Open, Project: project.ID, From: c.Agent, FromSession: c.Session, To: p.ToAgent}
	if p.ExpectsReturn {
		h.Kind = testigo.KindWork
	}
	if err := s.texts(&h, &gate, p); err != nil {
		return h, nil, err
	}
	if err := terms(&h, p, s.mem.Now()); err != nil {
		return h, nil, err
	}
	if dir := c.WorkDir(); dir != "" {
		w := workspace.Capture(ctx, dir, project, s.mem.Now())
		gateWorkspace(&gate, &w)
		h.Workspace = &w
	}
	return h, &gate, nil
}

// gateWorkspace redacts what was captured: a branch or a file can be called anything.
func gateWorkspace(gate *memory.Gate, w *testigo.Workspace) {
	w.Branch = gate.Mask(w.Branch)
	for i := range w.Dirty {
		w.Dirty[i].Path = gate.Mask(w.Dirty[i].Path)
	}
}

func (s *Service) texts(h *testigo.Handoff, gate *memory.Gate, p Params) (err error) {
	if h.Title, err = memory.OneLine("title", p.Title, testigo.MaxTitleLen); err != nil {
		return err
	}
	if h.Title, err = gate.Text("title", h.Title); err != nil {
		return err
	}
	if h.Summary, err = memory.Prose("summary", p.Summary, testigo.MaxSummaryLen); err != nil {
		return err
	}
	if h.Summary, err = gate.Text("summary", h.Summary); err != nil {
		return err
	}
	lists := []struct {
		field string
		in    []string
		out   *[]string
	}{
		{"next_steps", p.NextSteps, &h.NextSteps},
		{"open_questions", p.OpenQuestions, &h.OpenQuestions},
		{"tried", p.Tried, &h.Tried},
	}
	for _, l := range lists {
		if *l.out, err = items(gate, l.field, l.in); err != nil {
			return err
		}
	}
	return nil
}

func items(gate *memory.Gate, field string, in []string) ([]string, error) {
	if len(in) > testigo.MaxItems {
		return nil, testigo.Invalid(field, "has %d items; at most %d are allowed", len(in), testigo.MaxItems)
	}
	var out []string
	for i, it := range in {
		it, err := memory.Prose(fmt.Sprintf("%s[%d]", field, i), it, testigo.MaxItemLen)
		if err != nil {
			return nil, err
		}
		if it, err = gate.Text(field, it); err != nil {
			return nil, err
		}
		out = append(out, it)
	}
	return out, nil
}

// terms checks recipient, times and the rest.
func terms(h *testigo.Handoff, p Params, now time.Time) error {
	if p.ToAgent != "" {
		if err := memory.CheckAgent("to_agent", p.ToAgent); err != nil {
			return err
		}
		if testigo.IsService(p.ToAgent) {
			return testigo.Invalid("to_agent", "names a part of Testigo, which takes no packets")
		}
	}
	if p.ExpiresAt != "" {
		at, err := time.Parse(time.RFC3339, p.ExpiresAt)
		if err != nil {
			return testigo.Invalid("expires_at", "must be an RFC 3339 time such as 2026-03-01T09:00:00+01:00")
		}
		if !at.After(now) {
			return testigo.Invalid("expires_at", "lies in the past")
		}
		h.ExpiresAt = at.UTC().Truncate(time.Millisecond)
	}
	switch {
	case p.DueMinutes == 0:
	case p.DueMinutes < testigo.MinDueMinutes || p.DueMinutes > testigo.MaxDueMinutes:
		return testigo.Invalid("due_minutes", "must be between %d and %d (30 days)", testigo.MinDueMinutes, testigo.MaxDueMinutes)
	default:
		h.DueAt = now.Add(time.Duration(p.DueMinutes) * time.Minute).Truncate(time.Millisecond)
	}
	if h.Notify = p.Notify; h.Notify == "" {
		h.Notify = "quiet"
	}
	if !slices.Contains([]string{"none", "quiet", "wake"}, h.Notify) {
		return testigo.Invalid("notify", "must be none, quiet or wake")
	}
	if len(p.Refs) > testigo.MaxRefs {
		return testigo.Invalid("refs", "has %d refs; at most %d are allowed", len(p.Refs), testigo.MaxRefs)
	}
	return memory.CheckRequestKey("request_key", p.RequestKey)
}

// write is the transaction of handoff: request key, recipient, pins, repeats, row.
func (s *Service) write(ctx context.Context, tx testigo.Tx, c Caller, p Params, h testigo.Handoff) (Result, error) {
	asked := askedHash(p)
	if p.RequestKey != "" {
		if res, found, err := s.answered(ctx, tx, c, p, asked); found || err != nil {
			return res, err
		}
	}
	to, err := recipient(ctx, tx, c, p, tx.Now())
	if err != nil {
		return Result{}, err
	}
	if p.ToAgent != "" && p.ToAgent != c.Agent {
		if err := mayReach(ctx, tx, c.Agent, p.ToAgent); err != nil {
			return Result{}, err
		}
	}
	pins, notes, err := s.pins(ctx, tx, c, p, h.Project)
	if err != nil {
		return Result{}, err
	}
	h.Pins, h.CreatedAt = pins, tx.Now()
	h.ContentHash = contentHash(h)
	if !p.AllowRepeat {
		old, err := tx.RecentHandoff(ctx, c.Agent, c.Session, h.ContentHash, tx.Now().Add(-testigo.RepeatWindow))
		if err == nil {
			res := written(old, to, []string{"an equal packet was written " + memory.Age(tx.Now(), old.CreatedAt) + "; allow_repeat writes another"})
			res.Repeated = true
			return res, nil
		}
		if testigo.CodeOf(err) != testigo.CodeNotFound {
			return Result{}, err
		}
	}
	if err := s.store1(ctx, tx, c, &h); err != nil {
		return Result{}, err
	}
	if p.RequestKey != "" {
		ref, err := json.Marshal(map[string]string{"id": h.ID})
		if err != nil {
			return Result{}, err
		}
		if err := tx.PutRequest(ctx, testigo.Request{Agent: c.Agent, Key: p.RequestKey, Tool: "handoff", Content: asked, Result: ref, At: tx.Now()}); err != nil {
			return Result{}, err
		}
	}
	return written(h, to, notes), nil
}

// insert gives h an id that is free.
func (s *Service) insert(ctx context.Context, tx testigo.Tx, h *testigo.Handoff) error {
	h.Seq = tx.NextSeq()
	for range 10 {
		var b [4]byte
		if _, err := io.ReadFull(s.random, b[:]); err != nil {
			return err
		}
		h.ID = "h_" + hex.EncodeToString(b[:])
		if err := tx.PutHandoff(ctx, *h); testigo.CodeOf(err) != testigo.CodeConflict {
			return err
		}
	}
	return testigo.Errorf(testigo.CodeInternal, "no free handoff id was found")
}

// answered looks a request key up; what it was answered with is the handoff as it is now.
func (s *Service) answered(ctx context.Context, tx testigo.Tx, c Caller, p Params, asked testigo.Hash) (Result, bool, error) {
	req, err := tx.Request(ctx, c.Agent, p.RequestKey)
	if testigo.CodeOf(err) == testigo.CodeNotFound {
		return Result{}, false, nil
	}
	if err != nil {
		return Result{}, false, err
	}
	if req.Tool != "handoff" || req.Content != asked {
		return Result{}, true, memory.RequestConflict(p.RequestKey, req.Tool)
	}
	var ref struct{ ID string }
	if err := json.Unmarshal(req.Result, &ref); err != nil {
		return Result{}, true, errors.Join(testigo.Errorf(testigo.CodeDamaged, "the kept answer of a request key cannot be read"), err)
	}
	h, err := tx.Handoff(ctx, ref.ID)
	if err != nil {
		return Result{}, true, err
	}
	p.AllowUnknown = true // it was accepted when it was first asked
	to, err := recipient(ctx, tx, c, p, tx.Now())
	if err != nil {
		return Result{}, true, err
	}
	res := written(h, to, nil)
	res.Repeated = true
	return res, true, nil
}

func written(h testigo.Handoff, to *Recipient, notes []string) Result {
	res := Result{ID: h.ID, Kind: h.Kind, State: string(h.State), Project: projectField(h.Project), Title: h.Title, Pins: []PinRef{}, To: to, Notes: notes}
	for _, p := range h.Pins {
		res.Pins = append(res.Pins, pinRef(p))
	}
	if to == nil {
		res.Notes = append(res.Notes, "addressed to nobody: whoever resumes next in this project gets it")
	}
	return res
}

func pinRef(p testigo.Pin) PinRef {
	return PinRef{Name: p.Name.String(), Project: projectField(p.Name.Project), Version: p.Version}
}

func projectField(id string) *string {
	if id == testigo.NoProject {
		return nil
	}
	return &id
}

func askedHash(p Params) testigo.Hash {
	p.RequestKey = ""
	return hashJSON(p)
}

// contentHash covers what the sender said and pinned, so that an accidental repeat is recognised.
func contentHash(h testigo.Handoff) testigo.Hash {
	return hashJSON([]any{h.Kind, h.Project, h.To, h.Title, h.Summary, h.NextSteps, h.OpenQuestions, h.Tried, h.Pins, h.ExpiresAt, h.Notify, h.ReplyTo, h.ReturnFor})
}

func hashJSON(v any) testigo.Hash {
	b, err := json.Marshal(v)
	if err != nil { // plain strings and numbers always marshal
		panic(err)
	}
	return testigo.BodyHash(nil, b)
}
