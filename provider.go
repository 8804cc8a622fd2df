package testigo

import (
	"context"
	"encoding/json"
	"time"
)

// Provider brings a text into one exact live session as one new turn, and can tell afterwards what became of it. It
// decides nothing: when to write, whether to write again and what a silence means are the engine's.
//
// All methods may be called from several goroutines, for different targets.
type Provider interface {
	// Activity tells whether the target is in a turn. It only reads. An error, like TurnUnknown, means doubt, and then nothing
	// is written.
	Activity(ctx context.Context, t Target) (Activity, error)

	// Prepare checks the exact target without writing to it: the session exists, the program runs, the settings make sense.
	// It may answer with a *Refusal.
	Prepare(ctx context.Context, t Target) error

	// Start writes at most once. A *Refusal says that nothing was written, and why. Any other error means that nobody knows.
	Start(ctx context.Context, t Target, turn Turn) (Started, error)

	// Observe looks for the turn that a request started. It only reads.
	Observe(ctx context.Context, t Target, requestID string, r Receipt) (Observation, error)
}

// TurnState is what a target is doing.
type TurnState string

// The states of a turn.
const (
	TurnOpen     TurnState = "open"
	TurnFinished TurnState = "finished"
	TurnStopped  TurnState = "stopped" // interrupted
	TurnFailed   TurnState = "failed"
	TurnUnknown  TurnState = "unknown"
)

// Idle reports whether a turn may be started.
func (s TurnState) Idle() bool { return s == TurnFinished || s == TurnStopped || s == TurnFailed }

// Activity is what a target does now: its latest turn.
type Activity struct {
	State  TurnState
	TurnID string
}

// Turn is what is written to a session.
type Turn struct {
	// Agent is the recipient; a spawned turn acts as it.
	Agent     string
	HandoffID string
	RequestID string
	// Attempt counts writes for this handoff from 1; with the request id it is the idempotency token of the card.
	Attempt int
	// Claim is ID#generation, with which the turn may accept, return and report.
	Claim string
	// Text is the whole card.
	Text string
	// Env is what a spawned turn gets beside the variables that turns inherit.
	Env []string
	// Deadline is when a supervisor must refuse to start, and Lease the generation that allowed it.
	Deadline time.Time
	Lease    int64
}

// Started is what a session gave back for a write.
type Started struct {
	TurnID string
	// ClientUserMessageID echoes the request id when the session really took this request.
	ClientUserMessageID string
	// NoEnd: this endpoint never reports how a turn ends, so accepted is the last that is known.
	NoEnd    bool
	Provider json.RawMessage
}

// RefusalKind is why nothing was written.
type RefusalKind string

// The kinds of refusal. Only a plain refusal counts an attempt.
const (
	Refused     RefusalKind = "refused"      // the session said no: one retry, then final
	RefusedBusy RefusalKind = "busy"         // it is in a turn after all
	NotSent     RefusalKind = "not_sent"     // it could not be reached: dial, DNS, TLS, program does not start
	RateLimited RefusalKind = "rate_limited" // it asked to wait
)

// Refusal is the error of a Prepare or Start that wrote nothing.
type Refusal struct {
	Kind RefusalKind
	Why  string
	// RetryAfter is what a rate limit asked for; 0 when it named nothing.
	RetryAfter time.Duration
}

func (r *Refusal) Error() string { return r.Why }

// Observation is what was seen of a request's turn.
type Observation struct {
	// State is Accepted, Running, TurnEnded or Failed, or empty when nothing was seen.
	State DeliveryState
	// Interrupted: a Failed turn was stopped rather than gone wrong.
	Interrupted bool
	TurnID      string
	Detail      string
	// Absent: a complete search found no trace of the request. Candidate names something that may be it all the same.
	Absent    bool
	Candidate string
	Provider  json.RawMessage
}
