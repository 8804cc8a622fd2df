package handoff

import (
	"context"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

// InboxParams are the arguments of inbox.
type InboxParams struct {
	// All lists what was read too, newest first; otherwise unread ones, oldest first.
	All    bool   `json:"all,omitempty"`
	Limit  int    `json:"limit,omitempty"`
	Cursor string `json:"cursor,omitempty"`
}

// InboxResult lists what was sent to the caller. Listing reads nothing: only read_message does.
type InboxResult struct {
	Agent      string    `json:"agent"`
	UnreadOnly bool      `json:"unreadOnly"`
	Messages   []Message `json:"messages"`
	Unread     int       `json:"unread"`
	Summary    string    `json:"summary"`
	Cursor     string    `json:"cursor,omitempty"`
}

// inboxKinds is what an inbox holds: packets wait for resume instead.
var inboxKinds = []testigo.HandoffKind{testigo.KindMessage, testigo.KindWork, testigo.KindNotification}

const (
	inboxPage = 20
	maxInbox  = 100
	// listBytes bounds each list beside a body in an answer to a model.
	listBytes = 1_500
)

// Inbox lists messages, work and notifications for the caller. It never writes.
func (s *Service) Inbox(ctx context.Context, c Caller, p InboxParams) (InboxResult, error) {
	if p.Limit < 0 || p.Limit > maxInbox {
		return InboxResult{}, testigo.Invalid("limit", "must be between 1 and %d", maxInbox)
	}
	limit := p.Limit
	if limit == 0 {
		limit = inboxPage
	}
	f := testigo.HandoffFilter{To: c.Agent, Kinds: inboxKinds, Unread: !p.All, Newest: p.All, Limit: limit + 1}
	if !p.All {
		f.States = unreadStates
	}
	if p.Cursor != "" {
		seq, err := strconv.ParseInt(p.Cursor, 10, 64)
		if err != nil || seq < 1 {
			return InboxResult{}, testigo.Invalid("cursor", "is not one that inbox gave").WithNext("repeat the call without cursor")
		}
		if f.AfterSeq = seq; p.All {
			f.AfterSeq, f.BeforeSeq = 0, seq
		}
	}
	res := InboxResult{Agent: c.Agent, UnreadOnly: !p.All, Messages: []Message{}}
	err := s.store.Read(ctx, func(r testigo.Reader) error {
		list, err := r.Handoffs(ctx, f)
		if err != nil {
			return err
		}
		s.fillInbox(c, list, limit, &res)
		res.Unread, err = unread(ctx, r, c, s.mem.Now())
		return err
	})
	res.Summary = fmt.Sprintf("%s shown, %d unread", memory.Count(len(res.Messages), "message", "messages"), res.Unread)
	return res, err
}

// unreadStates are those in which something still waits to be read; what was withdrawn or ran out does not.
var unreadStates = []testigo.HandoffState{testigo.Open, testigo.Claimed, testigo.Returned}

// unread counts what waits in an inbox, up to maxCounted.
func unread(ctx context.Context, r testigo.HandoffReader, c Caller, now time.Time) (int, error) {
	list, err := r.Handoffs(ctx, testigo.HandoffFilter{To: c.Agent, Kinds: inboxKinds, Unread: true, States: unreadStates, Limit: maxCounted})
	n := 0
	for _, h := range list {
		if !past(h, now) {
			n++
		}
	}
	return n, err
}

func (s *Service) fillInbox(c Caller, list []testigo.Handoff, limit int, res *InboxResult) {
	now := s.mem.Now()
	used := headerBytes
	last := int64(0)
	for i, h := range list {
		m := message(h, now)
		used += jsonSize(m) + 1
		if i == limit || c.Budget > 0 && used > c.Budget && len(res.Messages) > 0 {
			res.Cursor = strconv.FormatInt(last, 10)
			return
		}
		last = h.Seq
		if !past(h, now) || !res.UnreadOnly {
			res.Messages = append(res.Messages, m)
		}
	}
}

// ReadParams are the arguments of read_message.
type ReadParams struct {
	ID       string `json:"id"`
	MaxChars int    `json:"max_chars,omitempty"`
	Cursor   string `json:"cursor,omitempty"`
}

// ReadResult is one handoff with its body.
type ReadResult struct {
	Message
	// MarkedRead: this call was the first time its recipient read it.
	MarkedRead bool   `json:"markedRead"`
	NextStep   string `json:"nextStep,omitempty"`
}

// ReadMessage opens one handoff the caller sent or received. Only its recipient's reading marks it read; a message is
// closed by that, because nothing more is owed. A person's look marks nothing and is logged.
func (s *Service) ReadMessage(ctx context.Context, c Caller, p ReadParams) (ReadResult, error) {
	id, _, err := parseClaim("id", p.ID)
	if err != nil {
		return ReadResult{}, err
	}
	if p.MaxChars < 0 || p.MaxChars > memory.MaxMaxChars {
		return ReadResult{}, testigo.Invalid("max_chars", "must be between 1 and %d", memory.MaxMaxChars)
	}
	var h testigo.Handoff
	var res ReadResult
	done := func() {}
	undecided := false
	var pins []pinState
	err = s.store.Write(ctx, func(tx testigo.Tx) error {
		var err error
		if h, err = s.mine(ctx, tx, c, id); err != nil {
			return err
		}
		look := testigo.IsPerson(c.Agent) && h.To != c.Agent // leaves nothing but its event
		if !look {
			if done, err = memory.CheckIn(ctx, tx, c); err != nil {
				return err
			}
		}
		if undecided, err = awaitsDecision(ctx, tx, h); err != nil {
			return err
		}
		if pins, err = resolve(ctx, tx, h.Pins); err != nil {
			return err
		}
		start, err := pageStart(p.Cursor, h.ID)
		if err != nil {
			return err
		}
		if start > utf8.RuneCountInString(h.Summary) {
			return testigo.Invalid("cursor", "lies behind the end of the message")
		}
		switch {
		case look && h.From != c.Agent:
			return event(ctx, tx, c, h.ID, "looked_at", nil)
		case h.To != c.Agent || !h.ReadAt.IsZero():
			return nil
		}
		res.MarkedRead = true
		return markRead(ctx, tx, c, &h)
	})
	if err != nil {
		return ReadResult{}, err
	}
	done()
	res.Message = message(h, s.mem.Now())
	res.Preview = ""
	res.NextSteps, res.OpenQuestions = h.NextSteps, h.OpenQuestions
	if c.Budget > 0 { // a packet's lists can be long; resume pages through them
		small := c
		small.Budget = min(c.Budget, listBytes)
		res.NextSteps, _ = fitList(small, h.NextSteps, nil, "", "")
		res.OpenQuestions, _ = fitList(small, h.OpenQuestions, nil, "", "")
	}
	res.NextStep = nextStep(c, h, undecided)
	return res, body(c, &res, h, pins, p)
}

// awaitsDecision reports whether h carries the return of work that its sender has not closed.
func awaitsDecision(ctx context.Context, r testigo.HandoffReader, h testigo.Handoff) (bool, error) {
	if h.ReturnFor == "" {
		return false, nil
	}
	work, err := r.Handoff(ctx, h.ReturnFor)
	return work.State == testigo.Returned, err
}

// mine reads a handoff that the caller sent, received or holds; a person at the terminal may see all.
func (s *Service) mine(ctx context.Context, r testigo.HandoffReader, c Caller, id string) (testigo.Handoff, error) {
	h, err := find(ctx, r, "id", id)
	if err != nil {
		return h, err
	}
	if h.From != c.Agent && h.To != c.Agent && h.Claim.Agent != c.Agent && !testigo.IsPerson(c.Agent) {
		return h, notHere("id", id)
	}
	return h, nil
}

// markRead records the recipient's first reading. A message or notification that still waits ends with it.
func markRead(ctx context.Context, tx testigo.Tx, c Caller, h *testigo.Handoff) error {
	from, gen := h.State, h.Claim.Generation
	h.ReadAt = tx.Now()
	if h.State == testigo.Open && (h.Kind == testigo.KindMessage || h.Kind == testigo.KindNotification) {
		h.State, h.ClosedAt, h.ClosedBy = testigo.Closed, tx.Now(), c.Agent
	}
	if err := tx.MoveHandoff(ctx, *h, from, gen); err != nil {
		return err
	}
	return event(ctx, tx, c, h.ID, "read", nil)
}

// nextStep names the call that moves this on, if it is the caller's turn. undecided: the work whose return this is has not
// been closed.
func nextStep(c Caller, h testigo.Handoff, undecided bool) string {
	switch {
	case h.Kind == testigo.KindWork && h.To == c.Agent && h.State == testigo.Open && len(h.Pins) > 0:
		return "resume with handoff_id " + h.ID + " takes it and shows the pinned values; return_work when it is done"
	case h.Kind == testigo.KindWork && h.To == c.Agent && h.State == testigo.Open:
		return "accept_work " + h.ID + ", and return_work when it is done"
	case h.Kind == testigo.KindWork && h.To == c.Agent && h.State == testigo.Claimed:
		return "return_work " + h.ID + " when it is done"
	case h.Kind == testigo.KindWork && h.From == c.Agent && h.State == testigo.Returned:
		return "close_work " + h.ID + " with accepted, revision or blocked"
	case h.ReturnFor != "" && h.To == c.Agent && undecided:
		return "close_work " + h.ReturnFor + " with accepted, revision or blocked"
	}
	return ""
}

// body fills in the part of the body that is asked for and fits.
func body(c Caller, res *ReadResult, h testigo.Handoff, pins []pinState, p ReadParams) error {
	for _, pin := range pins {
		v := pin.view()
		if v.Stale {
			res.StalePins++
		}
		res.Pins = append(res.Pins, v)
	}
	res.Pins, _ = fitList(c, res.Pins, nil, "pins", "resume")
	start, err := pageStart(p.Cursor, h.ID)
	if err != nil {
		return err
	}
	text := []rune(h.Summary)
	if start > len(text) {
		return testigo.Invalid("cursor", "lies behind the end of the message")
	}
	rest := text[start:]
	switch {
	case p.MaxChars > 0:
		rest = rest[:min(p.MaxChars, len(rest))]
	case c.Budget > 0:
		rest = memory.Fitting(rest, max(c.Budget-jsonSize(res)-headerBytes, previewBytes))
	}
	res.Body, res.BodyChars = string(rest), 0
	if end := start + len(rest); start > 0 || end < len(text) {
		res.BodyChars = utf8.RuneCountInString(h.Summary)
		if end < len(text) {
			res.Cursor = fmt.Sprintf("%s:%d", h.ID, end)
		}
	}
	return nil
}
