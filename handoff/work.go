package handoff

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

// AcceptParams are the arguments of accept_work.
type AcceptParams struct {
	ID string `json:"id"`
}

// AcceptResult says who holds the work now.
type AcceptResult struct {
	MessageID string `json:"messageId"`
	Accepted  bool   `json:"accepted"`
	Claim     string `json:"claim,omitempty"`
	// AlreadyDone: it was accepted, returned or closed before; nothing changed.
	AlreadyDone bool   `json:"already_accepted,omitempty"`
	Note        string `json:"note,omitempty"`
	// Stale lists the pinned versions that are no longer current.
	Stale []PinView `json:"stalePins,omitempty"`
}

// AcceptWork takes work that was sent to the caller. Accepting again, or late, changes nothing and says so.
func (s *Service) AcceptWork(ctx context.Context, c Caller, p AcceptParams) (AcceptResult, error) {
	id, gen, err := parseClaim("id", p.ID)
	if err != nil {
		return AcceptResult{}, err
	}
	dead, err := s.deadHolders(ctx, c, ResumeParams{}, "id", id, testigo.Project{})
	if err != nil {
		return AcceptResult{}, err
	}
	var res AcceptResult
	done := func() {}
	err = s.store.Write(ctx, func(tx testigo.Tx) error {
		if done, err = memory.CheckIn(ctx, tx, c); err != nil {
			return err
		}
		h, err := s.assigned(ctx, tx, c, id)
		if err != nil {
			return err
		}
		res = AcceptResult{MessageID: h.ID, Accepted: h.State != testigo.Withdrawn && h.State != testigo.Expired}
		if h.State != testigo.Open && h.State != testigo.Claimed {
			if h.AcceptedAt.IsZero() && h.Return == nil {
				return testigo.Errorf(testigo.CodeGone, "%s is %s; there is nothing to accept", h.ID, h.State).WithNext("handoff_status %s tells how it stands", h.ID)
			}
			res.AlreadyDone, res.Note = res.Accepted, fmt.Sprintf("this work is %s; there is nothing to accept", h.State)
			return nil
		}
		if err := s.tellStale(ctx, tx, c, h, &res); err != nil {
			return err
		}
		if gen > 0 {
			if err := mustHold(c, h, gen); err != nil {
				return err
			}
		}
		if h.State == testigo.Claimed && (holds(c, h) || gen > 0) {
			res.AlreadyDone = true
			res.Claim = claimRef(h)
			return renew(ctx, tx, c, &h)
		}
		err = s.take1(ctx, tx, c, &h, dead)
		res.Claim = claimRef(h)
		return err
	})
	if err == nil {
		done()
	}
	return res, err
}

// tellStale says which pins of work moved on since it was sent.
func (s *Service) tellStale(ctx context.Context, r testigo.FactReader, c Caller, h testigo.Handoff, res *AcceptResult) error {
	pins, err := resolve(ctx, r, h.Pins)
	if err != nil {
		return err
	}
	for _, p := range pins {
		if p.stale() {
			res.Stale = append(res.Stale, p.view())
		}
	}
	if len(pins) > 0 {
		res.Note = fmt.Sprintf("%s, %d of them stale; resume with handoff_id %s shows the pinned values",
			memory.Count(len(pins), "pinned version", "pinned versions"), len(res.Stale), h.ID)
	}
	res.Stale, _ = fitList(c, res.Stale, nil, "", "")
	return nil
}

// take1 claims work for the caller, as its assignee: open, or held by a session that has ended.
func (s *Service) take1(ctx context.Context, tx testigo.Tx, c Caller, h *testigo.Handoff, dead map[string]int) error {
	if past(*h, tx.Now()) {
		return testigo.Errorf(testigo.CodeGone, "%s ran out %s; there is nothing to accept", h.ID, memory.Age(tx.Now(), h.ExpiresAt)).
			WithNext("send_handoff with reply_to %s asks its sender", h.ID)
	}
	why := ""
	if h.State == testigo.Claimed {
		if why = takeover(tx.Now(), *h, dead); why == "" {
			return mustHold(c, *h, 0)
		}
	}
	return claim(ctx, tx, c, h, why)
}

// assigned reads work that is the caller's to do. What is not, is told apart only for those who can see it.
func (s *Service) assigned(ctx context.Context, r testigo.HandoffReader, c Caller, id string) (testigo.Handoff, error) {
	h, err := s.mine(ctx, r, c, id)
	switch {
	case err != nil:
		return h, err
	case h.ReturnFor != "":
		return h, testigo.Errorf(testigo.CodeRefused, "%s is the return of %s, not work itself", h.ID, h.ReturnFor).WithNext("close_work %s decides about it", h.ReturnFor)
	case h.Kind != testigo.KindWork:
		return h, testigo.Errorf(testigo.CodeRefused, "%s is a %s: nobody owes a return for it", h.ID, h.Kind).WithNext("send_handoff answers it")
	case h.To != c.Agent && !(h.To == "" && h.Claim.Agent == c.Agent):
		return h, testigo.Errorf(testigo.CodeForbidden, "only %s may accept or return %s", addressee(h), h.ID).WithNext("handoff_status %s tells how it stands", h.ID)
	}
	return h, nil
}

// ReturnParams are the arguments of return_work.
type ReturnParams struct {
	ID       string `json:"id"`
	Summary  string `json:"summary"`
	Evidence string `json:"evidence,omitempty"`
	// Blocked says that the work could not be done.
	Blocked bool                  `json:"blocked,omitempty"`
	Claims  []testigo.ReturnClaim `json:"claims,omitempty"`
}

// ReturnResult says which message carries the answer.
type ReturnResult struct {
	MessageID       string          `json:"messageId"`
	ReturnMessageID string          `json:"returnMessageId"`
	Blocked         bool            `json:"blocked"`
	Redacted        memory.Redacted `json:"redacted,omitempty"`
}

// ReturnWork answers work, once: the result is stored, and a message carries it to the sender whatever the connections
// say. The caller's session must hold the work, or name its claim as ID#generation; unclaimed work is claimed by this.
func (s *Service) ReturnWork(ctx context.Context, c Caller, p ReturnParams) (ReturnResult, error) {
	var gate memory.Gate
	id, gen, err := parseClaim("id", p.ID)
	if err != nil {
		return ReturnResult{}, err
	}
	if err := checkReturn(&p, &gate); err != nil {
		return ReturnResult{}, err
	}
	dead, err := s.deadHolders(ctx, c, ResumeParams{}, "id", id, testigo.Project{})
	if err != nil {
		return ReturnResult{}, err
	}
	var res ReturnResult
	done := func() {}
	err = s.store.Write(ctx, func(tx testigo.Tx) error {
		if done, err = memory.CheckIn(ctx, tx, c); err != nil {
			return err
		}
		h, err := s.assigned(ctx, tx, c, id)
		if err != nil {
			return err
		}
		if h.Return != nil {
			return testigo.Errorf(testigo.CodeConflict, "%s was already returned by %s; nothing was changed", h.ID, h.Return.By).
				WithNext("send_handoff with reply_to adds to it")
		}
		res, err = s.giveBack(ctx, tx, c, p, &h, gen, dead)
		return err
	})
	if err != nil {
		return ReturnResult{}, err
	}
	done()
	res.Redacted = gate.Found()
	return res, nil
}

// giveBack claims what is unclaimed, then moves the work to returned and sends the answer.
func (s *Service) giveBack(ctx context.Context, tx testigo.Tx, c Caller, p ReturnParams, h *testigo.Handoff, gen int, dead map[string]int) (ReturnResult, error) {
	switch {
	case h.State == testigo.Open && gen > 0:
		return ReturnResult{}, mustHold(c, *h, gen) // nobody holds it, under whatever number
	case h.State == testigo.Open, h.State == testigo.Claimed && mustHold(c, *h, gen) != nil && gen == 0:
		if err := s.take1(ctx, tx, c, h, dead); err != nil {
			return ReturnResult{}, err
		}
	}
	if err := mustHold(c, *h, gen); err != nil {
		return ReturnResult{}, err
	}
	claimGen := h.Claim.Generation
	answer := returnMessage(*h, p, tx.Now())
	answer.From, answer.FromSession = c.Agent, c.Session
	if err := s.store1(ctx, tx, c, &answer); err != nil {
		return ReturnResult{}, err
	}
	h.State = testigo.Returned
	h.Return = &testigo.Return{Summary: p.Summary, Blocked: p.Blocked, Evidence: p.Evidence, Claims: p.Claims, By: c.Agent, At: tx.Now(), MessageID: answer.ID}
	if err := tx.MoveHandoff(ctx, *h, testigo.Claimed, claimGen); err != nil {
		return ReturnResult{}, err
	}
	if err := event(ctx, tx, c, h.ID, "returned", map[string]any{"blocked": p.Blocked, "message": answer.ID, "generation": claimGen}); err != nil {
		return ReturnResult{}, err
	}
	return ReturnResult{MessageID: h.ID, ReturnMessageID: answer.ID, Blocked: p.Blocked}, nil
}

// returnMessage writes the message that carries a result to the work's sender.
func returnMessage(h testigo.Handoff, p ReturnParams, now time.Time) testigo.Handoff {
	word := "Result"
	if p.Blocked {
		word = "Blocked"
	}
	text := fmt.Sprintf("Returned: %s\n\n%s: %s", h.Title, word, p.Summary)
	if p.Evidence != "" {
		text += "\n\nEvidence: " + p.Evidence
	}
	for _, c := range p.Claims {
		text += "\n- " + claimLine(c)
	}
	m := testigo.Handoff{Kind: testigo.KindMessage, State: testigo.Open, Project: h.Project, To: h.From, Title: "Returned: " + h.Title,
		Summary: text, Notify: "wake", CreatedAt: now, ReplyTo: h.ID, Thread: h.Thread, ReturnFor: h.ID, Pins: h.Pins}
	if m.Thread == "" {
		m.Thread = h.ID
	}
	if testigo.IsService(h.From) {
		m.Kind, m.Notify = testigo.KindNotification, "none"
	}
	m.ContentHash = contentHash(m)
	return m
}

// claimLine says what is claimed and how its writer knows. Only a command's result or a hash counts as checked.
func claimLine(c testigo.ReturnClaim) string {
	switch {
	case c.How == "command" && c.ExitCode != nil:
		return fmt.Sprintf("%s (reported from %q, exit %d)", c.Claim, c.Ref, *c.ExitCode)
	case c.How == "command":
		return fmt.Sprintf("%s (reported from %q, exit unknown)", c.Claim, c.Ref)
	case c.How == "hash":
		return fmt.Sprintf("%s (hash given, not compared here: %s)", c.Claim, c.Ref)
	}
	return c.Claim + " (stated, unchecked)"
}

func checkReturn(p *ReturnParams, gate *memory.Gate) (err error) {
	if p.Summary, err = memory.Prose("summary", p.Summary, testigo.MaxReturnSummary); err != nil {
		return err
	}
	if p.Summary, err = gate.Text("summary", p.Summary); err != nil {
		return err
	}
	if p.Evidence != "" {
		if p.Evidence, err = memory.Prose("evidence", p.Evidence, testigo.MaxEvidenceLen); err != nil {
			return err
		}
		if p.Evidence, err = gate.Text("evidence", p.Evidence); err != nil {
			return err
		}
	}
	if len(p.Claims) > testigo.MaxClaims {
		return testigo.Invalid("claims", "has %d items; at most %d are allowed", len(p.Claims), testigo.MaxClaims)
	}
	for i := range p.Claims {
		if err := checkClaim(fmt.Sprintf("claims[%d]", i), &p.Claims[i], gate); err != nil {
			return err
		}
	}
	return nil
}

func checkClaim(field string, c *testigo.ReturnClaim, gate *memory.Gate) (err error) {
	if c.Claim, err = memory.OneLine(field+".claim", c.Claim, testigo.MaxItemLen); err != nil {
		return err
	}
	if c.Claim, err = gate.Text(field+".claim", c.Claim); err != nil {
		return err
	}
	if c.How == "" {
		c.How = "stated"
	}
	if !slices.Contains([]string{"stated", "hash", "command"}, c.How) {
		return testigo.Invalid(field+".how", "must be stated, hash or command")
	}
	if c.How != "stated" && c.Ref == "" {
		return testigo.Invalid(field+".ref", "is required with how: %s", c.How)
	}
	if path, digest, ok := strings.Cut(c.Ref, "@"); c.How == "hash" {
		if _, err := testigo.ParseHash(digest); !ok || path == "" || err != nil {
			return testigo.Invalid(field+".ref", "must be a file and its SHA-256, as path@64 hex digits")
		}
	}
	if c.Ref != "" {
		if c.Ref, err = memory.OneLine(field+".ref", c.Ref, testigo.MaxItemLen); err != nil {
			return err
		}
		c.Ref, err = gate.Text(field+".ref", c.Ref)
	}
	return err
}
