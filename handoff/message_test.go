package handoff_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
)

func (w *world) send(c memory.Caller, p handoff.SendParams) handoff.SendResult {
	w.t.Helper()
	if p.Message == "" {
		p.Message = "a message"
	}
	res, err := w.svc.Send(w.ctx, c, p)
	if err != nil {
		w.t.Fatalf("send: %v", err)
	}
	return res
}

func (w *world) inbox(c memory.Caller, p handoff.InboxParams) handoff.InboxResult {
	w.t.Helper()
	res, err := w.svc.Inbox(w.ctx, c, p)
	if err != nil {
		w.t.Fatalf("inbox: %v", err)
	}
	return res
}

func (w *world) read(c memory.Caller, id string) handoff.ReadResult {
	w.t.Helper()
	res, err := w.svc.ReadMessage(w.ctx, c, handoff.ReadParams{ID: id})
	if err != nil {
		w.t.Fatalf("read: %v", err)
	}
	return res
}

// S12, M21: who and what may be sent.
func TestSendValidationS12(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout", "s1")
	w.agent("worker", "s2")
	for name, tc := range map[string]struct {
		p     handoff.SendParams
		code  testigo.Code
		field string
	}{
		"self":         {handoff.SendParams{To: "scout", Message: "x"}, testigo.CodeRefused, ""},
		"unknown":      {handoff.SendParams{To: "Worker", Message: "x"}, testigo.CodeNotFound, "to"},
		"no one":       {handoff.SendParams{Message: "x"}, testigo.CodeInvalid, "to"},
		"blank":        {handoff.SendParams{To: "worker", Message: " \n"}, testigo.CodeInvalid, "message"},
		"long":         {handoff.SendParams{To: "worker", Message: strings.Repeat("x", 200_001)}, testigo.CodeInvalid, "message"},
		"due no title": {handoff.SendParams{To: "worker", Message: "x", DueMinutes: 5}, testigo.CodeInvalid, "due_minutes"},
		"due short":    {handoff.SendParams{To: "worker", Message: "x", Title: "t", DueMinutes: -1}, testigo.CodeInvalid, "due_minutes"},
		"due long":     {handoff.SendParams{To: "worker", Message: "x", Title: "t", DueMinutes: 43_201}, testigo.CodeInvalid, "due_minutes"},
		"title lines":  {handoff.SendParams{To: "worker", Message: "x", Title: "a\nb"}, testigo.CodeInvalid, "title"},
		"reply":        {handoff.SendParams{To: "worker", Message: "x", ReplyTo: "h_00000000"}, testigo.CodeNotFound, "reply_to"},
		"notify work":  {handoff.SendParams{To: "worker", Message: "x", Title: "t", Notification: true}, testigo.CodeInvalid, "notification"},
		"key":          {handoff.SendParams{To: "worker", Message: "x", Key: "a\nb"}, testigo.CodeInvalid, "key"},
	} {
		_, err := w.svc.Send(w.ctx, a, tc.p)
		if testigo.CodeOf(err) != tc.code || testigo.AsError(err).Field != tc.field {
			t.Errorf("%s: %v", name, err)
		}
	}
	if in := w.inbox(w.agent("worker", "s2"), handoff.InboxParams{}); len(in.Messages) != 0 {
		t.Errorf("refused messages left %+v", in)
	}
}

// S8, S9, S10, S11, S14: rules between two agents, the mode without a rule, and what parts of Testigo may.
func TestConnectionsS8toS14(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s1"), w.agent("worker", "s2")
	person := memory.Caller{Agent: "person:keeper"}
	if _, err := w.svc.Allow(w.ctx, person, "scout", "scout", true); testigo.CodeOf(err) != testigo.CodeInvalid {
		t.Errorf("S8: %v", err)
	}
	w.send(a, handoff.SendParams{To: "worker"})
	if _, err := w.svc.Allow(w.ctx, person, "scout", "worker", false); err != nil {
		t.Fatal(err)
	}
	_, err := w.svc.Send(w.ctx, a, handoff.SendParams{To: "worker", Message: "x"})
	wantCode(t, err, testigo.CodeForbidden, "")
	w.send(b, handoff.SendParams{To: "scout"}) // the other direction has no rule
	if err := w.svc.SetConnections(w.ctx, person, "explicit"); err != nil {
		t.Fatal(err)
	}
	_, err = w.svc.Send(w.ctx, b, handoff.SendParams{To: "scout", Message: "x"})
	wantCode(t, err, testigo.CodeForbidden, "")
	if _, err := w.svc.Allow(w.ctx, person, "worker", "scout", true); err != nil {
		t.Fatal(err)
	}
	w.send(b, handoff.SendParams{To: "scout"})
	if err := w.svc.SetConnections(w.ctx, person, "half"); testigo.CodeOf(err) != testigo.CodeInvalid {
		t.Errorf("%v", err)
	}
	if _, err := w.svc.Allow(w.ctx, person, "nobody", "scout", true); testigo.CodeOf(err) != testigo.CodeNotFound {
		t.Errorf("%v", err)
	}
}

// S15, M22, D17: a key belongs to its sender and covers everything that was asked.
func TestSendKeyS15(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s1"), w.agent("other", "s2")
	w.agent("worker", "s3")
	first := w.send(a, handoff.SendParams{To: "worker", Key: "k"})
	again := w.send(a, handoff.SendParams{To: "worker", Key: "k"})
	if !again.AlreadySent || again.MessageID != first.MessageID {
		t.Errorf("%+v", again)
	}
	for name, p := range map[string]handoff.SendParams{
		"body": {To: "worker", Message: "other", Key: "k"}, "recipient": {To: "other", Message: "a message", Key: "k"},
		"title": {To: "worker", Message: "a message", Title: "t", Key: "k"}, "intent": {To: "worker", Message: "a message", Notification: true, Key: "k"},
	} {
		_, err := w.svc.Send(w.ctx, a, p)
		if testigo.CodeOf(err) != testigo.CodeConflict {
			t.Errorf("%s: %v", name, err)
		}
	}
	if res := w.send(b, handoff.SendParams{To: "worker", Key: "k"}); res.AlreadySent || res.MessageID == first.MessageID {
		t.Errorf("another sender's key is its own: %+v", res)
	}
}

// S16: only the recipient marks a message read, once; its sender and a person look without a trace on it.
func TestReadMarksS16(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b, spy := w.agent("scout", "s1"), w.agent("worker", "s2"), w.agent("spy", "s3")
	m := w.send(a, handoff.SendParams{To: "worker", Message: "line one\nline two"})
	if res := w.read(a, m.MessageID); res.MarkedRead || res.Read || res.Body != "line one\nline two" {
		t.Errorf("%+v", res)
	}
	if res := w.read(memory.Caller{Agent: "person:keeper"}, m.MessageID); res.MarkedRead || res.Read {
		t.Errorf("%+v", res)
	}
	_, err := w.svc.ReadMessage(w.ctx, spy, handoff.ReadParams{ID: m.MessageID})
	wantCode(t, err, testigo.CodeNotFound, "id")
	if in := w.inbox(b, handoff.InboxParams{}); in.Unread != 1 || in.Messages[0].Preview != "line one line two" {
		t.Fatalf("%+v", in)
	}
	if res := w.read(b, m.MessageID[:9]); !res.MarkedRead || res.State != testigo.Closed || res.Receipt != testigo.StageAccepted {
		t.Errorf("%+v", res)
	}
	if res := w.read(b, m.MessageID); res.MarkedRead || !res.Read {
		t.Errorf("%+v", res)
	}
	if in := w.inbox(b, handoff.InboxParams{}); in.Unread != 0 || len(in.Messages) != 0 {
		t.Errorf("%+v", in)
	}
	if in := w.inbox(b, handoff.InboxParams{All: true}); len(in.Messages) != 1 {
		t.Errorf("%+v", in)
	}
	st, err := w.svc.Status(w.ctx, memory.Caller{Agent: "person:keeper"}, handoff.StatusParams{ID: m.MessageID})
	if err != nil || len(st.History) != 3 || st.History[1].Kind != "looked_at" {
		t.Errorf("a person's look is logged: %+v %v", st, err)
	}
}

// E01, E08: an inbox of any size is paged without a gap, under the size of an answer.
func TestInboxPaging(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s1"), w.agent("worker", "s2")
	for range 60 {
		w.send(a, handoff.SendParams{To: "worker", Message: strings.Repeat("語\"", 5000), Title: strings.Repeat("t", 200)})
	}
	b.Budget = 7000
	for _, all := range []bool{false, true} {
		seen := map[string]bool{}
		for p := (handoff.InboxParams{All: all, Limit: 100}); ; {
			res := w.inbox(b, p)
			if out, _ := json.Marshal(res); len(out) > 8192 {
				t.Fatalf("an answer of %d bytes", len(out))
			}
			for _, m := range res.Messages {
				if seen[m.ID] {
					t.Fatalf("%s twice", m.ID)
				}
				seen[m.ID] = true
			}
			if p.Cursor = res.Cursor; p.Cursor == "" {
				break
			}
		}
		if len(seen) != 60 {
			t.Errorf("all=%v: saw %d of 60", all, len(seen))
		}
	}
	var got strings.Builder
	for p := (handoff.ReadParams{ID: w.inbox(b, handoff.InboxParams{}).Messages[0].ID}); ; {
		res, err := w.svc.ReadMessage(w.ctx, b, p)
		if err != nil {
			t.Fatal(err)
		}
		if out, _ := json.Marshal(res); len(out) > 8192 {
			t.Fatalf("an answer of %d bytes", len(out))
		}
		got.WriteString(res.Body)
		if p.Cursor = res.Cursor; p.Cursor == "" {
			break
		}
	}
	if got.String() != strings.Repeat("語\"", 5000) {
		t.Error("the parts do not make the whole body")
	}
}

// M37, M39: an overview of one's own, and who is known, without addresses.
func TestStatusAndPeersM37M39(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b, spy := w.agent("scout", "s1"), w.agent("worker", "s2"), w.agent("spy", "s3")
	w.send(a, handoff.SendParams{To: "worker", Title: "t"})
	for _, c := range []memory.Caller{a, b} {
		st, err := w.svc.Status(w.ctx, c, handoff.StatusParams{})
		if err != nil || len(st.Mine)+len(st.Orders) != 1 {
			t.Errorf("%s: %+v %v", c.Agent, st, err)
		}
	}
	st, err := w.svc.Status(w.ctx, spy, handoff.StatusParams{})
	if err != nil || len(st.Sent)+len(st.Mine)+len(st.Orders) != 0 {
		t.Errorf("%+v %v", st, err)
	}
	if _, err := w.svc.Allow(w.ctx, memory.Caller{Agent: "person:keeper"}, "spy", "worker", false); err != nil {
		t.Fatal(err)
	}
	peers, err := w.svc.Peers(w.ctx, spy)
	if err != nil || len(peers.Agents) != 3 {
		t.Fatalf("%+v %v", peers, err)
	}
	can := map[string]bool{}
	for _, p := range peers.Agents {
		can[p.ID] = p.CanSend
	}
	if can["spy"] || can["worker"] || !can["scout"] {
		t.Errorf("%v", can)
	}
}
