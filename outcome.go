package testigo

import (
	"math"
	"time"
)

// OutcomeKind says how it went when an agent acted on a fact.
type OutcomeKind string

// The outcomes a caller may report.
const (
	Success         OutcomeKind = "success"
	MinorFailure    OutcomeKind = "minor_failure"
	Failure         OutcomeKind = "failure"
	CriticalFailure OutcomeKind = "critical_failure"
	UnknownOutcome  OutcomeKind = "unknown"
)

// moves is the one table of what an outcome does to a confidence c: c' = c·scale + gain·(1−c).
// Success and failure are the reference's numbers (0.80 → 0.84, 0.60 → 0.39); the other two bracket failure.
var moves = map[OutcomeKind]struct{ scale, gain float64 }{
	Success:         {1, 0.20},
	MinorFailure:    {0.85, 0},
	Failure:         {0.65, 0},
	CriticalFailure: {0.40, 0},
	UnknownOutcome:  {1, 0},
}

// OutcomeKinds lists the kinds in the order help texts show them.
func OutcomeKinds() []OutcomeKind {
	return []OutcomeKind{Success, Failure, MinorFailure, CriticalFailure, UnknownOutcome}
}

// Valid reports whether k is a known kind.
func (k OutcomeKind) Valid() bool { _, ok := moves[k]; return ok }

// Move returns the confidence after outcome k. The result stays inside 0..1.
func (k OutcomeKind) Move(c float64) float64 {
	m, ok := moves[k]
	if !ok || m.scale == 1 && m.gain == 0 {
		return c
	}
	next := roundConfidence(c*m.scale + m.gain*(1-c))
	if m.gain > 0 {
		return min(1, max(c, next))
	}
	return max(0, min(c, next))
}

// roundConfidence drops what binary fractions add behind the ninth digit, so that 0.80 becomes 0.84 and not
// 0.8400000000000001.
func roundConfidence(c float64) float64 { return math.Round(c*1e9) / 1e9 }

// OutcomeCounts counts the outcomes reported for one version.
type OutcomeCounts struct {
	Success         int `json:"success"`
	MinorFailure    int `json:"minor_failure"`
	Failure         int `json:"failure"`
	CriticalFailure int `json:"critical_failure"`
	Unknown         int `json:"unknown"`
}

// Add counts one outcome of kind k.
func (c *OutcomeCounts) Add(k OutcomeKind) {
	switch k {
	case Success:
		c.Success++
	case MinorFailure:
		c.MinorFailure++
	case Failure:
		c.Failure++
	case CriticalFailure:
		c.CriticalFailure++
	case UnknownOutcome:
		c.Unknown++
	}
}

// Total is the number of outcomes counted.
func (c OutcomeCounts) Total() int {
	return c.Success + c.MinorFailure + c.Failure + c.CriticalFailure + c.Unknown
}

// Outcome is one audit row: who reported what about which version, and how the confidence moved. A row with an empty
// Kind is an opinion given with a repeated write: it moves the confidence and counts as no outcome.
type Outcome struct {
	Seq        int64
	VersionSeq int64
	Pin        Pin
	Kind       OutcomeKind
	// OutcomeRef names what happened: a test run, a commit, a ticket.
	OutcomeRef string
	Note       string
	Agent      string
	Session    string
	HandoffID  string
	At         time.Time
	Before     float64
	After      float64
}
