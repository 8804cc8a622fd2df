package handoff

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

// Packet is a handoff as its reader gets it, the most important part first.
type Packet struct {
	ID        string               `json:"id"`
	Kind      testigo.HandoffKind  `json:"kind"`
	State     testigo.HandoffState `json:"state"`
	Title     string               `json:"title"`
	From      string               `json:"from"`
	To        string               `json:"to,omitempty"`
	Project   *string              `json:"project"`
	WrittenAt time.Time            `json:"written_at"`
	Age       string               `json:"age"`
	DueAt     *time.Time           `json:"due_at,omitempty"`
	ExpiresAt *time.Time           `json:"expires_at,omitempty"`

	OpenQuestions []string `json:"open_questions,omitempty"`
	NextSteps     []string `json:"next_steps,omitempty"`
	// Pins lists every pinned version, stale ones marked. Values come after, in the same order, as far as the answer's
	// size allows.
	Pins      []PinView                `json:"pins,omitempty"`
	PinsTotal int                      `json:"pins_total"`
	Stale     int                      `json:"stale_pins"`
	Summary   string                   `json:"summary,omitempty"`
	Workspace *testigo.WorkspaceChange `json:"workspace,omitempty"`
	Values    []PinValue               `json:"values,omitempty"`
	Tried     []string                 `json:"tried,omitempty"`
	// Claim tells who holds it now.
	Holder *Holder `json:"holder,omitempty"`
	// More says what is not shown and how to read it.
	More string `json:"more,omitempty"`
}

// Holder says who holds a handoff.
type Holder struct {
	Agent      string    `json:"agent"`
	Generation int       `json:"generation"`
	Since      time.Time `json:"since"`
}

// PinView is a pinned version and how it stands now. When it moved on, the newer value is not here: whoever needs it
// reads it deliberately with recall.
type PinView struct {
	PinRef
	Stale          bool       `json:"stale,omitempty"`
	CurrentVersion int        `json:"current_version,omitempty"`
	ChangedBy      string     `json:"changed_by,omitempty"`
	ChangedAt      *time.Time `json:"changed_at,omitempty"`
	// Change is "changed", "same value confirmed anew", "erased", or says that the row is missing.
	Change string `json:"change,omitempty"`
}

// PinValue is the pinned value itself.
type PinValue struct {
	Ref        string          `json:"ref"`
	Value      json.RawMessage `json:"value,omitempty"`
	ValueText  string          `json:"value_text,omitempty"`
	More       string          `json:"more,omitempty"`
	Confidence float64         `json:"confidence"`
	Standing   string          `json:"standing"`
	Author     string          `json:"author"`
	Stale      bool            `json:"stale,omitempty"`
}

// pinState is a pin with the rows it means.
type pinState struct {
	pin     testigo.Pin
	pinned  testigo.Version
	current testigo.Version
	// missing: the store does not have that version, which is damage.
	missing bool
}

func (p pinState) stale() bool {
	return p.missing || p.pinned.Erased() || p.current.Number != p.pinned.Number
}

// resolve reads what each pin means and what is current now, in the snapshot of the claim.
func resolve(ctx context.Context, r testigo.FactReader, pins []testigo.Pin) ([]pinState, error) {
	out := make([]pinState, len(pins))
	for i, p := range pins {
		pinned, err := r.VersionOf(ctx, p.Name, p.Version)
		if testigo.CodeOf(err) == testigo.CodeNotFound { // damage must not keep the rest of the packet from its reader
			out[i] = pinState{pin: p, missing: true}
			continue
		}
		if err != nil {
			return nil, err
		}
		current := pinned
		if !pinned.Current() {
			if current, err = r.Current(ctx, p.Name); err != nil {
				return nil, err
			}
		}
		out[i] = pinState{pin: p, pinned: pinned, current: current}
	}
	return out, nil
}

// rememberStale keeps with the claim which pins its holder was shown as stale: they are not credited with an outcome
// unless they are read again.
func rememberStale(ctx context.Context, tx testigo.Tx, h *testigo.Handoff, pins []pinState) error {
	var stale []testigo.Pin
	for _, p := range pins {
		if p.stale() {
			stale = append(stale, p.pin)
		}
	}
	if len(stale) == 0 && len(h.Claim.StaleShown) == 0 {
		return nil
	}
	h.Claim.StaleShown = stale
	return tx.MoveHandoff(ctx, *h, testigo.Claimed, h.Claim.Generation)
}

func (p pinState) view() PinView {
	v := PinView{PinRef: pinRef(p.pin)}
	if !p.stale() {
		return v
	}
	v.Stale = true
	switch {
	case p.missing:
		v.Change = "missing: the store does not have this version (testigo verify)"
		return v
	case p.pinned.Erased():
		v.Change, v.ChangedAt = "erased", &p.pinned.ErasedAt
		if p.current.Number == p.pinned.Number {
			return v
		}
	case bytes.Equal(p.pinned.Value, p.current.Value):
		v.Change = "same value confirmed anew"
	default:
		v.Change = "changed"
	}
	v.CurrentVersion, v.ChangedBy = p.current.Number, p.current.Author
	if v.ChangedAt == nil {
		v.ChangedAt = &p.current.CreatedAt
	}
	return v
}

// pinValueBytes is where a pinned value is cut; recall with the version reads the rest.
const pinValueBytes = 1 << 10

func (p pinState) value(now time.Time) PinValue {
	f := memory.View(p.pinned, now)
	v := PinValue{Ref: p.pin.String(), Confidence: f.Confidence, Standing: f.Standing, Author: f.Author, Stale: p.stale()}
	switch {
	case p.missing:
		return PinValue{Ref: p.pin.String(), Stale: true, More: "missing from the store"}
	case p.pinned.Erased():
		v.More = "erased on request"
	case len(p.pinned.Value) > pinValueBytes:
		v.ValueText = memory.CutText(string(p.pinned.Value), pinValueBytes)
		v.More = "cut; recall this name with its version reads the rest"
	default:
		v.Value = p.pinned.Value
	}
	return v
}

func (p pinState) shownWhole() bool {
	return !p.stale() && len(p.pinned.Value) <= pinValueBytes
}

// header is what every page of a packet carries.
func header(h testigo.Handoff, pins []pinState, now time.Time) Packet {
	p := Packet{ID: h.ID, Kind: h.Kind, State: h.State, Title: h.Title, From: h.From, To: h.To, Project: projectField(h.Project),
		WrittenAt: h.CreatedAt, Age: memory.Age(now, h.CreatedAt), DueAt: timeField(h.DueAt), ExpiresAt: timeField(h.ExpiresAt), PinsTotal: len(pins)}
	for _, s := range pins {
		if s.stale() {
			p.Stale++
		}
	}
	if h.State == testigo.Claimed {
		p.Holder = &Holder{Agent: h.Claim.Agent, Generation: h.Claim.Generation, Since: h.Claim.At}
	}
	return p
}

func timeField(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func checkDir(dir string) error {
	if len(dir) > 4096 {
		return testigo.Invalid("cwd", "is longer than 4,096 bytes")
	}
	if r, bad := testigo.HasHidden(dir); bad {
		return testigo.Invalid("cwd", "contains the control or direction character U+%04X", r)
	}
	if !filepath.IsAbs(dir) {
		return testigo.Invalid("cwd", "must be an absolute path")
	}
	return nil
}
