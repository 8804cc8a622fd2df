package engine

import (
	"context"
	"crypto/sha256"
	"encoding/json"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
)

// SettingEnabled is the store-wide setting that holds every delivery while it is false.
const SettingEnabled = "enabled"

// enabled reports whether the store delivers at all. A damaged setting holds: nothing is sent by mistake.
func enabled(ctx context.Context, r testigo.Reader) (bool, error) {
	raw, err := r.Setting(ctx, SettingEnabled)
	if testigo.CodeOf(err) == testigo.CodeNotFound {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	on := false
	return json.Unmarshal(raw, &on) == nil && on, nil
}

// permitted reports whether a handoff may go from its sender to its recipient now. The answer to one's own order always
// may: whoever ordered it waits for it.
func permitted(ctx context.Context, r testigo.Reader, h testigo.Handoff) (bool, error) {
	if h.ReturnFor != "" {
		return true, nil
	}
	return handoff.Allowed(ctx, r, h.From, h.To)
}

// bodyHash covers what would be sent: whoever changes it after enrolment stops the delivery.
func bodyHash(h testigo.Handoff) testigo.Hash {
	b, err := json.Marshal([]any{h.Kind, h.From, h.To, h.Title, h.Summary, h.NextSteps, h.OpenQuestions, h.Tried, h.Pins, h.ReplyTo, h.ReturnFor})
	if err != nil { // plain strings and numbers always marshal
		panic(err)
	}
	return sha256.Sum256(b)
}

// target is an agent's address today.
func target(a testigo.Agent) testigo.Target {
	return testigo.Target{Provider: a.Provider, Endpoint: a.Endpoint, Cwd: a.Cwd, Settings: a.Settings}
}

// plain reports whether a handoff owes and answers nothing: only such ones are compared for repeats.
func plain(h testigo.Handoff) bool { return h.Kind == testigo.KindMessage && h.ReturnFor == "" }

// over reports whether a handoff needs no turn any more, and in which words.
func over(h testigo.Handoff) (testigo.DeliveryState, string) {
	switch {
	case h.State == testigo.Withdrawn:
		return testigo.Cancelled, "it was withdrawn"
	case h.State == testigo.Expired:
		return testigo.Cancelled, "it expired"
	case h.State == testigo.Returned:
		return testigo.Acknowledged, "it was returned"
	case h.State == testigo.Closed && (h.ClosedBy == h.To || !h.ReadAt.IsZero() && plain(h)):
		return testigo.Acknowledged, "the recipient read it"
	case h.State == testigo.Closed:
		return testigo.Cancelled, "it was closed"
	case plain(h) && !h.ReadAt.IsZero():
		return testigo.Acknowledged, "the recipient read it"
	}
	return "", ""
}
