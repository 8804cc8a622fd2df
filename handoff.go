package testigo

import (
	"encoding/json"
	"slices"
	"time"
)

// Limits of a packet, in characters unless named otherwise.
const (
	MaxTitleLen     = 200
	MaxSummaryLen   = 20_000
	MaxItemLen      = 2_000
	MaxItems        = 50
	MaxRefs         = 200
	MaxTouchedPins  = 50
	MaxOutcomeRef   = 500
	MaxNoteLen      = 2_000
	MinDueMinutes   = 1
	MaxDueMinutes   = 30 * 24 * 60
	ClaimLapse      = 2 * time.Hour    // a hold without any sign of life may be taken over after this
	RepeatWindow    = 10 * time.Minute // an equal packet of the same session within it is the same packet
	DefaultPageSize = 10
)

// HandoffKind tells what the recipient owes.
type HandoffKind string

// The kinds of handoff: a packet carries pins and steps, work owes a return.
const (
	KindPacket       HandoffKind = "packet"
	KindMessage      HandoffKind = "message"
	KindWork         HandoffKind = "work"
	KindNotification HandoffKind = "notification"
)

// HandoffState is where a handoff is in its life.
type HandoffState string

// The states of a handoff.
const (
	Open      HandoffState = "open"
	Claimed   HandoffState = "claimed"
	Returned  HandoffState = "returned"
	Closed    HandoffState = "closed"
	Expired   HandoffState = "expired"
	Withdrawn HandoffState = "withdrawn"
)

// handoffMoves is the transition table. Whatever is not listed is illegal.
var handoffMoves = map[HandoffState][]HandoffState{
	Open:     {Claimed, Expired, Withdrawn, Closed},
	Claimed:  {Open, Claimed, Returned, Closed, Withdrawn},
	Returned: {Closed},
}

// HandoffStates lists all states in the order of a life.
func HandoffStates() []HandoffState {
	return []HandoffState{Open, Claimed, Returned, Closed, Expired, Withdrawn}
}

// CanMove reports whether a handoff may go from one state to another. Claimed → Claimed is a takeover.
func CanMove(from, to HandoffState) bool { return slices.Contains(handoffMoves[from], to) }

// Final reports whether nothing follows s.
func (s HandoffState) Final() bool { return len(handoffMoves[s]) == 0 }

// Handoff is the record that passes work or word from one agent to another.
type Handoff struct {
	Seq           int64
	ID            string // h_ + 8 hex
	Kind          HandoffKind
	State         HandoffState
	Project       string
	From          string
	FromSession   string
	To            string // empty: whoever resumes next in the project
	Title         string
	Summary       string
	NextSteps     []string
	OpenQuestions []string
	Tried         []string
	Pins          []Pin
	Workspace     *Workspace
	// ContentHash is over everything the sender said, for repeats and request keys.
	ContentHash Hash
	Notify      string // none, quiet or wake
	CreatedAt   time.Time
	ExpiresAt   time.Time // zero: never
	DueAt       time.Time // zero: no due time
	// ReplyTo is the handoff this one answers, Thread the first of its chain (its own id when it starts one).
	ReplyTo string
	Thread  string
	// ReturnFor is the work whose return this message carries.
	ReturnFor string
	// Round counts revisions of the same work, from 0.
	Round int

	// What follows changes.

	// ReadAt is when the recipient first read it, AcceptedAt when it took the work.
	ReadAt     time.Time
	AcceptedAt time.Time
	Claim      Claim
	Return     *Return
	Closure    *Closure
	ClosedAt   time.Time
	ClosedBy   string
	// Outcome is what record_outcome reported when it closed the packet.
	Outcome    OutcomeKind
	OutcomeRef string
}

// Claim is an agent's hold on a handoff. Generation rises with every new holder and whenever a lapsed hold is renewed;
// whoever names an older one is told the hold is gone. The zero Claim holds nothing; Generation survives a put-back.
type Claim struct {
	Agent      string
	Session    string
	Generation int
	At         time.Time
	// RenewedAt is the holder's last sign of life.
	RenewedAt time.Time
	Process   Process
	// StaleShown are the pins this holder was shown as stale and has not re-read; they are left out of a default outcome.
	StaleShown []Pin
}

// Held reports whether somebody holds the claim.
func (c Claim) Held() bool { return c.Agent != "" }

// Lapsed reports whether the hold has had no sign of life for ClaimLapse.
func (c Claim) Lapsed(now time.Time) bool { return !now.Before(c.RenewedAt.Add(ClaimLapse)) }

// maxHandoffID is the most characters of a handoff's id; imported ids are longer than ours.
const maxHandoffID = 100

// CheckHandoffID checks the form of an id or of an id's prefix under the argument name field.
func CheckHandoffID(field, id string) error {
	if len(id) > maxHandoffID || !startsPlain(id) || !madeOf(id, "_-") {
		return Invalid(field, "%q is not a handoff id", clip(id, 40)).WithNext("ids look like h_1a2b3c4d; `resume` with peek lists what waits")
	}
	return nil
}

// HandoffFilter selects handoffs for lists and counts. Zero fields do not filter.
type HandoffFilter struct {
	States []HandoffState
	// To selects handoffs addressed to this agent; Unaddressed those addressed to nobody. Both: either.
	To          string
	Unaddressed bool
	// Projects limits unaddressed handoffs to these projects.
	Projects []string
	From     string
	// HolderAgent and HolderSession select what one holder holds.
	HolderAgent   string
	HolderSession string
	// Kinds and Unread select by kind, and by whether the recipient has read it.
	Kinds  []HandoffKind
	Unread bool
	// Thread selects one chain of answers, ReturnFor the return of one work.
	Thread    string
	ReturnFor string
	// DueBefore selects what has a due time before this one.
	DueBefore time.Time
	// AfterSeq pages upwards. With Newest the order is newest first, and BeforeSeq (0: from the end) pages downwards.
	AfterSeq  int64
	Newest    bool
	BeforeSeq int64
	Limit     int
}

// Event is one line of a subject's history: what happened to a handoff, an agent or the store, by whom.
type Event struct {
	Seq int64 `json:"seq"`
	// Subject is what it happened to, such as a handoff's id.
	Subject string          `json:"subject"`
	Kind    string          `json:"kind"`
	Actor   string          `json:"actor"`
	Session string          `json:"session,omitempty"`
	At      time.Time       `json:"at"`
	Data    json.RawMessage `json:"data,omitempty"`
}
