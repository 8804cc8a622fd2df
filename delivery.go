package testigo

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"time"
)

// DeliveryState is where the engine is in bringing one handoff to one live session.
type DeliveryState string

// The states of a delivery. Pending ones have no live attempt; active ones hold the recipient's single slot, because a
// write was reserved; the rest is over, except that a FAILED one may be tried again until it is final and a DUPLICATE one
// waits on its original.
const (
	Waiting       DeliveryState = "WAITING"
	Busy          DeliveryState = "BUSY"
	Held          DeliveryState = "HELD"
	Unavailable   DeliveryState = "UNAVAILABLE"
	OwnerRejected DeliveryState = "OWNER_REJECTED"

	Sending   DeliveryState = "SENDING"
	Uncertain DeliveryState = "UNCERTAIN"
	Accepted  DeliveryState = "ACCEPTED"
	Running   DeliveryState = "RUNNING"

	TurnEnded    DeliveryState = "RETURNED" // the reference's word for a turn that finished
	Failed       DeliveryState = "FAILED"
	Acknowledged DeliveryState = "ACKNOWLEDGED"
	Cancelled    DeliveryState = "CANCELLED"
	Duplicate    DeliveryState = "DUPLICATE"
)

var (
	pendingStates = []DeliveryState{Waiting, Busy, Held, Unavailable, OwnerRejected}
	activeStates  = []DeliveryState{Sending, Uncertain, Accepted, Running}
	overStates    = []DeliveryState{TurnEnded, Failed, Acknowledged, Cancelled, Duplicate}
)

// DeliveryStates lists all states: pending, active, over.
func DeliveryStates() []DeliveryState { return slices.Concat(pendingStates, activeStates, overStates) }

// PendingStates lists the states in which a delivery may still be written.
func PendingStates() []DeliveryState { return slices.Clone(pendingStates) }

// ActiveStates lists the states that hold the recipient's slot.
func ActiveStates() []DeliveryState { return slices.Clone(activeStates) }

// Pending reports whether nothing was written for the current attempt and something may still be.
func (s DeliveryState) Pending() bool { return slices.Contains(pendingStates, s) }

// Active reports whether a write was reserved and its turn may be alive.
func (s DeliveryState) Active() bool { return slices.Contains(activeStates, s) }

// deliveryMoves is the transition table of a delivery. Whatever is not listed is illegal. A state may always be kept with
// another detail or next check.
var deliveryMoves = map[DeliveryState][]DeliveryState{
	Waiting:       {Busy, Held, Unavailable, Sending, Acknowledged, Failed, Cancelled},
	Busy:          {Waiting, Held, Unavailable, Sending, Acknowledged, Failed, Cancelled},
	Held:          {Waiting, Busy, Unavailable, Sending, Acknowledged, Failed, Cancelled},
	Unavailable:   {Waiting, Busy, Held, Sending, Acknowledged, Failed, Cancelled},
	OwnerRejected: {Waiting, Busy, Held, Unavailable, Sending, Acknowledged, Failed, Cancelled},

	// Waiting and Busy from Sending: proven that nothing was written; the attempt is not counted.
	Sending:   {Waiting, Busy, OwnerRejected, Unavailable, Uncertain, Accepted, Running, TurnEnded, Failed, Cancelled},
	Uncertain: {Waiting, Accepted, Running, TurnEnded, Failed, Cancelled},
	Accepted:  {Uncertain, Running, TurnEnded, Failed, Cancelled},
	Running:   {Uncertain, Accepted, TurnEnded, Failed, Cancelled},

	// A failure is looked at again until it is final: corrected, or sent anew under another request id.
	Failed: {Waiting, Running, TurnEnded},
	// A duplicate takes its own place when its original ended undelivered.
	Duplicate: {Waiting, Cancelled},
}

// CanDeliver reports whether a delivery may go from one state to another.
func CanDeliver(from, to DeliveryState) bool {
	return from == to || slices.Contains(deliveryMoves[from], to)
}

// Delivery is the engine's record of bringing one handoff to one live session. It has the handoff's id.
type Delivery struct {
	ID        string
	Sender    string
	Recipient string
	// Place orders a recipient's queue: a handoff's sequence number, kept by resends.
	Place    int64
	Priority int
	// RequestID names one series of attempts at one write; it changes with every resend.
	RequestID string
	// BodyHash is the handoff's content at enrolment: what was changed since is never sent.
	BodyHash Hash
	// Target is the exact recipient, frozen at enrolment.
	Target   Target
	State    DeliveryState
	Attempts int // writes reserved for the current request id
	// Version rises with every change; a change names the one it saw.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
	// NextCheck is when the engine looks again; NotBefore holds the row back whatever else is true.
	NextCheck time.Time
	NotBefore time.Time
	Detail    string
	Receipt   Receipt
	// DuplicateOf is the delivery this one repeats.
	DuplicateOf string
	// Lease is the generation of the engine lease that reserved the current attempt.
	Lease int64
}

// Target is where a delivery goes: every setting that decides it, in one hash.
type Target struct {
	Provider string          `json:"provider"`
	Endpoint string          `json:"endpoint"`
	Cwd      string          `json:"cwd"`
	Settings json.RawMessage `json:"settings,omitempty"`
}

// Hash covers all of a target. Settings must be canonical JSON.
func (t Target) Hash() Hash {
	b, err := json.Marshal([]string{t.Provider, t.Endpoint, t.Cwd, string(t.Settings)})
	if err != nil { // four strings always marshal
		panic(err)
	}
	return sha256.Sum256(b)
}

// Receipt is what is known of the attempts at one delivery. Field names are the reference's where it has them.
type Receipt struct {
	TurnID              string          `json:"turnId,omitempty"`
	ClientUserMessageID string          `json:"clientUserMessageId,omitempty"`
	AcceptedAt          *time.Time      `json:"acceptedAt,omitempty"`
	ObservedTurnID      string          `json:"observedTurnId,omitempty"`
	TurnOutcome         string          `json:"turnOutcome,omitempty"` // finished, failed or interrupted
	Rejection           string          `json:"rejection,omitempty"`
	RejectedBefore      bool            `json:"rejectedBeforeAcceptance,omitempty"`
	NotDelivered        bool            `json:"notDelivered,omitempty"`
	Final               bool            `json:"final,omitempty"`
	Resends             int             `json:"resends,omitempty"`
	ResentAfter         string          `json:"resentAfter,omitempty"` // failed or interrupted
	Previous            []PastRequest   `json:"previousRequests,omitempty"`
	AbsentScans         int             `json:"absentScans,omitempty"`
	FirstAbsentAt       *time.Time      `json:"firstAbsentAt,omitempty"`
	UnobservedSince     *time.Time      `json:"unobservedSince,omitempty"`
	ReleasedFrom        DeliveryState   `json:"releasedFrom,omitempty"`
	ReleasedAt          *time.Time      `json:"releasedAt,omitempty"`
	Evidence            string          `json:"evidence,omitempty"` // what proved the latest change
	Provider            json.RawMessage `json:"provider,omitempty"` // the provider's own part
}

// PastRequest is an earlier series of attempts at one delivery.
type PastRequest struct {
	RequestID string `json:"requestId"`
	TurnID    string `json:"turnId,omitempty"`
}

// Stage returns the receipt's word for a delivery state.
func (s DeliveryState) Stage() ReceiptStage {
	switch s {
	case Sending, Uncertain:
		return StageOffered
	case Accepted, Acknowledged:
		return StageAccepted
	case Running:
		return StageRunning
	case TurnEnded:
		return StageTurnEnded
	case Failed, Cancelled:
		return StageBounced
	}
	return StageStored
}

// DeliveryFilter selects deliveries for lists. Zero fields do not filter.
type DeliveryFilter struct {
	States    []DeliveryState
	Recipient string
	Sender    string
	// DuplicateOf selects what waits on one original.
	DuplicateOf string
	// DueBy selects rows whose NextCheck is not later, in the order of NextCheck. Otherwise the order is a queue's:
	// priority, highest first, then place.
	DueBy time.Time
	// NotFinal keeps FAILED rows only while they are not final.
	NotFinal bool
	Limit    int
}

// Lease is the right to run the engine of a store: held by one process, renewed by its heartbeats, taken over with the
// next generation when they stop.
type Lease struct {
	Generation int64
	Holder     Process
	Name       string // host name and purpose, for people
	TakenAt    time.Time
	RenewedAt  time.Time
	Until      time.Time
}

// NoticeKind is why a sender is told something about a handoff. There is one notice per handoff and kind.
type NoticeKind string

// The kinds of notice.
const (
	NoticeOverdue NoticeKind = "overdue"
	NoticeStuck   NoticeKind = "stuck"
	NoticeEnded   NoticeKind = "ended"
	NoticeHops    NoticeKind = "hops"
)
