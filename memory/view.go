package memory

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/canonical"
)

// Sizes of what an answer shows.
const (
	// listValueBytes is where a value is cut in a list.
	listValueBytes = 1 << 10
	// DefaultMaxChars and MaxMaxChars bound the part of one value that a point read answers with.
	DefaultMaxChars = 6_000
	MaxMaxChars     = 100_000
)

// Fact is one version of a fact as every face shows it.
type Fact struct {
	Name    string  `json:"name"`
	Project *string `json:"project"`
	Version int     `json:"version"`
	Current bool    `json:"current"`
	// Value is the whole value; null when it was cut or erased.
	Value json.RawMessage `json:"value"`
	// ValueText is the part of the value's JSON text that is shown when the whole is too long, of ValueChars in all.
	ValueText  string   `json:"value_text,omitempty"`
	ValueChars int      `json:"value_chars,omitempty"`
	Cursor     string   `json:"cursor,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	Confidence float64  `json:"confidence"`
	// Standing says in words what the confidence rests on.
	Standing     string                 `json:"standing"`
	Outcomes     *testigo.OutcomeCounts `json:"outcomes,omitempty"`
	Author       string                 `json:"author"`
	Session      string                 `json:"session,omitempty"`
	CreatedAt    time.Time              `json:"created_at"`
	Age          string                 `json:"age"`
	ConfirmedAt  *time.Time             `json:"last_confirmed_at,omitempty"`
	ConfirmedBy  string                 `json:"last_confirmed_by,omitempty"`
	SupersededAt *time.Time             `json:"superseded_at,omitempty"`
	ErasedAt     *time.Time             `json:"erased_at,omitempty"`
	Sources      []testigo.Source       `json:"sources,omitempty"`
	StaleSources []testigo.StaleSource  `json:"stale_sources,omitempty"`
	Score        *float64               `json:"score,omitempty"`
	Explain      []ScorePart            `json:"explain,omitempty"`
	// Damage is set when the row does not match its hash: what it says was changed behind the store's back.
	Damage string `json:"damage,omitempty"`
	// More says how to read what is not shown here.
	More string `json:"more,omitempty"`
}

// ScorePart is one part of a search score.
type ScorePart struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// View shows a version with its value whole.
func View(v testigo.Version, now time.Time) Fact { return view(v, now, 0) }

// view shows a version; a value longer than maxBytes is cut there (0 never cuts).
func view(v testigo.Version, now time.Time, maxBytes int) Fact {
	f := Fact{
		Name: v.Name.String(), Project: projectField(v.Name.Project), Version: v.Number, Current: v.Current(),
		Tags: v.Tags, Confidence: v.Confidence, Standing: standing(v), Author: v.Author, Session: v.Session,
		CreatedAt: v.CreatedAt, Age: Age(now, v.CreatedAt), ConfirmedAt: timeField(v.ConfirmedAt), ConfirmedBy: v.ConfirmedBy,
		SupersededAt: timeField(v.SupersededAt), ErasedAt: timeField(v.ErasedAt), Sources: v.Sources,
	}
	if v.Counts.Total() > 0 {
		f.Outcomes = &v.Counts
	}
	if len(v.Salt) > 0 && testigo.BodyHash(v.Salt, canonical.Body(v)) != v.BodyHash {
		f.Damage = "this row does not match its hash: it was changed behind the store's back (testigo verify names every such row)"
	}
	switch {
	case v.Erased():
	case maxBytes > 0 && len(v.Value) > maxBytes:
		f.cut(v, maxBytes)
	default:
		f.Value = v.Value
	}
	return f
}

// cut shows the beginning of a long value and how to read on.
func (f *Fact) cut(v testigo.Version, maxBytes int) {
	f.Value = nil
	f.ValueText = CutText(string(v.Value), maxBytes)
	f.ValueChars = utf8.RuneCount(v.Value)
	f.More = fmt.Sprintf("%d of %d characters shown; recall %s reads the rest", utf8.RuneCountInString(f.ValueText), f.ValueChars, v.Name)
}

// CutText returns the longest beginning of s of at most maxBytes bytes that ends between characters and, where there is a
// space in its last fifth, between words.
func CutText(s string, maxBytes int) string {
	if len(s) <= maxBytes {
		return s
	}
	cut := maxBytes
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	if i := strings.LastIndexAny(s[:cut], " \n\t"); i > cut*4/5 {
		cut = i
	}
	return s[:cut]
}

// standing says what a version's confidence rests on. Only a check by somebody lifts "unchecked".
func standing(v testigo.Version) string {
	var parts []string
	add := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, Count(n, one, many))
		}
	}
	add(v.Counts.Success, "success", "successes")
	failures := v.Counts.Failure + v.Counts.MinorFailure + v.Counts.CriticalFailure
	add(failures, "failure", "failures")
	switch {
	case v.Erased():
		return "erased on request"
	case len(parts) > 0:
		return "stated by " + v.Author + "; " + strings.Join(parts, ", ") + " reported"
	case v.ConfirmedBy != "" && v.ConfirmedBy != v.Author:
		return "stated by " + v.Author + ", restated by " + v.ConfirmedBy + ", unchecked"
	}
	return "stated by " + v.Author + ", unchecked"
}

// Count writes a number with its noun: "1 version", "2 versions".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func timeField(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// Age says how long before now t was, in one rounded unit: "just now", "5 min ago", "3 h ago", "12 d ago".
func Age(now, t time.Time) string {
	d := now.Sub(t)
	switch {
	case d < 0 && d > -time.Minute, d >= 0 && d < time.Minute:
		return "just now"
	case d < 0:
		return "in the future"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	case d < 365*24*time.Hour:
		return fmt.Sprintf("%d d ago", int(d.Hours()/24))
	}
	return fmt.Sprintf("%.1f y ago", d.Hours()/24/365.25)
}
