package testigo

import "time"

// Limits of messages and work, in characters unless named otherwise. Numbers of the delivery reference where it has them.
const (
	MaxBodyLen       = 200_000
	MaxReturnSummary = 20_000
	MaxEvidenceLen   = 4_000
	MaxClaims        = 50
	MaxCloseNote     = 1_000
	MaxPriority      = 9
	// MaxHops bounds a chain of handoffs that turns started: beyond it a handoff is stored and not delivered.
	MaxHops = 16
	// MessageLife is how long a message waits when its sender names no expiry. Packets and work never expire by themselves.
	MessageLife = 14 * 24 * time.Hour
)

// Return is the assignee's answer to work.
type Return struct {
	Summary  string        `json:"summary"`
	Blocked  bool          `json:"blocked,omitempty"`
	Evidence string        `json:"evidence,omitempty"`
	Claims   []ReturnClaim `json:"claims,omitempty"`
	By       string        `json:"by"`
	At       time.Time     `json:"at"`
	// MessageID is the message that carried it to the sender.
	MessageID string `json:"messageId"`
}

// ReturnClaim is one thing a return says is so, and how the assignee knows it. Inherited claims are not upgraded: what was
// only stated stays stated.
type ReturnClaim struct {
	Claim string `json:"claim"`
	// How is "stated", "hash" (Ref is path@sha256) or "command" (Ref is the command line).
	How      string `json:"how"`
	Ref      string `json:"ref,omitempty"`
	ExitCode *int   `json:"exit_code,omitempty"`
}

// CloseOutcome is the sender's decision about work.
type CloseOutcome string

// The decisions.
const (
	CloseAccepted CloseOutcome = "accepted"
	CloseRevision CloseOutcome = "revision"
	CloseBlocked  CloseOutcome = "blocked"
)

// CloseOutcomes lists the decisions in the order help texts show them.
func CloseOutcomes() []CloseOutcome {
	return []CloseOutcome{CloseAccepted, CloseRevision, CloseBlocked}
}

// Closure is how work ended.
type Closure struct {
	Outcome CloseOutcome `json:"outcome"`
	Note    string       `json:"note,omitempty"`
	By      string       `json:"by"`
	At      time.Time    `json:"at"`
	// Successor is the work that a revision opened.
	Successor string `json:"successor,omitempty"`
}
