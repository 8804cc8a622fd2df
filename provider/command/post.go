package command

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/supervise"
)

// payload is the body of a post. It never holds the settings.
type payload struct {
	RequestID string       `json:"request_id"`
	HandoffID string       `json:"handoff_id,omitempty"`
	Attempt   int          `json:"attempt,omitempty"`
	Claim     string       `json:"claim,omitempty"`
	Text      string       `json:"text"`
	Agent     payloadAgent `json:"agent"`
	Callback  *callback    `json:"callback,omitempty"`
}

type payloadAgent struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Provider string `json:"provider"`
	Endpoint string `json:"endpoint"`
	Cwd      string `json:"cwd"`
}

type callback struct {
	URL   string `json:"url"`
	Token string `json:"token"`
}

func (p *Provider) post(ctx context.Context, s settings, t testigo.Target, turn testigo.Turn) (testigo.Started, error) {
	n := note{Target: targetKey(t)}
	body := payload{
		RequestID: turn.RequestID, HandoffID: turn.HandoffID, Attempt: turn.Attempt, Claim: turn.Claim, Text: turn.Text,
		Agent: payloadAgent{turn.Agent, turn.Agent, t.Provider, t.Endpoint, t.Cwd},
	}
	if s.callback {
		n.Token = rand.Text()
		body.Callback = &callback{strings.TrimSuffix(p.o.CallbackURL, "/") + "/" + url.PathEscape(turn.RequestID), n.Token}
	}
	b, err := json.Marshal(body)
	if err != nil {
		return testigo.Started{}, asRefusal(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url.String(), bytes.NewReader(b))
	if err != nil {
		return testigo.Started{}, asRefusal(err)
	}
	if err := s.dress(req, b, p.o.Now()); err != nil {
		return testigo.Started{}, asRefusal(err)
	}
	req.Header.Set("Content-Type", "application/json")

	runFile, err := filepath.Abs(supervise.RunFile(p.o.Runs, turn.RequestID))
	if err != nil {
		return testigo.Started{}, asRefusal(err)
	}
	st := supervise.State{Request: turn.RequestID, Agent: turn.Agent, Started: p.o.Now().UTC(), Until: p.o.Now().Add(s.timeout).UTC(), Note: n.json()}
	h, err := supervise.Reserve(runFile, turn.Lease, turn.Deadline, st)
	switch {
	case errors.Is(err, supervise.ErrTooLate):
		return testigo.Started{}, &testigo.Refusal{Kind: testigo.NotSent, Why: supervise.ErrTooLate.Error()}
	case err != nil:
		return testigo.Started{}, err
	case !h.First:
		return again(h.State, s, n.Target)
	}
	return p.send(ctx, s, req, runFile, h.State, n)
}

// again answers for a request that was posted before.
func again(st supervise.State, s settings, target string) (testigo.Started, error) {
	n := noteOf(st)
	switch {
	case st.Phase.Unsent():
		return testigo.Started{}, &testigo.Refusal{Kind: testigo.NotSent, Why: st.Error}
	case st.Phase == supervise.Posted && n.Target == target && n.Accepted:
		return accepted(st.Request, s, n), nil
	}
	return testigo.Started{}, fmt.Errorf("request %s was posted before, and nobody knows whether it arrived", st.Request)
}

// send posts, and records what the answer proves.
func (p *Provider) send(ctx context.Context, s settings, req *http.Request, runFile string, st supervise.State, n note) (testigo.Started, error) {
	a, reached, err := p.call(ctx, s, req)
	refusal := refusalOf(a, reached, err, p.o.Now())
	switch {
	case refusal != nil:
		st.Phase, st.Error, st.Ended = supervise.NotStarted, refusal.Why, p.o.Now().UTC()
		if err := supervise.Replace(runFile, st); err != nil {
			return testigo.Started{}, err // the file says posted, and so nobody may say otherwise
		}
		return testigo.Started{}, refusal
	case err != nil:
		return testigo.Started{}, fmt.Errorf("there was no answer to the post: %w", err)
	case a.status < 200 || a.status > 299:
		return testigo.Started{}, fmt.Errorf("the endpoint answered %d", a.status)
	}
	unlock, lockErr := supervise.Lock(filepath.Join(filepath.Dir(runFile), ".reports"))
	if lockErr == nil {
		defer unlock()
		if now, err := supervise.Look(runFile); err == nil { // an endpoint may report before it answers
			st, n = now, noteOf(now)
		}
	}
	n.Accepted, n.Status = true, a.status
	if json.Valid(a.body) {
		n.Answer = a.body
	}
	st.Note = n.json()
	_ = supervise.Replace(runFile, st) // only for starts and engines to come; this caller knows
	return accepted(st.Request, s, n), nil
}

func accepted(requestID string, s settings, n note) testigo.Started {
	return testigo.Started{
		TurnID: postTurn(requestID), ClientUserMessageID: requestID, NoEnd: s.statusURL == "" && !s.callback,
		Provider: postEvidence(n.Status, n.Answer),
	}
}

func postEvidence(status int, said json.RawMessage) json.RawMessage {
	b, err := json.Marshal(struct {
		Status int             `json:"httpStatus,omitempty"`
		Answer json.RawMessage `json:"answer,omitempty"`
	}{status, said})
	if err != nil { // answers were checked when they were read
		panic(err)
	}
	return b
}

// refusalOf says what proves that nothing was taken, if anything does.
func refusalOf(a answer, reached bool, err error, now time.Time) *testigo.Refusal {
	if err != nil {
		if reached {
			return nil
		}
		return &testigo.Refusal{Kind: testigo.NotSent, Why: "there was no connection to the endpoint: " + err.Error()}
	}
	wait := retryAfter(a.header.Get("Retry-After"), now)
	switch {
	case a.status == http.StatusTooManyRequests, a.status == http.StatusRequestTimeout, a.status == http.StatusServiceUnavailable && wait >= 0:
		return &testigo.Refusal{Kind: testigo.RateLimited, Why: fmt.Sprintf("the endpoint answered %d", a.status), RetryAfter: max(wait, 0)}
	case a.status >= 300 && a.status < 400:
		return &testigo.Refusal{Kind: testigo.Refused, Why: fmt.Sprintf("the endpoint answered %d; redirects are not followed", a.status)}
	case a.status >= 400 && a.status < 500:
		return &testigo.Refusal{Kind: testigo.Refused, Why: fmt.Sprintf("the endpoint answered %d", a.status)}
	}
	return nil
}

// maxRetryAfter is the longest wait that an endpoint may ask for.
const maxRetryAfter = 24 * time.Hour

// retryAfter reads seconds or a date; negative when there is neither.
func retryAfter(text string, now time.Time) time.Duration {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return min(time.Duration(n)*time.Second, maxRetryAfter)
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(at.Sub(now), 0), maxRetryAfter)
	}
	return -1
}
