package handoff_test

import (
	"strings"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
)

func pinNames(pins []handoff.PinRef) []string {
	out := []string{}
	for _, p := range pins {
		out = append(out, testigo.Name{Scope: p.Name[:strings.LastIndex(p.Name, "/")], Key: p.Name[strings.LastIndex(p.Name, "/")+1:]}.Ref(p.Version))
	}
	return out
}

// Without refs everything the session touched is pinned, at the version it last saw.
func TestPinsWhatTheSessionTouched(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s1"), w.agent("executor", "s2")
	w.remember(a, "x/one", `1`)
	w.remember(b, "x/two", `1`)
	if _, err := w.mem.Recall(w.ctx, a, memory.RecallParams{Key: "x/two"}); err != nil {
		t.Fatal(err)
	}
	w.remember(b, "x/two", `2`) // a saw v1
	w.remember(b, "x/three", `"list hit"`)
	if _, err := w.mem.Recall(w.ctx, a, memory.RecallParams{Query: "list hit"}); err != nil {
		t.Fatal(err)
	}
	res := w.handoff(a, handoff.Params{ToAgent: "executor"})
	if got := strings.Join(pinNames(res.Pins), " "); got != "x/one@1 x/two@1" {
		t.Errorf("pinned %s", got)
	}
	if len(res.Notes) == 0 || !strings.Contains(res.Notes[0], "everything this session touched is pinned (2)") {
		t.Errorf("notes %v", res.Notes)
	}
	none := w.handoff(memory.Caller{Agent: "person:keeper"}, handoff.Params{})
	if len(none.Pins) != 0 || !strings.Contains(strings.Join(none.Notes, " "), "nothing is pinned") {
		t.Errorf("without a session: %+v", none)
	}
	empty := w.handoff(a, handoff.Params{Title: "no pins", Refs: []testigo.Ref{}})
	if len(empty.Pins) != 0 {
		t.Errorf("an empty list of refs pins nothing: %v", empty.Pins)
	}
}

func TestRefs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.agent("scout", "s1"), w.agent("other", "s2")
	w.remember(a, "x/one", `1`)
	w.remember(b, "x/one", `2`)
	w.remember(b, "x/two", `1`)
	res := w.handoff(a, handoff.Params{Refs: refs(t, "x/one", "x/two", "x/one@2")})
	if got := strings.Join(pinNames(res.Pins), " "); got != "x/one@1 x/two@1" {
		t.Errorf("a ref without version means what this session last saw: %s", got)
	}
	_, err := w.svc.Handoff(w.ctx, a, handoff.Params{Title: "t", Summary: "s", Refs: refs(t, "x/twoo")})
	if e := wantCode(t, err, testigo.CodeNotFound, "refs"); !strings.Contains(e.Error(), "x/two") {
		t.Errorf("%v", e)
	}
	_, err = w.svc.Handoff(w.ctx, a, handoff.Params{Title: "t", Summary: "s", Refs: refs(t, "x/two@9")})
	wantCode(t, err, testigo.CodeNotFound, "refs")
}

// D02: a recipient nobody has seen is an error with the nearest names, and nothing is queued unless it is allowed.
func TestUnknownRecipientD02(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout", "s1")
	w.agent("executor", "s2")
	_, err := w.svc.Handoff(w.ctx, a, handoff.Params{Title: "t", Summary: "s", ToAgent: "Executor"})
	if e := wantCode(t, err, testigo.CodeNotFound, "to_agent"); !strings.Contains(e.Next, "executor") {
		t.Errorf("next: %s", e.Next)
	}
	if res := w.resume(a, handoff.ResumeParams{Peek: true}); res.Waiting+res.Others != 0 {
		t.Errorf("something was queued: %+v", res)
	}
	res := w.handoff(a, handoff.Params{ToAgent: "later", AllowUnknown: true})
	if res.To.Known || res.To.CanWake {
		t.Errorf("%+v", res.To)
	}
}

// D07: the sender is told how long the recipient has been away.
func TestAbsentRecipientD07(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout", "s1")
	w.agent("executor", "s2")
	w.now = w.now.Add(4 * 24 * time.Hour)
	res := w.handoff(a, handoff.Params{ToAgent: "executor"})
	if !res.To.Known || res.To.Age != "4 d ago" || res.To.CanWake {
		t.Errorf("%+v", res.To)
	}
}

// T03, D17: an equal packet in one session, and a request key, answer the first.
func TestRepeatsT03D17(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, other := w.agent("scout", "s1"), w.agent("scout", "s9")
	first := w.handoff(a, handoff.Params{})
	w.now = w.now.Add(9 * time.Minute)
	if again := w.handoff(a, handoff.Params{}); !again.Repeated || again.ID != first.ID {
		t.Errorf("%+v", again)
	}
	if s := w.handoff(other, handoff.Params{}); s.ID == first.ID {
		t.Error("another session's equal packet is its own")
	}
	if s := w.handoff(a, handoff.Params{AllowRepeat: true}); s.ID == first.ID {
		t.Error("allow_repeat writes another")
	}
	w.now = w.now.Add(11 * time.Minute)
	if s := w.handoff(a, handoff.Params{}); s.Repeated {
		t.Error("after ten minutes it is a new packet")
	}
	k1 := w.handoff(a, handoff.Params{Title: "keyed", RequestKey: "k"})
	w.now = w.now.Add(time.Hour)
	if k2 := w.handoff(a, handoff.Params{Title: "keyed", RequestKey: "k"}); !k2.Repeated || k2.ID != k1.ID {
		t.Errorf("%+v", k2)
	}
	_, err := w.svc.Handoff(w.ctx, a, handoff.Params{Title: "other", Summary: "s", RequestKey: "k"})
	wantCode(t, err, testigo.CodeConflict, "")
}

func TestHandoffBadInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout", "s1")
	long := strings.Repeat("x", 2001)
	for name, tc := range map[string]struct {
		field  string
		change func(*handoff.Params)
	}{
		"no title":       {"title", func(p *handoff.Params) { p.Title = " " }},
		"title lines":    {"title", func(p *handoff.Params) { p.Title = "a\nb" }},
		"title long":     {"title", func(p *handoff.Params) { p.Title = strings.Repeat("x", 201) }},
		"no summary":     {"summary", func(p *handoff.Params) { p.Summary = "" }},
		"summary NUL":    {"summary", func(p *handoff.Params) { p.Summary = "a\x00" }},
		"summary bidi":   {"summary", func(p *handoff.Params) { p.Summary = "a\u202eb" }},
		"summary bytes":  {"summary", func(p *handoff.Params) { p.Summary = "\xff" }},
		"summary long":   {"summary", func(p *handoff.Params) { p.Summary = strings.Repeat("x", 20_001) }},
		"step empty":     {"next_steps[1]", func(p *handoff.Params) { p.NextSteps = []string{"a", ""} }},
		"step long":      {"next_steps[0]", func(p *handoff.Params) { p.NextSteps = []string{long} }},
		"questions":      {"open_questions", func(p *handoff.Params) { p.OpenQuestions = make([]string, 51) }},
		"tried":          {"tried[0]", func(p *handoff.Params) { p.Tried = []string{"\x1b[31m"} }},
		"agent name":     {"to_agent", func(p *handoff.Params) { p.ToAgent = "a b" }},
		"service":        {"to_agent", func(p *handoff.Params) { p.ToAgent = "service:x" }},
		"expires text":   {"expires_at", func(p *handoff.Params) { p.ExpiresAt = "soon" }},
		"expires past":   {"expires_at", func(p *handoff.Params) { p.ExpiresAt = "2020-01-01T00:00:00Z" }},
		"due negative":   {"due_minutes", func(p *handoff.Params) { p.DueMinutes = -1 }},
		"due far":        {"due_minutes", func(p *handoff.Params) { p.DueMinutes = 43_201 }},
		"notify":         {"notify", func(p *handoff.Params) { p.Notify = "loud" }},
		"key":            {"request_key", func(p *handoff.Params) { p.RequestKey = strings.Repeat("x", 201) }},
		"too many refs":  {"refs", func(p *handoff.Params) { p.Refs = make([]testigo.Ref, 201) }},
		"project hidden": {"project", func(p *handoff.Params) { p.Project = "a\x07" }},
	} {
		p := handoff.Params{Title: "t", Summary: "s"}
		tc.change(&p)
		_, err := w.svc.Handoff(w.ctx, a, p)
		if testigo.CodeOf(err) != testigo.CodeInvalid || testigo.AsError(err).Field != tc.field {
			t.Errorf("%s: %v", name, err)
		}
	}
	if res := w.resume(a, handoff.ResumeParams{Peek: true}); res.Waiting+res.Others != 0 {
		t.Errorf("refused packets left %+v", res)
	}
}

// X02: secrets in a packet are masked and counted.
func TestPacketSecretsX02(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout", "s1")
	secret := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	res := w.handoff(a, handoff.Params{Summary: "deploy with GITHUB_TOKEN=" + secret + " and then watch the dashboards until everything settles down"})
	if len(res.Redacted) == 0 {
		t.Fatal("nothing was masked")
	}
	got := w.resume(w.agent("b", "s2"), handoff.ResumeParams{})
	if strings.Contains(got.Packet.Summary, secret) || !strings.Contains(got.Packet.Summary, "[redacted:") {
		t.Errorf("%q", got.Packet.Summary)
	}
}
