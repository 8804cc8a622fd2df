package mcp

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
)

// msg is a message, or what a tool of the set delivery says about one.
type msg struct {
	ID, From, To, Kind, State, Receipt, Title, Preview, Body, Cursor string
	MessageID, ReturnMessageID, Successor, NextStep, ReturnFor       string
	ReplyTo, Thread                                                  string
	Read, MarkedRead, Blocked, Accepted                              bool
	AlreadyAccepted                                                  bool `json:"already_accepted"`
	Notes                                                            []string
	Work                                                             *struct {
		ID, Title, State, DueAt string
		Overdue                 bool
		Round                   int
		Result                  *struct{ Summary, Evidence string }
		Closure                 *struct{ Outcome, Note string }
	}
	Pins []struct{ Name string }
}

// sent is what send_handoff answers.
type sent struct {
	MessageID, Kind, To, Receipt string
	AlreadySent                  bool
	Notes                        []string
}

// box is what inbox answers.
type box struct {
	Agent      string
	UnreadOnly bool
	Messages   []msg
	Unread     int
	Cursor     string
}

// status is what handoff_status answers.
type status struct {
	Message                   *msg
	History                   []struct{ Kind, Actor string }
	Agent                     string
	Sent, WorkForMe, WorkByMe []msg
	Delivery                  any
	DeliveryReason            string
}

// join is another agent at the same store, known by the time it returns.
func (p *peer) join(agent string, edits ...func(*Options)) *peer {
	p.Helper()
	q := start(p.T, p.store, p.clock, append(edits, as(agent))...)
	q.greet()
	q.alive()
	return q
}

// two are a scout and an executor who know each other.
func two(t *testing.T) (scout, executor *peer) {
	t.Helper()
	scout = fresh(t)
	scout.alive()
	return scout, scout.join("executor")
}

// order sends work to the executor and returns its id.
func (p *peer) order(more string) string {
	p.Helper()
	return into[sent](p, p.ok("send_handoff", `{"to":"executor","message":"Measure it.","title":"Measure"`+more+`}`)).MessageID
}

func id(id string) string { return fmt.Sprintf(`{"id":%q}`, id) }

func (p *peer) handoffs() *handoff.Service {
	return handoff.New(memory.New(p.store).WithClock(p.clock.Now))
}

func (p *peer) block(sender, recipient string) {
	p.Helper()
	if _, err := p.handoffs().Allow(p.Context(), memory.Caller{Agent: "person:test"}, sender, recipient, false); err != nil {
		p.Fatal(err)
	}
}

// M12: the sender of a message is the server's identity.
func TestM12SenderIsTheServersIdentity(t *testing.T) {
	t.Parallel()
	p, q := two(t)
	post := into[sent](p, p.ok("send_handoff", `{"to":"executor","message":"m"}`))
	got := into[msg](q, q.ok("read_message", id(post.MessageID)))
	if got.From != "scout" || got.To != "executor" {
		t.Errorf("from %s to %s", got.From, got.To)
	}
}

// M13: an argument that would set an identity is refused with a word of its own, by every tool, and nothing is sent.
func TestM13IdentityArgumentsAreRefused(t *testing.T) {
	t.Parallel()
	p, q := two(t)
	before := p.print()
	for _, tool := range []string{"send_handoff", "inbox", "read_message", "accept_work", "return_work", "close_work", "handoff_status", "list_agents"} {
		for _, name := range []string{"from", "sender", "as", "as_agent", "agent", "agent_id", "from_agent", "identity", "me", "author", "session", "From"} {
			r := p.refused(testigo.CodeInvalid, tool, with(tool, name, `"executor"`))
			if r.Error.Field != name || !strings.Contains(r.Error.Message, "fixed by the server, and you are scout") {
				t.Errorf("%s %s: %s", tool, name, r.Text)
			}
		}
	}
	if p.print() != before || into[box](q, q.ok("inbox", `{"unread_only":false}`)).Messages == nil || len(into[box](q, q.ok("inbox", `{}`)).Messages) > 0 {
		t.Error("something was sent")
	}
}

// M14: nobody accepts, returns or closes for others.
func TestM14NobodyActsForOthers(t *testing.T) {
	t.Parallel()
	p, q := two(t)
	work := p.order("")
	before := p.print()
	p.refused(testigo.CodeForbidden, "accept_work", id(work))
	p.refused(testigo.CodeForbidden, "return_work", fmt.Sprintf(`{"id":%q,"summary":"s"}`, work))
	q.refused(testigo.CodeForbidden, "close_work", fmt.Sprintf(`{"id":%q,"outcome":"accepted"}`, work))
	if p.print() != before {
		t.Error("something was written")
	}
}

// M15: what belongs to others looks exactly like what does not exist, and is not marked read by the attempt.
func TestM15ForeignLooksLikeUnknown(t *testing.T) {
	t.Parallel()
	p, q := two(t)
	third := p.join("third")
	work := p.order("")
	for tool, args := range map[string]string{
		"read_message": `{"id":"ID"}`, "accept_work": `{"id":"ID"}`, "return_work": `{"id":"ID","summary":"s"}`,
		"close_work": `{"id":"ID","outcome":"accepted"}`, "handoff_status": `{"id":"ID"}`,
		"send_handoff": `{"to":"executor","message":"m","reply_to":"ID"}`,
	} {
		foreign := third.refused(testigo.CodeNotFound, tool, strings.ReplaceAll(args, "ID", work))
		unknown := third.refused(testigo.CodeNotFound, tool, strings.ReplaceAll(args, "ID", "h_00000000"))
		if a, b := strings.ReplaceAll(foreign.Text, work, "ID"), strings.ReplaceAll(unknown.Text, "h_00000000", "ID"); a != b {
			t.Errorf("%s tells them apart:\n%s\n%s", tool, a, b)
		}
	}
	if got := into[box](q, q.ok("inbox", `{}`)); len(got.Messages) != 1 || got.Messages[0].Read || got.Messages[0].State != "open" {
		t.Errorf("it was touched: %+v", got)
	}
}

// M16: a server does not start for a part of Testigo, nor for what is no name.
func TestM16ServiceIdsCannotStart(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{"service:delivery", "service:deadline", "service:router", "service:", "", "a b", "-a", "ä", "a\n", strings.Repeat("x", 201)} {
		opened := false
		err := Serve(t.Context(), Options{In: strings.NewReader(""), Out: &strings.Builder{}, Agent: agent, Open: func(ctx context.Context) (testigo.Store, error) {
			opened = true
			return openMemory(ctx)
		}})
		if testigo.CodeOf(err) != testigo.CodeInvalid || opened {
			t.Errorf("%q: %v, opened %v", agent, err, opened)
		}
	}
}

// M18: a plain message is stored, and its sender learns what becomes of it.
func TestM18PlainSend(t *testing.T) {
	t.Parallel()
	p, q := two(t)
	r := p.ok("send_handoff", `{"to":"executor","message":"Hello,\nworld.","refs":[],"next_steps":["a"],"open_questions":["b"]}`)
	got := into[sent](p, r)
	if got.MessageID == "" || got.To != "executor" || got.Kind != "message" || got.Receipt != "stored" || len(got.Notes) != 1 || !strings.Contains(r.Text, `"work":false`) {
		t.Errorf("got %s", r.Text)
	}
	if r.Text != string(r.Structured) {
		t.Errorf("text and structure differ: %s", r.Structured)
	}
	if m := into[msg](q, q.ok("read_message", id(got.MessageID))); m.Body != "Hello,\nworld." || m.Work != nil {
		t.Errorf("it arrived as %+v", m)
	}
}

// M19: a title makes it work, which may be due.
func TestM19WorkWithADeadline(t *testing.T) {
	t.Parallel()
	p, q := two(t)
	r := p.ok("send_handoff", `{"to":"executor","message":"m","title":"Measure","due_minutes":90}`)
	if !strings.Contains(r.Text, `"work":true`) || !strings.Contains(r.Text, `"dueAt":"2026-03-01T13:30:00Z"`) || !strings.Contains(r.Text, `"title":"Measure"`) {
		t.Errorf("got %s", r.Text)
	}
	m := into[msg](q, q.ok("read_message", id(into[sent](p, r).MessageID)))
	if m.Kind != "work" || m.Work == nil || m.Work.State != "open" || m.Work.DueAt != "2026-03-01T13:30:00Z" || m.Work.Overdue || !strings.Contains(m.NextStep, "accept_work") {
		t.Errorf("it arrived as %+v", m)
	}
}

// M20: only work is due.
func TestM20DeadlineNeedsATitle(t *testing.T) {
	t.Parallel()
	p, _ := two(t)
	before := p.print()
	r := p.refused(testigo.CodeInvalid, "send_handoff", `{"to":"executor","message":"m","due_minutes":30}`)
	if r.Error.Field != "due_minutes" || !strings.Contains(r.Error.Message+r.Error.Next, "title") || p.print() != before {
		t.Errorf("got %s", r.Text)
	}
}

// M21: oneself, a name in other letters, a stranger, a blocked connection, a part of Testigo: each refusal says what to
// do, and nothing is written.
func TestM21RecipientsThatAreRefused(t *testing.T) {
	t.Parallel()
	p, _ := two(t)
	p.join("third")
	p.block("scout", "third")
	before := p.print()
	for _, c := range []struct {
		to   string
		code testigo.Code
		says string
	}{
		{"scout", testigo.CodeRefused, "handoff"},
		{"Executor", testigo.CodeNotFound, "executor"},
		{"executr", testigo.CodeNotFound, "executor"},
		{"zzz-nobody", testigo.CodeNotFound, "list_agents"},
		{"third", testigo.CodeForbidden, "person"},
		{"service:delivery", testigo.CodeInvalid, ""},
		{"a b", testigo.CodeInvalid, ""},
	} {
		r := p.refused(c.code, "send_handoff", fmt.Sprintf(`{"to":%q,"message":"m"}`, c.to))
		if !strings.Contains(r.Error.Next, c.says) {
			t.Errorf("%s: next is %q", c.to, r.Error.Next)
		}
		if c.code != testigo.CodeRefused && c.code != testigo.CodeForbidden && r.Error.Field != "to" {
			t.Errorf("%s: it blames %q", c.to, r.Error.Field)
		}
	}
	if p.print() != before {
		t.Error("something was written")
	}
}

// M22: a key belongs to its sender and to everything that was sent; the same again is told so, and anything else under
// it is a conflict.
func TestM22KeyScope(t *testing.T) {
	t.Parallel()
	p, q := two(t)
	third := p.join("third")
	const call = `{"to":"third","message":"m","title":"t","due_minutes":60,"key":"k"}`
	a := into[sent](p, p.ok("send_handoff", call))
	p.clock.Advance(3600e9)
	again := into[sent](p, p.ok("send_handoff", call, `{"callId":"other"}`))
	if a.AlreadySent || !again.AlreadySent || a.MessageID != again.MessageID {
		t.Errorf("%+v and %+v", a, again)
	}
	if b := into[sent](q, q.ok("send_handoff", call)); b.AlreadySent || b.MessageID == a.MessageID {
		t.Error("a key of another sender was taken for this one's")
	}
	before := p.print()
	for _, other := range []string{
		`{"to":"third","message":"other","title":"t","due_minutes":60,"key":"k"}`,
		`{"to":"executor","message":"m","title":"t","due_minutes":60,"key":"k"}`,
		`{"to":"third","message":"m","title":"u","due_minutes":60,"key":"k"}`,
		`{"to":"third","message":"m","title":"t","due_minutes":61,"key":"k"}`,
		`{"to":"third","message":"m","key":"k"}`,
	} {
		if r := p.refused(testigo.CodeConflict, "send_handoff", other); r.Error.Field != "key" {
			t.Errorf("it blames %q", r.Error.Field)
		}
	}
	p.refused(testigo.CodeConflict, "remember", `{"scope":"a","key":"b","value":1,"request_key":"k"}`)
	if p.print() != before {
		t.Error("something was written")
	}
	if n := len(into[box](third, third.ok("inbox", `{}`)).Messages); n != 2 {
		t.Errorf("%d messages arrived", n)
	}
}

// M22: a host that sends a call again with its own id of it sends one message.
func TestM22TheHostsIDIsAKey(t *testing.T) {
	t.Parallel()
	p, q := two(t)
	for range 2 {
		p.ok("send_handoff", `{"to":"executor","message":"m"}`, `{"claudecode/toolUseId":"toolu_1"}`)
	}
	p.ok("send_handoff", `{"to":"executor","message":"m"}`, `{"claudecode/toolUseId":"toolu_2"}`)
	if n := len(into[box](q, q.ok("inbox", `{}`)).Messages); n != 2 {
		t.Errorf("%d messages arrived", n)
	}
}
