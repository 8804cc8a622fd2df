package command

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/supervise"
)

// report is what an endpoint says about a turn, asked or by itself.
type report struct {
	Status string `json:"status"`
	Detail string `json:"detail,omitempty"`
	// Result is kept as it is and reaches the receipt.
	Result json.RawMessage `json:"result,omitempty"`
}

// maxDetail bounds what a receipt quotes of an endpoint's words, in characters.
const maxDetail = 500

// observation maps a report's words; ok is false for a word that we do not know, and then nothing is guessed.
func (r report) observation() (o testigo.Observation, ok bool) {
	switch strings.ToLower(strings.TrimSpace(r.Status)) {
	case "accepted", "queued":
		o.State = testigo.Accepted
	case "running", "in_progress":
		o.State = testigo.Running
	case "returned", "finished", "completed":
		o.State = testigo.TurnEnded
	case "failed", "error":
		o.State = testigo.Failed
	case "stopped", "interrupted", "cancelled":
		o.State, o.Interrupted = testigo.Failed, true
	default:
		return testigo.Observation{Detail: "the endpoint reports a status that is not known here: " + oneLine(r.Status)}, false
	}
	o.Detail = "the endpoint reports " + oneLine(r.Status)
	if r.Detail != "" {
		o.Detail += ": " + oneLine(r.Detail)
	}
	if len(r.Result) > 0 {
		o.Provider, _ = json.Marshal(map[string]json.RawMessage{"result": r.Result}) // valid when it was read
	}
	return o, true
}

func oneLine(s string) string {
	words := []rune(strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(c rune) bool { return c <= ' ' || c == 0x7f }), " "))
	return string(words[:min(len(words), maxDetail)])
}

// ask gets the status of a request. Whatever is not a clear answer is no answer.
func (p *Provider) ask(ctx context.Context, s settings, requestID string) (testigo.Observation, bool) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, statusAddress(s.statusURL, requestID), http.NoBody)
	if err != nil {
		return testigo.Observation{Detail: "the status URL cannot be used"}, false
	}
	if err := s.dress(req, nil, p.o.Now()); err != nil {
		return testigo.Observation{Detail: err.Error()}, false
	}
	a, _, err := p.call(ctx, s, req)
	var r report
	switch {
	case err != nil:
		return testigo.Observation{Detail: "the status URL gave no answer: " + err.Error()}, false
	case a.status == http.StatusNotFound:
		return testigo.Observation{Absent: true, Detail: "the endpoint does not know this request"}, true
	case a.status != http.StatusOK:
		return testigo.Observation{Detail: fmt.Sprintf("the status URL answered %d", a.status)}, false
	case json.Unmarshal(a.body, &r) != nil:
		return testigo.Observation{Detail: "the status URL did not answer with a status"}, false
	}
	return r.observation()
}

func statusAddress(text, requestID string) string {
	if strings.Contains(text, "{request_id}") {
		return strings.ReplaceAll(text, "{request_id}", strings.ReplaceAll(url.QueryEscape(requestID), "+", "%20")) // right in a path and in a query
	}
	u, err := url.Parse(text)
	if err != nil { // it was parsed when the settings were read
		return text
	}
	q := u.Query()
	q.Set("request_id", requestID)
	u.RawQuery = q.Encode()
	return u.String()
}

func (p *Provider) observePost(ctx context.Context, s settings, st *supervise.State, requestID string, r testigo.Receipt) (testigo.Observation, error) {
	var n note
	if st != nil {
		if st.Phase.Unsent() {
			return testigo.Observation{Absent: true, Detail: st.Error}, nil
		}
		n = noteOf(*st)
	}
	o, known := testigo.Observation{}, false
	switch {
	case n.Report != nil:
		o, known = n.Report.observation()
	case s.statusURL != "":
		o, known = p.ask(ctx, s, requestID)
	case n.Accepted || r.TurnID == postTurn(requestID):
		o, known = testigo.Observation{State: testigo.Accepted, Detail: "accepted: this endpoint reports no end"}, true
		if s.callback {
			o.Detail = "accepted; the endpoint has not reported yet"
		}
	default:
		o.Detail = "there is no answer to the post on record, and this endpoint cannot be asked"
	}
	if known && !o.Absent {
		o.TurnID = postTurn(requestID)
	}
	return o, nil
}

// postActivity is that of the latest post. Without a way to learn its end the target counts as idle: the engine's own slot
// is what keeps a second turn away.
func (p *Provider) postActivity(ctx context.Context, s settings, st supervise.State) testigo.Activity {
	n := noteOf(st)
	idle := testigo.Activity{State: testigo.TurnFinished}
	if st.Phase != supervise.Posted {
		return idle
	}
	var o testigo.Observation
	known := true
	switch {
	case n.Report != nil:
		o, known = n.Report.observation()
	case s.statusURL != "":
		o, known = p.ask(ctx, s, st.Request)
	case s.callback && p.o.Now().Before(st.Until):
		o.State = testigo.Accepted
	default:
		return idle
	}
	a := testigo.Activity{TurnID: postTurn(st.Request)}
	switch {
	case !known:
		a.State = testigo.TurnUnknown
	case o.Absent, o.State == testigo.TurnEnded:
		a.State = testigo.TurnFinished
	case o.Interrupted:
		a.State = testigo.TurnStopped
	case o.State == testigo.Failed:
		a.State = testigo.TurnFailed
	default:
		a.State = testigo.TurnOpen
	}
	return a
}

// Callback takes an endpoint's own report {status, detail, result} about a request. The token is the one that its post
// carried. An end is reported once: the same again is fine, another one is a conflict.
func (p *Provider) Callback(requestID, token string, body []byte) error {
	runFile := supervise.RunFile(p.o.Runs, requestID)
	if _, err := supervise.Look(runFile); errors.Is(err, fs.ErrNotExist) { // before a folder is made for strangers
		return testigo.Errorf(testigo.CodeNotFound, "there is no such request")
	}
	unlock, err := supervise.Lock(filepath.Join(p.o.Runs, ".reports"))
	if err != nil {
		return err
	}
	defer unlock()
	st, err := supervise.Look(runFile)
	n := noteOf(st)
	if err != nil || n.Token == "" || subtle.ConstantTimeCompare([]byte(n.Token), []byte(token)) != 1 {
		return testigo.Errorf(testigo.CodeNotFound, "there is no such request") // nor does a wrong token learn that there is
	}
	var r report
	if len(body) > maxAnswer || json.Unmarshal(body, &r) != nil {
		return testigo.Invalid("body", "must be a JSON object with status, at most 64 KiB")
	}
	if _, ok := r.observation(); !ok {
		return testigo.Invalid("status", "is none of accepted, queued, running, in_progress, returned, finished, completed, failed, error, stopped, interrupted, cancelled")
	}
	if n.Report != nil {
		if was, _ := n.Report.observation(); was.State == testigo.TurnEnded || was.State == testigo.Failed {
			if reflect.DeepEqual(*n.Report, r) {
				return nil
			}
			return testigo.Errorf(testigo.CodeConflict, "another end was reported before")
		}
	}
	n.Report, n.Accepted = &r, true
	st.Note, st.At = n.json(), p.o.Now().UTC()
	if st.Phase.Unsent() {
		return testigo.Errorf(testigo.CodeConflict, "this request was refused")
	}
	return supervise.Replace(runFile, st)
}
