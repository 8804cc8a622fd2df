package handoff

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
	"github.com/testigo/testigo/workspace"
)

// ResumeParams are the arguments of resume.
type ResumeParams struct {
	HandoffID string `json:"handoff_id,omitempty"`
	// Peek claims nothing: it lists the queue, or shows the packet that HandoffID names.
	Peek bool `json:"peek,omitempty"`
	// Cwd is the directory to compare and to take the project from; the caller's own when empty.
	Cwd       string `json:"cwd,omitempty"`
	Project   string `json:"project,omitempty"`
	FromAgent string `json:"from_agent,omitempty"`
	// PutBack ends the caller's claim.
	PutBack bool `json:"put_back,omitempty"`
	// MaxChars bounds the answer, Cursor reads on.
	MaxChars int    `json:"max_chars,omitempty"`
	Cursor   string `json:"cursor,omitempty"`
}

// ResumeResult is a packet, or the queue, or the word that nothing waits.
type ResumeResult struct {
	Packet *Packet `json:"packet,omitempty"`
	// AlreadyYours: the session held this packet before the call.
	AlreadyYours bool `json:"already_yours,omitempty"`
	// Claim names the hold for tools that act on it.
	Claim string `json:"claim,omitempty"`
	// Waiting counts what else this agent could pick up here.
	Waiting int         `json:"waiting"`
	Queue   []QueueItem `json:"queue,omitempty"`
	Cursor  string      `json:"cursor,omitempty"`
	// Others and Expired count packets that belong to others or ran out; never which.
	Others  int `json:"for_others,omitempty"`
	Expired int `json:"expired,omitempty"`
	// Unread counts messages in the caller's inbox.
	Unread  int      `json:"unread_messages,omitempty"`
	Project *string  `json:"project"`
	Summary string   `json:"summary"`
	Notes   []string `json:"notes,omitempty"`
}

// Resume claims the oldest packet that waits for the caller and answers with it and its pins resolved, in one call. Two
// callers never get the same packet. A session that holds one gets it again. Errors: not_found for an id that is not
// there or not the caller's, gone when a claim has passed on.
func (s *Service) Resume(ctx context.Context, c Caller, p ResumeParams) (ResumeResult, error) {
	id, gen, err := checkResume(p)
	if err != nil {
		return ResumeResult{}, err
	}
	dir := p.Cwd
	if dir == "" {
		dir = c.WorkDir()
	}
	project, err := s.mem.ProjectIn(ctx, c, dir, p.Project)
	if err != nil {
		return ResumeResult{}, err
	}
	switch {
	case p.Peek && id == "":
		return s.queue(ctx, c, p, project)
	case p.Peek:
		return s.show(ctx, c, p, id, dir, project)
	case p.PutBack:
		return s.release(ctx, c, id, gen, project)
	}
	return s.take(ctx, c, p, id, gen, dir, project)
}

func checkResume(p ResumeParams) (id string, gen int, err error) {
	if p.HandoffID != "" {
		if id, gen, err = parseClaim("handoff_id", p.HandoffID); err != nil {
			return "", 0, err
		}
	}
	if p.FromAgent != "" {
		if err := testigo.CheckAgentName("from_agent", p.FromAgent); err != nil {
			return "", 0, err
		}
	}
	switch {
	case p.Peek && p.PutBack:
		return "", 0, testigo.Invalid("put_back", "cannot be combined with peek")
	case p.MaxChars < 0 || p.MaxChars > memory.MaxMaxChars:
		return "", 0, testigo.Invalid("max_chars", "must be between 1 and %d", memory.MaxMaxChars)
	case p.Cwd != "":
		return id, gen, checkDir(p.Cwd)
	}
	return id, gen, nil
}

// take claims and shows. Which holders are dead is asked between the look and the write.
func (s *Service) take(ctx context.Context, c Caller, p ResumeParams, id string, gen int, dir string, project testigo.Project) (ResumeResult, error) {
	dead, err := s.deadHolders(ctx, c, p, "handoff_id", id, project)
	if err != nil {
		return ResumeResult{}, err
	}
	var got *testigo.Handoff
	var res ResumeResult
	var pins []pinState
	done := func() {}
	err = s.store.Write(ctx, func(tx testigo.Tx) error {
		var err error
		if done, err = memory.CheckIn(ctx, tx, c); err != nil {
			return err
		}
		if got, res.AlreadyYours, err = s.choose(ctx, tx, c, p, id, gen, project, dead); err != nil {
			return err
		}
		if got != nil && got.State == testigo.Claimed {
			if pins, err = resolve(ctx, tx, got.Pins); err != nil {
				return err
			}
			if err := rememberStale(ctx, tx, got, pins); err != nil {
				return err
			}
		}
		return s.counts(ctx, tx, c, p, project, &res)
	})
	if err != nil {
		return ResumeResult{}, err
	}
	done()
	res.Project = projectField(project.ID)
	switch {
	case got == nil:
		res.Summary = nothing(c, project, res)
		return res, nil
	case got.State != testigo.Claimed:
		return ResumeResult{}, mustHold(c, *got, 0)
	}
	return s.answer(ctx, c, p, *got, pins, dir, project, res)
}

// choose finds the packet for the caller and claims it; nil when nothing waits.
func (s *Service) choose(ctx context.Context, tx testigo.Tx, c Caller, p ResumeParams, id string, gen int, project testigo.Project, dead map[string]int) (*testigo.Handoff, bool, error) {
	if id != "" {
		h, err := find(ctx, tx, "handoff_id", id)
		if err != nil {
			return nil, false, err
		}
		if !visibleTo(c, h, project.ID) {
			return nil, false, notHere("handoff_id", id)
		}
		return s.takeOne(ctx, tx, c, h, gen, project, dead)
	}
	if p.FromAgent == "" {
		mine, err := held(ctx, tx, c)
		if err != nil {
			return nil, false, err
		}
		if len(mine) > 0 {
			return &mine[0], true, renew(ctx, tx, c, &mine[0])
		}
	}
	return s.oldest(ctx, tx, c, p, project, dead)
}

// takeOne claims the handoff a caller named.
func (s *Service) takeOne(ctx context.Context, tx testigo.Tx, c Caller, h testigo.Handoff, gen int, project testigo.Project, dead map[string]int) (*testigo.Handoff, bool, error) {
	switch {
	case !slices.Contains(pickedUp, h.Kind):
		return nil, false, testigo.Errorf(testigo.CodeRefused, "%s is a %s; nobody needs to pick it up", h.ID, h.Kind).WithNext("read_message %s opens it", h.ID)
	case h.State == testigo.Claimed && holds(c, h):
		if err := mustHold(c, h, gen); err != nil {
			return nil, false, err
		}
		return &h, true, renew(ctx, tx, c, &h)
	case !mayClaim(c, h, project.ID):
		return nil, false, testigo.Errorf(testigo.CodeForbidden, "%s is not for you", h.ID).WithNext("resume with peek and handoff_id %s shows it without taking it", h.ID)
	case h.State == testigo.Open:
		if ran, err := expire(ctx, tx, c, &h); err != nil || ran {
			return &h, false, err // the move is committed first, then take refuses
		}
		return &h, false, claim(ctx, tx, c, &h, "")
	case h.State == testigo.Claimed:
		if why := takeover(tx.Now(), h, dead); why != "" {
			return &h, false, claim(ctx, tx, c, &h, why)
		}
		return nil, false, testigo.Errorf(testigo.CodeConflict, "%s is held by %s (claim #%d, last sign of life %s)", h.ID, h.Claim.Agent,
			h.Claim.Generation, memory.Age(tx.Now(), h.Claim.RenewedAt)).WithNext("resume without handoff_id picks up the oldest that waits")
	}
	return nil, false, testigo.Errorf(testigo.CodeGone, "%s is %s; it cannot be picked up", h.ID, h.State).
		WithNext("resume with peek and handoff_id %s shows it", h.ID)
}

// oldest claims the oldest handoff addressed to the caller, else the oldest unaddressed one of the project.
func (s *Service) oldest(ctx context.Context, tx testigo.Tx, c Caller, p ResumeParams, project testigo.Project, dead map[string]int) (*testigo.Handoff, bool, error) {
	for _, f := range waitingFilters(c, p, project) {
		for after := int64(0); ; {
			f.AfterSeq, f.Limit = after, 200
			list, err := tx.Handoffs(ctx, f)
			if err != nil {
				return nil, false, err
			}
			for i := range list {
				h := &list[i]
				if !eligible(c, *h) {
					continue
				}
				if h.State == testigo.Claimed {
					if why := takeover(tx.Now(), *h, dead); why != "" {
						return h, false, claim(ctx, tx, c, h, why)
					}
					continue
				}
				ran, err := expire(ctx, tx, c, h)
				if err != nil {
					return nil, false, err
				}
				if !ran {
					return h, false, claim(ctx, tx, c, h, "")
				}
			}
			if len(list) < f.Limit {
				break
			}
			after = list[len(list)-1].Seq
		}
	}
	return nil, false, nil
}

// pickedUp is what resume picks up. Messages and notifications are read from the inbox; nothing is owed for them.
var pickedUp = []testigo.HandoffKind{testigo.KindPacket, testigo.KindWork}

// waitingFilters select what a caller could pick up, best first.
func waitingFilters(c Caller, p ResumeParams, project testigo.Project) []testigo.HandoffFilter {
	states := []testigo.HandoffState{testigo.Open, testigo.Claimed}
	return []testigo.HandoffFilter{
		{States: states, Kinds: pickedUp, To: c.Agent, From: p.FromAgent},
		{States: states, Kinds: pickedUp, Unaddressed: true, Projects: []string{project.ID}, From: p.FromAgent},
	}
}

// eligible leaves out what the very same session wrote: nobody hands over to itself in mid-session.
func eligible(c Caller, h testigo.Handoff) bool {
	return c.Session == "" || h.From != c.Agent || h.FromSession != c.Session
}

// takeover says why a claim may be taken from its holder, or "".
func takeover(now time.Time, h testigo.Handoff, dead map[string]int) string {
	switch {
	case dead[h.ID] == h.Claim.Generation && h.Claim.Generation > 0:
		return "the holder's process has ended"
	case h.Claim.Lapsed(now):
		return "no sign of life for two hours"
	}
	return ""
}

// expire moves an open handoff whose time is over, and reports whether it did.
func expire(ctx context.Context, tx testigo.Tx, c Caller, h *testigo.Handoff) (bool, error) {
	if !past(*h, tx.Now()) {
		return false, nil
	}
	h.State, h.ClosedAt = testigo.Expired, tx.Now()
	if err := tx.MoveHandoff(ctx, *h, testigo.Open, h.Claim.Generation); err != nil {
		return false, err
	}
	return true, event(ctx, tx, c, h.ID, "expired", nil)
}

// deadHolders asks, outside any transaction, which holders' processes have ended. The answer names the generation judged.
func (s *Service) deadHolders(ctx context.Context, c Caller, p ResumeParams, field, id string, project testigo.Project) (map[string]int, error) {
	var claimed []testigo.Handoff
	err := s.store.Read(ctx, func(r testigo.Reader) error {
		if id != "" {
			h, err := find(ctx, r, field, id)
			claimed = append(claimed, h)
			return err
		}
		for _, f := range waitingFilters(c, p, project) {
			f.States, f.Limit = []testigo.HandoffState{testigo.Claimed}, 200
			list, err := r.Handoffs(ctx, f)
			if err != nil {
				return err
			}
			claimed = append(claimed, list...)
		}
		return nil
	})
	dead := map[string]int{}
	for _, h := range claimed {
		if h.State != testigo.Claimed || !h.Claim.Process.Known() || holds(c, h) {
			continue
		}
		if alive, known := s.alive(h.Claim.Process); known && !alive {
			dead[h.ID] = h.Claim.Generation
		}
	}
	return dead, err
}

// release ends the caller's claim on the named handoff, or on the only one it holds.
func (s *Service) release(ctx context.Context, c Caller, id string, gen int, project testigo.Project) (ResumeResult, error) {
	res := ResumeResult{Project: projectField(project.ID)}
	err := s.store.Write(ctx, func(tx testigo.Tx) error {
		h, err := s.heldOne(ctx, tx, c, id, "handoff_id")
		if err != nil {
			return err
		}
		if err := mustHold(c, h, gen); err != nil {
			return err
		}
		res.Summary = fmt.Sprintf("put back: %s waits again for %s", h.ID, addressee(h))
		return putBack(ctx, tx, c, &h)
	})
	return res, err
}

// heldOne returns the handoff an id names, or the only one the caller holds.
func (s *Service) heldOne(ctx context.Context, r testigo.HandoffReader, c Caller, id, field string) (testigo.Handoff, error) {
	if id != "" {
		return find(ctx, r, field, id)
	}
	mine, err := held(ctx, r, c)
	if err != nil {
		return testigo.Handoff{}, err
	}
	switch len(mine) {
	case 0:
		return testigo.Handoff{}, testigo.Errorf(testigo.CodeRefused, "this session holds no packet").WithNext("resume with peek lists what waits")
	case 1:
		return mine[0], nil
	}
	ids := make([]string, len(mine))
	for i, h := range mine {
		ids[i] = h.ID
	}
	e := testigo.Invalid(field, "is required: this session holds %d packets", len(mine))
	return testigo.Handoff{}, e.WithData(map[string]any{"held": ids}).WithNext("name one of %s", strings.Join(ids, ", "))
}

func addressee(h testigo.Handoff) string {
	if h.To == "" {
		return "whoever resumes next in its project"
	}
	return h.To
}

func nothing(c Caller, project testigo.Project, res ResumeResult) string {
	where := "outside any project"
	if project.ID != testigo.NoProject {
		where = "in project " + project.ID
	}
	s := fmt.Sprintf("nothing is waiting for %s %s", c.Agent, where)
	if res.Others > 0 || res.Expired > 0 {
		s += fmt.Sprintf(" (%d for others, %d expired)", res.Others, res.Expired)
	}
	if res.Unread > 0 {
		s += "; " + memory.Count(res.Unread, "unread message", "unread messages") + " in the inbox"
	}
	return s
}

// compare says how the workspace moved since the packet was written.
func compare(ctx context.Context, h testigo.Handoff, dir string, project testigo.Project) *testigo.WorkspaceChange {
	if h.Workspace == nil || dir == "" {
		return nil
	}
	w := workspace.Compare(ctx, *h.Workspace, dir, project)
	return &w
}
