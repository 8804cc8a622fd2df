package handoff

import (
	"context"

	"github.com/testigo/testigo"
)

// LogResult is one handoff's own history.
type LogResult struct {
	Handoff QueueItem       `json:"handoff"`
	Outcome string          `json:"outcome,omitempty"`
	Events  []testigo.Event `json:"events"`
	// More is set when there are events behind the ones shown.
	More bool `json:"more,omitempty"`
}

// logPage is how many events one answer lists; a packet has a handful, and this bounds a damaged one.
const logPage = 500

// Log tells what happened to a handoff, oldest first. It never writes.
func (s *Service) Log(ctx context.Context, c Caller, id string) (LogResult, error) {
	id, _, err := parseClaim("id", id)
	if err != nil {
		return LogResult{}, err
	}
	project, err := s.mem.Project(ctx, c, "")
	if err != nil {
		return LogResult{}, err
	}
	res := LogResult{Events: []testigo.Event{}}
	err = s.store.Read(ctx, func(r testigo.Reader) error {
		h, err := find(ctx, r, "id", id)
		if err != nil {
			return err
		}
		if !visibleTo(c, h, project.ID) {
			return notHere("id", id)
		}
		res.Handoff = item(h, s.mem.Now())
		if h.Outcome != "" {
			res.Outcome = string(h.Outcome) + " (" + h.OutcomeRef + ")"
		}
		events, err := r.Events(ctx, h.ID, 0, logPage+1)
		if len(events) > logPage {
			events, res.More = events[:logPage], true
		}
		res.Events = append(res.Events, events...)
		return err
	})
	return res, err
}
