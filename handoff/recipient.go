package handoff

import (
	"context"
	"strings"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
	"github.com/testigo/testigo/search"
)

// Recipient says what is known of the agent a packet is for.
type Recipient struct {
	Agent    string     `json:"agent"`
	Known    bool       `json:"known"`
	LastSeen *time.Time `json:"last_seen,omitempty"`
	Age      string     `json:"last_seen_age,omitempty"`
	CanWake  bool       `json:"can_be_woken"`
	Note     string     `json:"note"`
}

// recipient says what is known of the agent a packet is for. An agent nobody has seen is an error with the nearest
// names, unless the caller allows it.
func recipient(ctx context.Context, r testigo.Reader, c Caller, p Params, now time.Time) (*Recipient, error) {
	if p.ToAgent == "" {
		return nil, nil
	}
	to := &Recipient{Agent: p.ToAgent}
	if p.ToAgent == c.Agent {
		to.Known, to.Note = true, "stored for your own next session; nothing is pushed to yourself"
		return to, nil
	}
	a, err := r.Agent(ctx, p.ToAgent)
	switch {
	case err == nil:
		to.Known, to.LastSeen, to.Age = true, &a.LastSeen, memory.Age(now, a.LastSeen)
		to.Note = "stored; this agent picks up by itself"
		return to, nil
	case testigo.CodeOf(err) != testigo.CodeNotFound:
		return nil, err
	case p.AllowUnknown:
		to.Note = "stored; no agent of this name has been seen yet"
		return to, nil
	}
	agents, err := r.Agents(ctx)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(agents))
	for i, a := range agents {
		names[i] = a.Name
	}
	e := testigo.Errorf(testigo.CodeNotFound, "no agent named %q has been seen; nothing was written", p.ToAgent)
	e.Field = "to_agent"
	near := search.NearestNames(p.ToAgent, names, 3)
	if len(near) == 0 {
		return nil, e.WithNext("allow_unknown stores it for when the agent appears")
	}
	return nil, e.WithData(map[string]any{"nearest": near}).
		WithNext("did you mean %s? allow_unknown stores it for when the agent appears", strings.Join(near, ", "))
}
