package handoff

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

// Message is a handoff as its two ends see it. Names are the reference's.
type Message struct {
	ID   string `json:"id"`
	From string `json:"from"`
	To   string `json:"to,omitempty"`
	// Kind is packet, message, work, return or notification.
	Kind      string               `json:"kind"`
	State     testigo.HandoffState `json:"state"`
	Receipt   testigo.ReceiptStage `json:"receipt"`
	SentAt    time.Time            `json:"sentAt"`
	Age       string               `json:"age"`
	Read      bool                 `json:"read"`
	Title     string               `json:"title,omitempty"`
	Work      *WorkView            `json:"work,omitempty"`
	ReturnFor string               `json:"returnFor,omitempty"`
	ReplyTo   string               `json:"replyTo,omitempty"`
	Thread    string               `json:"thread,omitempty"`
	// Preview is the beginning of the body; Body all of it, as far as asked.
	Preview string `json:"preview,omitempty"`
	Body    string `json:"body,omitempty"`
	// BodyChars counts all of the body when it is cut, and Cursor reads on.
	BodyChars int       `json:"bodyChars,omitempty"`
	Cursor    string    `json:"cursor,omitempty"`
	Pins      []PinView `json:"pins,omitempty"`
	// StalePins counts the pins that are no longer current.
	StalePins int `json:"stalePins,omitempty"`
	// NextSteps and OpenQuestions are shown where the body is.
	NextSteps     []string `json:"nextSteps,omitempty"`
	OpenQuestions []string `json:"openQuestions,omitempty"`
}

// WorkView is the contract part of work.
type WorkView struct {
	ID      string           `json:"id"`
	Title   string           `json:"title"`
	State   string           `json:"state"` // open, accepted, returned, closed, withdrawn, expired
	DueAt   *time.Time       `json:"dueAt,omitempty"`
	Overdue bool             `json:"overdue,omitempty"`
	Round   int              `json:"round,omitempty"`
	Result  *testigo.Return  `json:"result,omitempty"`
	Closure *testigo.Closure `json:"closure,omitempty"`
}

// previewBytes is where a body is cut in lists.
const previewBytes = 160

func message(h testigo.Handoff, now time.Time) Message {
	m := Message{ID: h.ID, From: h.From, To: h.To, Kind: kindWord(h), State: h.State, Receipt: stage(h), SentAt: h.CreatedAt,
		Age: memory.Age(now, h.CreatedAt), Read: !h.ReadAt.IsZero(), Title: h.Title, ReturnFor: h.ReturnFor, ReplyTo: h.ReplyTo, Thread: h.Thread}
	if past(h, now) { // its move is written by whoever would have claimed it
		m.State, m.Receipt = testigo.Expired, testigo.StageBounced
		h.State = testigo.Expired
	}
	if h.Kind == testigo.KindWork {
		m.Work = workView(h, now)
	}
	m.Preview = strings.Join(strings.Fields(memory.CutText(h.Summary, previewBytes)), " ")
	if len(h.Summary) > previewBytes {
		m.Preview += " …"
		m.BodyChars = utf8.RuneCountInString(h.Summary)
	}
	return m
}

func kindWord(h testigo.Handoff) string {
	if h.ReturnFor != "" {
		return "return"
	}
	return string(h.Kind)
}

func workView(h testigo.Handoff, now time.Time) *WorkView {
	w := &WorkView{ID: h.ID, Title: h.Title, State: workWord(h), DueAt: timeField(h.DueAt), Round: h.Round, Closure: h.Closure}
	w.Overdue = overdue(h, now)
	if h.Return != nil { // the return's own message has all of it
		r := *h.Return
		r.Summary, r.Evidence = memory.CutText(r.Summary, returnPreview), memory.CutText(r.Evidence, returnPreview)
		r.Claims = r.Claims[:min(len(r.Claims), claimsShown)]
		w.Result = &r
	}
	return w
}

// Where a return is cut outside of its own message.
const (
	returnPreview = 1_000
	claimsShown   = 5
)

func workWord(h testigo.Handoff) string {
	if h.State == testigo.Claimed {
		return "accepted"
	}
	return string(h.State)
}

// overdue reports whether work that nobody returned is past its due time.
func overdue(h testigo.Handoff, now time.Time) bool {
	return !h.DueAt.IsZero() && !now.Before(h.DueAt) && (h.State == testigo.Open || h.State == testigo.Claimed)
}

// stage is the receipt of a handoff as its sender reads it. Nothing delivers yet when nobody has picked it up.
func stage(h testigo.Handoff) testigo.ReceiptStage {
	switch h.State {
	case testigo.Closed:
		if h.Closure == nil && h.Outcome == "" { // a message that was read: nobody decided anything about it
			return testigo.StageAccepted
		}
		return testigo.StageClosed
	case testigo.Claimed:
		return testigo.StageAccepted
	case testigo.Returned:
		return testigo.StageReturned
	case testigo.Expired, testigo.Withdrawn:
		return testigo.StageBounced
	}
	return testigo.StageStored
}
