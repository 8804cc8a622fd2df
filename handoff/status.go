package handoff

import (
	"context"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

// StatusParams are the arguments of handoff_status: one handoff, or an overview.
type StatusParams struct {
	ID string `json:"id,omitempty"`
}

// StatusResult is where one handoff is, or the caller's latest ones and open work.
type StatusResult struct {
	Message *Message        `json:"message,omitempty"`
	History []testigo.Event `json:"history,omitempty"`
	// Delivery is null until an engine delivers; Reason says why.
	Delivery *struct{} `json:"delivery"`
	Reason   string    `json:"deliveryReason,omitempty"`

	Agent  string    `json:"agent,omitempty"`
	Sent   []Message `json:"sent,omitempty"`
	Mine   []Message `json:"workForMe,omitempty"`
	Orders []Message `json:"workByMe,omitempty"`
	// Notes say what was left out.
	Notes []string `json:"notes,omitempty"`
}

const (
	historyShown = 8
	sentShown    = 20
	workShown    = 50
)

// Status tells a sender or recipient how a handoff stands. It never writes. Foreign and unknown ids look the same.
func (s *Service) Status(ctx context.Context, c Caller, p StatusParams) (StatusResult, error) {
	if p.ID == "" {
		return s.overview(ctx, c)
	}
	id, _, err := parseClaim("id", p.ID)
	if err != nil {
		return StatusResult{}, err
	}
	var res StatusResult
	err = s.store.Read(ctx, func(r testigo.Reader) error {
		h, err := s.mine(ctx, r, c, id)
		if err != nil {
			return err
		}
		m := message(h, s.mem.Now())
		res.Message, res.Reason = &m, reason(h, s.mem.Now())
		events, err := r.Events(ctx, h.ID, 0, logPage)
		if n := len(events); n > historyShown {
			events = events[n-historyShown:]
		}
		res.History = events
		return err
	})
	return res, err
}

// reason says in words why nothing was delivered.
func reason(h testigo.Handoff, now time.Time) string {
	switch {
	case h.Kind == testigo.KindNotification:
		return "a notification wakes nobody; it is read from the inbox"
	case h.State == testigo.Open && past(h, now):
		return "it ran out before anybody picked it up"
	case h.State == testigo.Open:
		return "stored; the recipient picks it up by itself"
	case h.AcceptedAt.IsZero() && h.ReadAt.IsZero() && h.Claim.Generation == 0:
		return "nobody picked it up"
	}
	return "it was picked up without a delivery"
}

func (s *Service) overview(ctx context.Context, c Caller) (StatusResult, error) {
	res := StatusResult{Agent: c.Agent, Sent: []Message{}, Mine: []Message{}, Orders: []Message{}}
	open := []testigo.HandoffState{testigo.Open, testigo.Claimed, testigo.Returned}
	work := []testigo.HandoffKind{testigo.KindWork}
	lists := []struct {
		what string
		f    testigo.HandoffFilter
		to   *[]Message
	}{
		{"workForMe", testigo.HandoffFilter{To: c.Agent, Kinds: work, States: open, Limit: workShown + 1}, &res.Mine},
		{"workByMe", testigo.HandoffFilter{From: c.Agent, Kinds: work, States: open, Limit: workShown + 1}, &res.Orders},
		{"sent", testigo.HandoffFilter{From: c.Agent, Newest: true, Limit: sentShown + 1}, &res.Sent},
	}
	err := s.store.Read(ctx, func(r testigo.Reader) error {
		now, used := s.mem.Now(), headerBytes
		for _, l := range lists {
			found, err := r.Handoffs(ctx, l.f)
			if err != nil {
				return err
			}
			for i, h := range found {
				if l.what != "sent" && past(h, now) {
					continue
				}
				m := message(h, now)
				used += jsonSize(m) + 1
				if i == l.f.Limit-1 || c.Budget > 0 && used > c.Budget {
					res.Notes = append(res.Notes, l.what+" shows a part; handoff_status with an id shows one")
					break
				}
				*l.to = append(*l.to, m)
			}
		}
		return nil
	})
	return res, err
}

// Peer is one agent as another sees it: no address, no settings.
type Peer struct {
	ID       string     `json:"id"`
	Name     string     `json:"name"`
	Provider string     `json:"provider"`
	You      bool       `json:"you,omitempty"`
	CanSend  bool       `json:"canSend"`
	Paused   bool       `json:"paused,omitempty"`
	LastSeen *time.Time `json:"lastSeen,omitempty"`
	Age      string     `json:"lastSeenAge,omitempty"`
}

// PeersResult lists who is known.
type PeersResult struct {
	You    string   `json:"you"`
	Agents []Peer   `json:"agents"`
	Notes  []string `json:"notes,omitempty"`
}

// Peers lists the known agents and whether the caller may send to each. It never writes.
func (s *Service) Peers(ctx context.Context, c Caller) (PeersResult, error) {
	res := PeersResult{You: c.Agent, Agents: []Peer{}}
	err := s.store.Read(ctx, func(r testigo.Reader) error {
		agents, err := r.Agents(ctx)
		if err != nil {
			return err
		}
		for _, a := range agents {
			p := Peer{ID: a.Name, Name: a.Name, Provider: a.Provider, You: a.Name == c.Agent, Paused: a.Paused,
				LastSeen: timeField(a.LastSeen), Age: memory.Age(s.mem.Now(), a.LastSeen)}
			if a.Title != "" {
				p.Name = a.Title
			}
			if p.CanSend, err = Allowed(ctx, r, c.Agent, a.Name); err != nil {
				return err
			}
			res.Agents = append(res.Agents, p)
		}
		return nil
	})
	res.Agents, res.Notes = fitList(c, res.Agents, res.Notes, "agents", "testigo agent list")
	return res, err
}
