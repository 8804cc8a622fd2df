package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/testigo/testigo"
)

// beats are turned by a test. A send comes back when the call that waits has taken it, so a second one means that the
// look of the first is over.
type beats struct {
	began   time.Time
	next    chan time.Time
	started chan time.Duration
	ended   chan struct{}
}

func newBeats() *beats {
	return &beats{time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC), make(chan time.Time), make(chan time.Duration, 10), make(chan struct{}, 10)}
}

func (b *beats) edit(o *Options) {
	o.pulse = func(every time.Duration) (time.Time, <-chan time.Time, func()) {
		b.started <- every
		return b.began, b.next, func() { b.ended <- struct{}{} }
	}
}

// at beats at a time after the start of the wait.
func (b *beats) at(t *testing.T, d time.Duration) {
	t.Helper()
	select {
	case b.next <- b.began.Add(d):
	case <-time.After(patience):
		t.Fatal("nobody waits")
	}
}

// last beats once more for a wait that has its news, unless the beat before was late enough to see it; the wait then ends.
func (b *beats) last(t *testing.T, d time.Duration) {
	t.Helper()
	limit := time.After(patience)
	select {
	case <-b.ended:
		return
	case b.next <- b.began.Add(d):
	case <-limit:
		t.Fatal("nobody waits")
	}
	select {
	case <-b.ended:
	case <-limit:
		t.Fatal("it waits on")
	}
}

func (b *beats) running(t *testing.T) {
	t.Helper()
	select {
	case every := <-b.started:
		if every != pollEvery {
			t.Errorf("it looks every %v", every)
		}
	case <-time.After(patience):
		t.Fatal("the call does not wait")
	}
}

// begin sends a call and does not read its answer.
func (p *peer) begin(tool, args, meta string) int {
	p.Helper()
	p.id++
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":%s}}`, p.id, tool, args, meta))
	return p.id
}

// waiting are an executor whose waits a test turns, and the scout who writes to it.
func waiting(t *testing.T) (p, q *peer, b *beats) {
	t.Helper()
	p = fresh(t)
	b = newBeats()
	return p, p.join("executor", b.edit), b
}

// An inbox that is waited for answers as soon as something unread is there; at once when something was there before.
func TestWaitInboxEndsWithTheFirstMessage(t *testing.T) {
	t.Parallel()
	p, q, b := waiting(t)
	q.begin("inbox", `{"wait_seconds":50}`, `{}`)
	b.running(t)
	b.at(t, 250*time.Millisecond)
	p.ok("send_handoff", `{"to":"executor","message":"m"}`)
	b.last(t, 500*time.Millisecond)
	if got := into[box](q, q.result()); got.Unread != 1 || len(got.Messages) != 1 {
		t.Errorf("got %+v", got)
	}
	q.ok("inbox", `{"wait_seconds":50}`)
	q.ok("inbox", `{"wait_seconds":50,"unread_only":false}`)
	if len(b.started) > 0 {
		t.Error("it waited though there was something unread")
	}
}

// Without news the answer comes when the time is over, and is a good one; not before. A client that asked for it is told
// every ten seconds that the call still waits.
func TestWaitEndsWithItsTime(t *testing.T) {
	t.Parallel()
	for _, token := range []string{`"t-1"`, `17`} {
		_, q, b := waiting(t)
		q.begin("inbox", `{"wait_seconds":25}`, `{"progressToken":`+token+`}`)
		b.running(t)
		for d := pollEvery; d <= 25*time.Second; d += pollEvery {
			b.at(t, d)
		}
		for _, want := range []string{`"progress":10,`, `"progress":20,`} {
			if got := q.receive(); !strings.Contains(got, `"method":"notifications/progress"`) || !strings.Contains(got, want) ||
				!strings.Contains(got, `"progressToken":`+token) || !strings.Contains(got, `"total":25`) {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		if got := into[box](q, q.result()); got.Unread != 0 || got.Messages == nil {
			t.Errorf("got %+v", got)
		}
	}
}

// Who did not ask for progress hears nothing of it, and odd tokens are not believed.
func TestWaitWithoutProgress(t *testing.T) {
	t.Parallel()
	for _, meta := range []string{`{}`, `{"progressToken":null}`, `{"progressToken":{"a":1}}`, `{"progressToken":true}`} {
		_, q, b := waiting(t)
		q.begin("inbox", `{"wait_seconds":30}`, meta)
		b.running(t)
		for _, d := range []time.Duration{10 * time.Second, 20 * time.Second, 30 * time.Second} {
			b.at(t, d)
		}
		if r := q.result(); r.IsError {
			t.Errorf("%s: got %s", meta, r.Text)
		}
	}
}

// A stateless client is told in the same way.
func TestWaitProgressOfAStatelessClient(t *testing.T) {
	t.Parallel()
	p := fresh(t)
	b := newBeats()
	q := start(t, p.store, p.clock, as("executor"), b.edit)
	line := modern(1, "tools/call", `"name":"inbox","arguments":{"wait_seconds":12}`)
	q.send(strings.Replace(line, `"_meta":{`, `"_meta":{"progressToken":"t",`, 1))
	b.running(t)
	b.at(t, 10*time.Second)
	b.at(t, 12*time.Second)
	if got := q.receive(); !strings.Contains(got, `notifications/progress`) {
		t.Errorf("got %s", got)
	}
	if got := q.receive(); !strings.Contains(got, `"id":1,"result"`) {
		t.Errorf("got %s", got)
	}
}

// A handoff that is waited for answers when it has moved on: read, accepted, returned. What has ended, and what is the
// asking agent's own turn, is not waited for.
func TestWaitStatusEndsWithAChange(t *testing.T) {
	t.Parallel()
	p := fresh(t)
	b := newBeats()
	q := p.join("executor")
	s := p.join("sender", b.edit)
	work := into[sent](s, s.ok("send_handoff", `{"to":"executor","message":"m","title":"t"}`)).MessageID
	wait := fmt.Sprintf(`{"id":%q,"wait_seconds":50}`, work)
	for _, step := range []struct {
		tool, args, event string
	}{
		{"read_message", id(work), "read"},
		{"accept_work", id(work), "claimed"},
		{"return_work", fmt.Sprintf(`{"id":%q,"summary":"s"}`, work), "returned"},
	} {
		s.begin("handoff_status", wait, `{}`)
		b.running(t)
		b.at(t, pollEvery)
		q.ok(step.tool, step.args)
		b.last(t, 2*pollEvery)
		got := into[status](s, s.result())
		if n := len(got.History); n == 0 || got.History[n-1].Kind != step.event {
			t.Errorf("after %s: %+v", step.tool, got.History)
		}
	}
	s.ok("handoff_status", wait) // returned: it is the sender's turn
	s.ok("close_work", fmt.Sprintf(`{"id":%q,"outcome":"accepted"}`, work))
	s.ok("handoff_status", wait)
	s.refused(testigo.CodeNotFound, "handoff_status", `{"id":"h_00000000","wait_seconds":50}`)
	if len(b.started) > 0 {
		t.Error("it waited for what cannot come")
	}
}

// A call that waits holds up no other, of the same session or another one, and reading only looks.
func TestWaitHoldsUpNobody(t *testing.T) {
	t.Parallel()
	p, q, b := waiting(t)
	waits := q.begin("inbox", `{"wait_seconds":50}`, `{}`)
	b.running(t)
	q.ok("remember", `{"scope":"a","key":"b","value":1}`)
	q.ok("recall", `{}`, `{"threadId":"other"}`)
	b.at(t, pollEvery)
	q.ok("send_handoff", `{"to":"scout","message":"m"}`)
	q.ok("inbox", `{}`)
	before := p.print()
	b.at(t, 2*pollEvery)
	b.at(t, 3*pollEvery)
	if p.print() != before {
		t.Error("waiting wrote something")
	}
	b.at(t, 50*time.Second)
	var last struct{ ID int }
	if err := json.Unmarshal([]byte(q.receive()), &last); err != nil || last.ID != waits {
		t.Errorf("the answer of %d is %+v (%v)", waits, last, err)
	}
}

// A wait ends at once when its client takes it back, and the session goes on.
func TestWaitEndsWhenCancelled(t *testing.T) {
	t.Parallel()
	_, q, b := waiting(t)
	waits := q.begin("inbox", `{"wait_seconds":50}`, `{}`)
	b.running(t)
	q.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, waits))
	<-b.ended
	if r := q.result(); !r.IsError || !strings.Contains(r.Error.Message, "given up") {
		t.Errorf("got %s", r.Text)
	}
	q.alive()
}

// A wait ends at once with the session, whichever way that ends: its client still gets an answer at the end of input.
func TestWaitEndsWithTheSession(t *testing.T) {
	t.Parallel()
	dead := make(chan struct{})
	for how, end := range map[string]func(*peer){
		"end of input": func(q *peer) { q.in.Close() }, "parent": func(*peer) { close(dead) },
	} {
		p := fresh(t)
		b := newBeats()
		q := p.join("executor", b.edit, func(o *Options) {
			if how == "parent" {
				o.ParentDead = dead
			}
		})
		q.begin("inbox", `{"wait_seconds":50}`, `{}`)
		b.running(t)
		began := time.Now()
		end(q)
		<-b.ended
		q.ended()
		if d := time.Since(began); d > 800*time.Millisecond {
			t.Errorf("%s: it took %v", how, d)
		}
		if how != "end of input" {
			continue
		}
		if r := q.result(); r.IsError || into[box](q, r).Messages == nil {
			t.Errorf("got %s", r.Text)
		}
	}
}

// The beats of a server that runs come from the clock.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	before := time.Now()
	began, beats, stop := heartbeat(time.Millisecond)
	defer stop()
	if at := <-beats; began.Before(before) || at.Before(began) {
		t.Errorf("began %v, beat %v", began, at)
	}
}
