package testigo

import (
	"context"
	"encoding/json"
	"time"
)

// Store keeps everything. Package storetest defines what a correct one does; every implementation passes it.
//
// All methods are safe for concurrent use by goroutines, and a store may be open in many processes at once.
type Store interface {
	// Read runs fn on one consistent snapshot. fn must be short: it makes no outside call and keeps nothing open.
	Read(ctx context.Context, fn func(Reader) error) error

	// Write runs fn in a transaction that sees no other writer. When Write returns nil everything fn did is durable
	// and visible to every process; when it returns an error nothing of it happened. fn may be run once only and makes
	// no outside call. Errors: CodeLocked when another process held the store for too long, CodeFull, CodeDamaged,
	// CodeUnreachable for a store opened read-only; fn's own error is returned as it is.
	Write(ctx context.Context, fn func(Tx) error) error

	// Info describes the open store.
	Info(ctx context.Context) (StoreInfo, error)

	// Scrub removes what deletion left in the store's files (index segments, free pages, side logs) after an erasure,
	// then reports whether any of the words is still found in the raw files, and whether a reader kept it from finishing.
	Scrub(ctx context.Context, words []string) (ScrubReport, error)

	// Reindex rebuilds the search index from the index texts kept with the rows.
	Reindex(ctx context.Context) error

	// CheckIndex checks what the hash chain does not cover: the search index against the rows, the pages of the file, and
	// whether rows agree with each other and none is missing. It only reads, in short pieces, and keeps no writer waiting.
	CheckIndex(ctx context.Context) ([]Damage, error)

	Close() error
}

// StoreInfo describes an open store.
type StoreInfo struct {
	// ID is random, made with the store; it tells two stores apart.
	ID       string `json:"id"`
	Location string `json:"location"`
	Backend  string `json:"backend"` // sqlite, postgres, memory
	Schema   int    `json:"schema"`
	// Flat stores know no projects: every fact is project none.
	Flat     bool  `json:"flat"`
	ReadOnly bool  `json:"read_only"`
	Bytes    int64 `json:"bytes"` // size of the store's files
	// Warning names a risk of the location, such as a temporary file system.
	Warning string `json:"warning,omitempty"`
}

// ScrubReport says what is left after Scrub.
type ScrubReport struct {
	Clean bool `json:"clean"`
	// Found lists the places where a word was still found.
	Found []string `json:"found,omitempty"`
	// Blocked says what kept the scrub from finishing and how to finish it.
	Blocked string `json:"blocked,omitempty"`
}

// Reader answers questions on one snapshot. A missing row is CodeNotFound.
type Reader interface {
	FactReader
	HandoffReader
	DeliveryReader
	// Agent returns a known agent.
	Agent(ctx context.Context, name string) (Agent, error)
	// Agents lists known agents by name.
	Agents(ctx context.Context) ([]Agent, error)
	// Connection returns the rule between two agents; CodeNotFound when there is none.
	Connection(ctx context.Context, sender, recipient string) (Connection, error)
	// Connections lists all rules by sender, then recipient.
	Connections(ctx context.Context) ([]Connection, error)
	// Setting returns a store-wide setting as JSON; CodeNotFound when it was never set.
	Setting(ctx context.Context, name string) (json.RawMessage, error)
	// Request returns what a request key was answered with.
	Request(ctx context.Context, agent, key string) (Request, error)
	// Events lists a subject's history after a sequence number, oldest first.
	Events(ctx context.Context, subject string, after int64, limit int) ([]Event, error)
	// Log returns the state of the Merkle log.
	Log(ctx context.Context) (LogState, error)
	// Stats counts what the store holds.
	Stats(ctx context.Context) (Stats, error)
}

// FactReader reads facts and what was thought of them.
type FactReader interface {
	// Current returns the current version of a fact.
	Current(ctx context.Context, n Name) (Version, error)
	// VersionOf returns version number of a fact.
	VersionOf(ctx context.Context, n Name, number int) (Version, error)
	// VersionAsOf returns the last version, by commit order, that was not created after at.
	VersionAsOf(ctx context.Context, n Name, at time.Time) (Version, error)
	// Versions lists a fact's versions with number > after, oldest first.
	Versions(ctx context.Context, n Name, after, limit int) ([]Version, error)
	// OutcomesOf lists the outcomes that moved one version, oldest first.
	OutcomesOf(ctx context.Context, versionSeq int64, limit int) ([]Outcome, error)
	// OutcomeBy finds the row one agent recorded for one version under one outcome reference.
	OutcomeBy(ctx context.Context, versionSeq int64, agent, outcomeRef string) (Outcome, error)
	// NamesNear lists names of current facts in the projects that share the scope, or the key, or are alike otherwise; a
	// cheap superset for the caller to rank.
	NamesNear(ctx context.Context, projects []string, scope, key string, limit int) ([]Name, error)
	// Projects lists the projects that have current facts, by name; NoProject is among them when it has some.
	Projects(ctx context.Context) ([]string, error)
	// HasOtherProjects reports whether a fact exists outside the given projects.
	HasOtherProjects(ctx context.Context, projects []string) (bool, error)
	// Candidates runs a search over current versions.
	Candidates(ctx context.Context, q SearchQuery) (Candidates, error)
	// Neighbours returns up to limit versions of one author, session and project just before the given sequence number,
	// newest first, or (after) just after it, oldest first.
	Neighbours(ctx context.Context, author, session, project string, seq int64, after bool, limit int) ([]Version, error)
	// IndexTextOf returns the kept index text of a current version.
	IndexTextOf(ctx context.Context, versionSeq int64) (IndexText, error)
	// Touched lists what a session touched, newest first.
	Touched(ctx context.Context, agent, session string, limit int) ([]Touch, error)
	// Leaves lists log leaves from position from, in order: versions and erasures. At most limit are returned.
	Leaves(ctx context.Context, from int64, limit int) ([]Leaf, error)
	// ErasureOf returns the erasure record of a version.
	ErasureOf(ctx context.Context, versionSeq int64) (Erasure, error)
	// Heads lists facts with their newest version's number and hash as the store remembers them apart from the versions,
	// in a stable order after the given name, for verification.
	Heads(ctx context.Context, after Name, limit int) ([]Head, error)
}

// Touch says that a session wrote a version, read it by name or was shown it in full.
type Touch struct {
	Pin Pin
	At  time.Time
}

// Leaf is one entry of the log: exactly one of Version and Erasure is set.
type Leaf struct {
	Position int64
	Version  *Version
	Erasure  *Erasure
	// Unreadable says which part of the version's row cannot be read, and is empty when all of it can. Name, number, leaf
	// and hashes of such a version are there, the rest may not be.
	Unreadable string
}

// Head is what the store remembers of a fact beside its versions.
type Head struct {
	Name   Name
	Number int
	Hash   Hash
}

// HandoffReader reads handoffs.
type HandoffReader interface {
	// Handoff returns the handoff with this id.
	Handoff(ctx context.Context, id string) (Handoff, error)
	// HandoffsByPrefix lists ids that start with prefix, at most limit.
	HandoffsByPrefix(ctx context.Context, prefix string, limit int) ([]string, error)
	// Handoffs lists handoffs by sequence, oldest first unless the filter asks for newest.
	Handoffs(ctx context.Context, f HandoffFilter) ([]Handoff, error)
	// CountHandoffs counts what f selects; Limit and AfterSeq are ignored.
	CountHandoffs(ctx context.Context, f HandoffFilter) (int, error)
	// RecentHandoff finds the newest handoff one session wrote with this content since a time.
	RecentHandoff(ctx context.Context, from, session string, content Hash, since time.Time) (Handoff, error)
}

// DeliveryReader reads what the engine keeps.
type DeliveryReader interface {
	// Delivery returns the delivery of a handoff.
	Delivery(ctx context.Context, id string) (Delivery, error)
	// Deliveries lists deliveries in the order the filter asks for.
	Deliveries(ctx context.Context, f DeliveryFilter) ([]Delivery, error)
	// CountDeliveries counts all deliveries by state.
	CountDeliveries(ctx context.Context) (map[DeliveryState]int, error)
	// NextDue returns the earliest NextCheck of a row that is not over, or FAILED and not final; zero when there is none.
	NextDue(ctx context.Context) (time.Time, error)
	// Unenrolled lists handoffs an engine has still to take up, oldest first: open, unread, not a notification, not past
	// their expiry at now, addressed to an agent whose address (a provider other than inbox) was set before they were
	// written, and without a delivery.
	Unenrolled(ctx context.Context, now time.Time, limit int) ([]Handoff, error)
	// EngineLease returns the current lease; CodeNotFound when nobody ever held it.
	EngineLease(ctx context.Context) (Lease, error)
	// Noticed reports whether a notice of this kind was written for a handoff.
	Noticed(ctx context.Context, handoff string, kind NoticeKind) (bool, error)
}

// DeliveryWriter writes what the engine keeps.
type DeliveryWriter interface {
	// PutDelivery stores a new delivery; CodeConflict when the handoff has one.
	PutDelivery(ctx context.Context, d Delivery) error
	// MoveDelivery replaces a delivery if it is still in state from with d's request id and version, and raises its version
	// by one; CodeGone otherwise, CodeInternal for a move that the transition table does not list. A new request id is given
	// apart ("" keeps it), because the old one names the row that is changed.
	MoveDelivery(ctx context.Context, d Delivery, from DeliveryState, newRequestID string) error
	// PutLease stores the lease if its generation is the stored one or the next; CodeGone otherwise.
	PutLease(ctx context.Context, l Lease) error
	// PutNotice records that a notice of this kind was written for a handoff.
	PutNotice(ctx context.Context, handoff string, kind NoticeKind, at time.Time) error
}

// Tx is a write transaction. Now is one instant for everything in it; every row it writes gets the next Seq, and lists
// are ordered by Seq, never by a clock.
type Tx interface {
	Reader
	DeliveryWriter
	// Now is the transaction's time, UTC in milliseconds.
	Now() time.Time
	// NextSeq returns the next sequence number of the store.
	NextSeq() int64

	// PutVersion stores v as the new current version of its fact, with its index text, and stamps the previous one
	// superseded at v.CreatedAt. v.Seq, v.Number, v.Leaf and hashes are set by the caller; CodeConflict if v.Number is not the next.
	PutVersion(ctx context.Context, v Version, text IndexText) error
	// SetOpinion moves confidence and counts of a version.
	SetOpinion(ctx context.Context, versionSeq int64, confidence float64, counts OutcomeCounts) error
	// SetConfirmed records that somebody wrote the same value again.
	SetConfirmed(ctx context.Context, versionSeq int64, by string, at time.Time) error
	// PutOutcome stores an audit row.
	PutOutcome(ctx context.Context, o Outcome) error
	// PutIndexText replaces the index text of a current version.
	PutIndexText(ctx context.Context, versionSeq int64, text IndexText) error
	// Erase removes value, tags, sources and salt of a version and its index text, stores the record, and empties outcome
	// notes and request rows (Result and Content) about it; the request's row stays, so that a retry does not write the value
	// again. It does not touch the version's hashes.
	Erase(ctx context.Context, e Erasure) error
	// SetLog stores the state of the Merkle log.
	SetLog(ctx context.Context, s LogState) error

	// PutTouched remembers what a session touched; a later touch of the same fact replaces the earlier one.
	PutTouched(ctx context.Context, agent, session string, touches []Touch) error

	// PutAgent stores or replaces an agent.
	PutAgent(ctx context.Context, a Agent) error
	// RemoveAgent forgets an agent's row; handoffs that name it stay. CodeNotFound when there is none.
	RemoveAgent(ctx context.Context, name string) error
	// PutConnection stores or replaces a rule.
	PutConnection(ctx context.Context, c Connection) error
	// PutSetting stores or replaces a setting.
	PutSetting(ctx context.Context, name string, value json.RawMessage) error
	// PutRequest stores what a request key was answered with.
	PutRequest(ctx context.Context, r Request) error

	// PutHandoff stores a new handoff; CodeConflict when the id is taken.
	PutHandoff(ctx context.Context, h Handoff) error
	// MoveHandoff replaces the changing part of a handoff (State, ReadAt and everything after it) if it is still in state
	// from with claim generation gen; CodeGone otherwise, CodeInternal for a move that the transition table does not list.
	MoveHandoff(ctx context.Context, h Handoff, from HandoffState, gen int) error

	// PutEvent appends to a subject's history.
	PutEvent(ctx context.Context, e Event) error
}

// Request is the answer kept for one request key of one agent.
type Request struct {
	Agent   string
	Key     string
	Tool    string
	Content Hash
	// Result is the JSON answer, or a reference to rows; it never holds the only copy of anything. Empty after an erasure.
	Result json.RawMessage
	// VersionSeq names the version the answer is about, for erasure; 0 if none.
	VersionSeq int64
	At         time.Time
}

// Stats counts what a store holds.
type Stats struct {
	Facts         int                  `json:"facts"`
	Versions      int                  `json:"versions"`
	Erased        int                  `json:"erased"`
	Outcomes      int                  `json:"outcomes"`
	AvgConfidence float64              `json:"average_confidence"`
	ByAgent       []AgentStats         `json:"by_agent"`
	ByScope       []ScopeStats         `json:"by_scope"`
	Handoffs      map[HandoffState]int `json:"handoffs"`
	Agents        int                  `json:"agents"`
	Events        int                  `json:"events"`
}

// AgentStats counts one agent's versions.
type AgentStats struct {
	Agent         string  `json:"agent"`
	Versions      int     `json:"versions"`
	AvgConfidence float64 `json:"average_confidence"`
}

// MarshalJSON writes the project as every other answer does: null for none.
func (s ScopeStats) MarshalJSON() ([]byte, error) {
	type plain ScopeStats
	var project *string
	if s.Project != NoProject {
		project = &s.Project
	}
	return json.Marshal(struct {
		Project *string `json:"project"`
		plain
	}{project, plain(s)})
}

// ScopeStats counts the current facts below one first scope segment of a project.
type ScopeStats struct {
	Project       string  `json:"project"`
	Scope         string  `json:"scope"`
	Facts         int     `json:"facts"`
	AvgConfidence float64 `json:"average_confidence"`
}
