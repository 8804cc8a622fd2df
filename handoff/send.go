package handoff

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

// SendParams are the arguments of send_handoff: word for another agent, or with a title work that it owes an answer to.
type SendParams struct {
	To      string `json:"to"`
	Message string `json:"message"`
	// Title makes it work.
	Title         string        `json:"title,omitempty"`
	DueMinutes    int           `json:"due_minutes,omitempty"`
	Key           string        `json:"key,omitempty"`
	ReplyTo       string        `json:"reply_to,omitempty"`
	Refs          []testigo.Ref `json:"refs,omitempty"`
	NextSteps     []string      `json:"next_steps,omitempty"`
	OpenQuestions []string      `json:"open_questions,omitempty"`
	ExpiresAt     string        `json:"expires_at,omitempty"`
	// Notification never wakes anybody.
	Notification bool   `json:"notification,omitempty"`
	Project      string `json:"project,omitempty"`
}

// SendResult says what was stored. Names are the reference's.
type SendResult struct {
	MessageID string              `json:"messageId"`
	Kind      testigo.HandoffKind `json:"kind"`
	To        string              `json:"to"`
	ToName    string              `json:"toName"`
	Work      bool                `json:"work"`
	// AlreadySent: this key was used for the very same handoff before; nothing was stored now.
	AlreadySent bool                 `json:"alreadySent,omitempty"`
	Receipt     testigo.ReceiptStage `json:"receipt"`
	Title       string               `json:"title,omitempty"`
	DueAt       *time.Time           `json:"dueAt,omitempty"`
	Pins        []PinRef             `json:"pins,omitempty"`
	Redacted    memory.Redacted      `json:"redacted,omitempty"`
	Notes       []string             `json:"notes,omitempty"`
}

// Send stores a message or work for one known agent, durably. Errors: invalid for an argument, refused for oneself,
// not_found for an agent nobody has seen, forbidden when the connection is blocked, conflict for a key used otherwise.
func (s *Service) Send(ctx context.Context, c Caller, p SendParams) (SendResult, error) {
	h, gate, err := s.draftSend(ctx, c, p)
	if err != nil {
		return SendResult{}, err
	}
	var res SendResult
	done := func() {}
	err = s.store.Write(ctx, func(tx testigo.Tx) error {
		if done, err = memory.CheckIn(ctx, tx, c); err != nil {
			return err
		}
		res, err = s.send(ctx, tx, c, p, h)
		return err
	})
	if err != nil {
		return SendResult{}, err
	}
	done()
	res.Redacted = gate.Found()
	res.Notes = append(res.Notes, s.mem.Warnings(ctx)...)
	res.Pins, res.Notes = fitList(c, res.Pins, res.Notes, "pins", "read_message "+res.MessageID)
	return res, nil
}

func (s *Service) draftSend(ctx context.Context, c Caller, p SendParams) (testigo.Handoff, *memory.Gate, error) {
	var gate memory.Gate
	h := testigo.Handoff{Kind: testigo.KindMessage, State: testigo.Open, From: c.Agent, FromSession: c.Session, To: p.To, Notify: "wake"}
	if err := testigo.CheckAgentName("to", p.To); err != nil {
		return h, nil, err
	}
	if testigo.IsService(p.To) {
		return h, nil, testigo.Invalid("to", "names a part of Testigo, which takes no messages")
	}
	if p.To == c.Agent {
		return h, nil, testigo.Errorf(testigo.CodeRefused, "a message to yourself goes nowhere; nothing was written").
			WithNext("handoff stores a packet for your own next session")
	}
	project, err := s.mem.Project(ctx, c, p.Project)
	if err != nil {
		return h, nil, err
	}
	h.Project = project.ID
	if h.Summary, err = memory.Prose("message", p.Message, testigo.MaxBodyLen); err != nil {
		return h, nil, err
	}
	if h.Summary, err = gate.Text("message", h.Summary); err != nil {
		return h, nil, err
	}
	if h.NextSteps, err = items(&gate, "next_steps", p.NextSteps); err != nil {
		return h, nil, err
	}
	if h.OpenQuestions, err = items(&gate, "open_questions", p.OpenQuestions); err != nil {
		return h, nil, err
	}
	if err := s.sendTerms(&h, &gate, p); err != nil {
		return h, nil, err
	}
	return h, &gate, memory.CheckRequestKey("key", p.Key)
}

// sendTerms decides kind, title and times.
func (s *Service) sendTerms(h *testigo.Handoff, gate *memory.Gate, p SendParams) (err error) {
	now := s.mem.Now()
	switch {
	case p.Title != "" && p.Notification:
		return testigo.Invalid("notification", "cannot be work: leave title out")
	case p.Title != "":
		h.Kind = testigo.KindWork
		if h.Title, err = memory.OneLine("title", p.Title, testigo.MaxTitleLen); err != nil {
			return err
		}
		if h.Title, err = gate.Text("title", h.Title); err != nil {
			return err
		}
	case p.DueMinutes != 0:
		return testigo.Invalid("due_minutes", "needs a title: only work is due").WithNext("give title, or leave due_minutes out")
	case p.Notification:
		h.Kind, h.Notify = testigo.KindNotification, "none"
	}
	if p.ExpiresAt == "" && h.Kind != testigo.KindWork {
		h.ExpiresAt = now.Add(testigo.MessageLife).Truncate(time.Millisecond)
	}
	return terms(h, Params{ToAgent: p.To, ExpiresAt: p.ExpiresAt, DueMinutes: p.DueMinutes, Notify: h.Notify, Refs: p.Refs}, now)
}

// send is the transaction of send_handoff: key, recipient, connection, chain, pins, row.
func (s *Service) send(ctx context.Context, tx testigo.Tx, c Caller, p SendParams, h testigo.Handoff) (SendResult, error) {
	asked := p
	asked.Key = ""
	content := hashJSON(asked)
	if p.Key != "" {
		if old, found, err := s.answeredSend(ctx, tx, c, p.Key, content); err != nil || found {
			res := sent(old)
			res.AlreadySent = true
			return res, err
		}
	}
	a, err := tx.Agent(ctx, p.To)
	if testigo.CodeOf(err) == testigo.CodeNotFound {
		return SendResult{}, unknownAgent(ctx, tx, "to", p.To)
	}
	if err != nil {
		return SendResult{}, err
	}
	if err := mayReach(ctx, tx, c.Agent, p.To); err != nil {
		return SendResult{}, err
	}
	if err := s.chain(ctx, tx, c, p.ReplyTo, &h); err != nil {
		return SendResult{}, err
	}
	if p.Refs != nil {
		if h.Pins, err = s.resolveRefs(ctx, tx, c, testigo.Project{ID: h.Project}, p.Refs); err != nil {
			return SendResult{}, err
		}
	}
	h.CreatedAt = tx.Now()
	h.ContentHash = contentHash(h)
	if err := s.store1(ctx, tx, c, &h); err != nil {
		return SendResult{}, err
	}
	if p.Key != "" {
		ref, err := json.Marshal(map[string]string{"id": h.ID})
		if err != nil {
			return SendResult{}, err
		}
		if err := tx.PutRequest(ctx, testigo.Request{Agent: c.Agent, Key: p.Key, Tool: "send_handoff", Content: content, Result: ref, At: tx.Now()}); err != nil {
			return SendResult{}, err
		}
	}
	res := sent(h)
	if a.Title != "" {
		res.ToName = a.Title
	}
	res.Notes = append(res.Notes, awake(a, tx.Now()))
	return res, nil
}

// store1 gives a new handoff its id and thread and writes it with its first event.
func (s *Service) store1(ctx context.Context, tx testigo.Tx, c Caller, h *testigo.Handoff) error {
	if err := s.insert(ctx, tx, h); err != nil {
		return err
	}
	return event(ctx, tx, c, h.ID, "written", map[string]any{"to": h.To, "kind": h.Kind, "pins": len(h.Pins)})
}

// chain joins a handoff to the one it answers, which its writer must be able to see.
func (s *Service) chain(ctx context.Context, r testigo.HandoffReader, c Caller, replyTo string, h *testigo.Handoff) error {
	if replyTo == "" {
		return nil
	}
	id, _, err := parseClaim("reply_to", replyTo)
	if err != nil {
		return err
	}
	first, err := find(ctx, r, "reply_to", id)
	if err != nil {
		return err
	}
	if !visibleTo(c, first, h.Project) {
		return notHere("reply_to", id)
	}
	h.ReplyTo, h.Thread = first.ID, first.Thread
	if h.Thread == "" {
		h.Thread = first.ID
	}
	return nil
}

func (s *Service) answeredSend(ctx context.Context, tx testigo.Tx, c Caller, key string, content testigo.Hash) (testigo.Handoff, bool, error) {
	req, err := tx.Request(ctx, c.Agent, key)
	if testigo.CodeOf(err) == testigo.CodeNotFound {
		return testigo.Handoff{}, false, nil
	}
	if err != nil {
		return testigo.Handoff{}, false, err
	}
	if req.Tool != "send_handoff" || req.Content != content {
		e := testigo.AsError(memory.RequestConflict(key, req.Tool))
		e.Field = "key"
		return testigo.Handoff{}, true, e
	}
	var ref struct{ ID string }
	if err := json.Unmarshal(req.Result, &ref); err != nil {
		return testigo.Handoff{}, true, testigo.Errorf(testigo.CodeDamaged, "the kept answer of a key cannot be read")
	}
	h, err := tx.Handoff(ctx, ref.ID)
	return h, true, err
}

func sent(h testigo.Handoff) SendResult {
	res := SendResult{MessageID: h.ID, Kind: h.Kind, To: h.To, ToName: h.To, Work: h.Kind == testigo.KindWork,
		Receipt: stage(h), Title: h.Title, DueAt: timeField(h.DueAt)}
	for _, p := range h.Pins {
		res.Pins = append(res.Pins, pinRef(p))
	}
	return res
}

// awake says what will become of something stored for an agent.
func awake(a testigo.Agent, now time.Time) string {
	return fmt.Sprintf("stored; %s was last seen %s and picks up by itself", a.Name, memory.Age(now, a.LastSeen))
}
