package handoff

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/testigo/testigo"
)

// claimRef formats a claim as tools accept it.
func claimRef(h testigo.Handoff) string { return fmt.Sprintf("%s#%d", h.ID, h.Claim.Generation) }

// parseClaim reads "ID" or "ID#generation"; generation 0 means none was named.
func parseClaim(field, s string) (id string, gen int, err error) {
	id, g, ok := strings.Cut(s, "#")
	if ok {
		if gen, err = strconv.Atoi(g); err != nil || gen < 1 {
			return "", 0, testigo.Invalid(field, "a claim is written ID#generation, such as h_1a2b3c4d#1")
		}
	}
	return id, gen, testigo.CheckHandoffID(field, id)
}

func holds(c Caller, h testigo.Handoff) bool {
	return h.State == testigo.Claimed && h.Claim.Agent == c.Agent && h.Claim.Session == c.Session
}

// find reads a handoff by id or by a unique prefix of at least 6 characters after "h_". What the caller may not see
// reads like what does not exist.
func find(ctx context.Context, r testigo.HandoffReader, field, id string) (testigo.Handoff, error) {
	h, err := r.Handoff(ctx, id)
	if testigo.CodeOf(err) != testigo.CodeNotFound {
		return h, err
	}
	missing := notHere(field, id)
	if len(strings.TrimPrefix(id, "h_")) < minPrefix {
		return h, missing
	}
	ids, err := r.HandoffsByPrefix(ctx, id, 5)
	switch {
	case err != nil:
		return h, err
	case len(ids) == 0:
		return h, missing
	case len(ids) > 1:
		e := testigo.Errorf(testigo.CodeConflict, "%s is the beginning of several ids: %s", id, strings.Join(ids, ", "))
		e.Field = field
		return h, e.WithNext("give more characters")
	}
	return r.Handoff(ctx, ids[0])
}

// notHere is the one error for what does not exist and for what the caller may not see.
func notHere(field, id string) *testigo.Error {
	return &testigo.Error{Code: testigo.CodeNotFound, Field: field, Msg: "there is no handoff " + id + " here", Next: "resume with peek lists the packets that wait, inbox the messages"}
}

// minPrefix is how many characters after "h_" a prefix needs: fewer would match by accident.
const minPrefix = 6

// visibleTo reports whether an agent may open a handoff: its sender, its recipient, anybody of the project when it is
// addressed to nobody, and a person at the terminal, who owns the file.
func visibleTo(c Caller, h testigo.Handoff, project string) bool {
	switch {
	case testigo.IsPerson(c.Agent), h.From == c.Agent, h.To == c.Agent, h.Claim.Agent == c.Agent:
		return true
	}
	return h.To == "" && h.Project == project
}

// mayClaim reports whether an agent is the one a handoff is for.
func mayClaim(c Caller, h testigo.Handoff, project string) bool {
	if h.To != "" {
		return h.To == c.Agent
	}
	return h.Project == project
}

// claim gives an open handoff to the caller, or takes over a claimed one, with the next generation.
func claim(ctx context.Context, tx testigo.Tx, c Caller, h *testigo.Handoff, why string) error {
	from, gen, old := h.State, h.Claim.Generation, h.Claim
	h.State = testigo.Claimed
	if h.ReadAt.IsZero() && h.To == c.Agent {
		h.ReadAt = tx.Now()
	}
	if h.Kind == testigo.KindWork && h.AcceptedAt.IsZero() {
		h.AcceptedAt = tx.Now()
	}
	h.Claim = testigo.Claim{Agent: c.Agent, Session: c.Session, Generation: gen + 1, At: tx.Now(), RenewedAt: tx.Now(), Process: c.Process}
	if err := tx.MoveHandoff(ctx, *h, from, gen); err != nil {
		return err
	}
	data := map[string]any{"generation": gen + 1}
	kind := "claimed"
	if from == testigo.Claimed {
		kind = "taken_over"
		data["from_agent"], data["from_session"], data["why"] = old.Agent, old.Session, why
	}
	return event(ctx, tx, c, h.ID, kind, data)
}

// renew is the holder's sign of life. A lapsed hold that nobody took goes on with the next generation.
func renew(ctx context.Context, tx testigo.Tx, c Caller, h *testigo.Handoff) error {
	gen := h.Claim.Generation
	lapsed := h.Claim.Lapsed(tx.Now())
	if lapsed {
		h.Claim.Generation++
	}
	h.Claim.RenewedAt = tx.Now()
	if c.Process.Known() {
		h.Claim.Process = c.Process
	}
	if err := tx.MoveHandoff(ctx, *h, testigo.Claimed, gen); err != nil {
		return err
	}
	if !lapsed {
		return nil
	}
	return event(ctx, tx, c, h.ID, "renewed", map[string]any{"generation": h.Claim.Generation, "why": "lapsed"})
}

// putBack ends the caller's claim; the generation stays, so that the next holder gets a higher one.
func putBack(ctx context.Context, tx testigo.Tx, c Caller, h *testigo.Handoff) error {
	gen := h.Claim.Generation
	h.State = testigo.Open
	h.Claim = testigo.Claim{Generation: gen}
	if err := tx.MoveHandoff(ctx, *h, testigo.Claimed, gen); err != nil {
		return err
	}
	return event(ctx, tx, c, h.ID, "put_back", nil)
}

// mustHold returns nil when the caller holds h under the generation it names (0: any), and the error that says who does
// otherwise.
func mustHold(c Caller, h testigo.Handoff, gen int) error {
	switch {
	case holds(c, h) && (gen == 0 || gen == h.Claim.Generation):
		return nil
	case h.State == testigo.Claimed && h.Claim.Agent == c.Agent && gen == h.Claim.Generation:
		return nil // the claim was handed over by name, as a card or a turn's environment does
	case h.State == testigo.Claimed && holds(c, h):
		return testigo.Errorf(testigo.CodeGone, "%s#%d is not the claim that counts; you hold it as #%d", h.ID, gen, h.Claim.Generation).
			WithNext("use claim %s", claimRef(h))
	case h.State == testigo.Claimed && h.Claim.Agent == c.Agent:
		return testigo.Errorf(testigo.CodeGone, "%s is held by %s (claim #%d, since %s) in another session; nothing was changed",
			h.ID, h.Claim.Agent, h.Claim.Generation, h.Claim.At.Format("2006-01-02T15:04:05Z07:00")).
			WithNext("resume with handoff_id %s takes it over once that session's process has ended, or after two hours without a sign of life", h.ID)
	case h.State == testigo.Claimed:
		return testigo.Errorf(testigo.CodeGone, "%s is held by %s (claim #%d, since %s); nothing was changed",
			h.ID, h.Claim.Agent, h.Claim.Generation, h.Claim.At.Format("2006-01-02T15:04:05Z07:00")).WithNext("resume picks up something else")
	case h.State == testigo.Open:
		return testigo.Errorf(testigo.CodeRefused, "%s is not claimed; nothing was changed", h.ID).WithNext("resume with handoff_id %s claims it", h.ID)
	}
	return testigo.Errorf(testigo.CodeGone, "%s is %s; nothing was changed", h.ID, h.State).WithNext("testigo log %s tells its history", h.ID)
}

// held lists what the caller's session holds, oldest first.
func held(ctx context.Context, r testigo.HandoffReader, c Caller) ([]testigo.Handoff, error) {
	return r.Handoffs(ctx, testigo.HandoffFilter{States: []testigo.HandoffState{testigo.Claimed},
		HolderAgent: c.Agent, HolderSession: c.Session, Limit: 100})
}

// Renew is called after any other call of a session: what it holds stays held.
func (s *Service) Renew(ctx context.Context, c Caller) error {
	if c.Session == "" {
		return nil
	}
	return s.store.Write(ctx, func(tx testigo.Tx) error {
		mine, err := held(ctx, tx, c)
		if err != nil {
			return err
		}
		for i := range mine {
			if err := renew(ctx, tx, c, &mine[i]); err != nil {
				return err
			}
		}
		return nil
	})
}
