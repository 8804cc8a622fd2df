package mcp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/storetest/memstore"
)

// M24: missing, of the wrong type, empty, a boolean for a number, a fraction, out of range, not of the choice, unknown,
// not an object: each refusal names the argument, and nothing is written. (TestE05EveryArgumentTimesEveryBadInput walks
// all arguments of all tools.)
func TestM24BadArguments(t *testing.T) {
	t.Parallel()
	p, _ := two(t)
	work := p.order("")
	before := p.print()
	for _, c := range []struct{ tool, args, field, says string }{
		{"send_handoff", `{"message":"m"}`, "to", "required"},
		{"send_handoff", `{"to":"executor"}`, "message", "required"},
		{"send_handoff", `{"to":7,"message":"m"}`, "to", "string"},
		{"send_handoff", `{"to":"executor","message":["m"]}`, "message", "string"},
		{"send_handoff", `{"to":"executor","message":" \n "}`, "message", "empty"},
		{"send_handoff", `{"to":"executor","message":"m","title":""}`, "title", "empty"},
		{"send_handoff", `{"to":"executor","message":"m","title":"` + strings.Repeat("t", 201) + `"}`, "title", "at most 200"},
		{"send_handoff", `{"to":"executor","message":"` + strings.Repeat("m", 200_001) + `"}`, "message", "at most 200000"},
		{"send_handoff", `{"to":"executor","message":"m","title":"t","due_minutes":true}`, "due_minutes", "number"},
		{"send_handoff", `{"to":"executor","message":"m","title":"t","due_minutes":1.5}`, "due_minutes", "whole"},
		{"send_handoff", `{"to":"executor","message":"m","title":"t","due_minutes":0}`, "due_minutes", "between 1 and 43200"},
		{"send_handoff", `{"to":"executor","message":"m","title":"t","due_minutes":43201}`, "due_minutes", "between 1 and 43200"},
		{"send_handoff", `{"to":"executor","message":"m","key":"` + strings.Repeat("k", 201) + `"}`, "key", "at most 200"},
		{"inbox", `{"unread_only":"yes"}`, "unread_only", "true or false"},
		{"inbox", `{"limit":101}`, "limit", "between 1 and 100"},
		{"inbox", `{"wait_seconds":51}`, "wait_seconds", "between 0 and 50"},
		{"inbox", `{"cursor":"soon"}`, "cursor", "inbox"},
		{"inbox", `{"all":true}`, "all", "not an argument"},
		{"read_message", `{}`, "id", "required"},
		{"read_message", `{"id":"h_1 h_2"}`, "id", "id"},
		{"return_work", id(work), "summary", "required"},
		{"return_work", fmt.Sprintf(`{"id":%q,"summary":"%s"}`, work, strings.Repeat("s", 20_001)), "summary", "at most 20000"},
		{"return_work", fmt.Sprintf(`{"id":%q,"summary":"s","blocked":1}`, work), "blocked", "true or false"},
		{"return_work", fmt.Sprintf(`{"id":%q,"summary":"s","claims":[{"how":"stated"}]}`, work), "claims[0].claim", "required"},
		{"return_work", fmt.Sprintf(`{"id":%q,"summary":"s","claims":[{"claim":"c","how":"felt"}]}`, work), "claims[0].how", "one of"},
		{"return_work", fmt.Sprintf(`{"id":%q,"summary":"s","claims":[{"claim":"c","how":"command"}]}`, work), "claims[0].ref", "required"},
		{"return_work", fmt.Sprintf(`{"id":%q,"summary":"s","claims":[{"claim":"c","exit_code":0.5}]}`, work), "claims[0].exit_code", "whole"},
		{"return_work", fmt.Sprintf(`{"id":%q,"summary":"s","claims":[{"claim":"c","by":"me"}]}`, work), "claims[0]", "unknown member"},
		{"close_work", id(work), "outcome", "required"},
		{"close_work", fmt.Sprintf(`{"id":%q,"outcome":"done"}`, work), "outcome", "accepted, revision, blocked"},
		{"close_work", fmt.Sprintf(`{"id":%q,"outcome":"revision"}`, work), "note", "required"},
		{"close_work", fmt.Sprintf(`{"id":%q,"outcome":"accepted","note":"%s"}`, work, strings.Repeat("n", 1_001)), "note", "at most 1000"},
		{"handoff_status", `{"wait_seconds":5}`, "wait_seconds", "needs an id"},
		{"list_agents", `{"limit":5}`, "limit", "not an argument"},
		{"list_agents", `[]`, "arguments", "object"},
		{"inbox", `"all"`, "arguments", "object"},
	} {
		r := p.refused(testigo.CodeInvalid, c.tool, c.args)
		if r.Error.Field != c.field || !strings.Contains(r.Error.Message, c.says) || r.Error.Next == "" {
			t.Errorf("%s %.80s: got %s", c.tool, c.args, r.Text)
		}
	}
	if p.print() != before {
		t.Error("something was written")
	}
}

// M25: a whole number may be written with a fraction of nothing, null is as good as absent, and names and ids may stand
// between spaces.
func TestM25WhatIsForgiven(t *testing.T) {
	t.Parallel()
	p, q := two(t)
	post := into[sent](p, p.ok("send_handoff", `{"to":" executor ","message":"m","title":"t","due_minutes":60.0,"key":null,"refs":null,"reply_to":null}`))
	work := `" ` + post.MessageID + ` "`
	q.ok("inbox", `{"unread_only":null,"limit":5e0,"cursor":null,"wait_seconds":null}`)
	q.ok("handoff_status", `{"id":`+work+`,"wait_seconds":0.0}`)
	q.ok("handoff_status", `{"id":null}`)
	q.ok("list_agents", `null`)
	q.ok("read_message", `{"id":`+work+`,"max_chars":10.0}`)
	q.ok("accept_work", `{"id":`+work+`}`)
	q.ok("return_work", `{"id":`+work+`,"summary":"s","evidence":null,"claims":[{"claim":"c","how":"command","ref":"go test","exit_code":2.0},{"claim":"d","how":null,"exit_code":null}]}`)
	r := p.ok("handoff_status", `{"id":`+work+`}`)
	if !strings.Contains(r.Text, `"exit_code":2}`) || !strings.Contains(r.Text, `{"claim":"d","how":"stated"}`) {
		t.Errorf("got %s", r.Text)
	}
	p.ok("close_work", `{"id":`+work+`,"outcome":"accepted","note":null}`)
}

// M26: a fault of ours is a tool error without its cause, and the session lives.
func TestM26InternalFailure(t *testing.T) {
	t.Parallel()
	for _, broken := range []testigo.Store{panicStore{memstore.New(memstore.Options{})}, failStore{memstore.New(memstore.Options{})}} {
		p := start(t, memstore.New(memstore.Options{}), nil, func(o *Options) {
			o.Open = func(ctx) (testigo.Store, error) { return broken, nil }
		})
		p.greet()
		for tool, args := range map[string]string{"inbox": `{"wait_seconds":5}`, "handoff_status": `{"id":"h_00000000","wait_seconds":5}`, "list_agents": `{}`, "accept_work": `{"id":"h_00000000"}`} {
			r := p.refused(testigo.CodeInternal, tool, args)
			if r.Error.Next == "" || strings.Contains(r.Text, "SELECT") || strings.Contains(r.Text, "SQL") || strings.Contains(r.Text, "goroutine") {
				t.Errorf("%s: %s", tool, r.Text)
			}
		}
		p.send(`{"jsonrpc":"2.0","id":"on","method":"ping"}`)
		if got := p.receive(); !strings.Contains(got, `"id":"on","result"`) {
			t.Error(got)
		}
	}
}

// M27: the inbox shows unread messages, oldest first, or all of them, newest first; listing marks nothing, and text and
// structure say the same.
func TestM27Inbox(t *testing.T) {
	t.Parallel()
	p, q := two(t)
	if r := q.ok("inbox", `{}`); !strings.Contains(r.Text, `"messages":[]`) || !strings.Contains(r.Text, `"unread":0`) {
		t.Errorf("an empty inbox is %s", r.Text)
	}
	var posted []string
	for i := range 5 {
		posted = append(posted, into[sent](p, p.ok("send_handoff", fmt.Sprintf(`{"to":"executor","message":"message %d"}`, i))).MessageID)
		p.clock.Advance(60e9)
	}
	r := q.ok("inbox", `{}`)
	got := into[box](q, r)
	if r.Text != string(r.Structured) || got.Agent != "executor" || !got.UnreadOnly || got.Unread != 5 || got.Cursor != "" {
		t.Errorf("got %s and %s", r.Text, r.Structured)
	}
	if ids := idsOf(got.Messages); !slices.Equal(ids, posted) || got.Messages[0].Preview != "message 0" || got.Messages[0].Read {
		t.Errorf("got %v", ids)
	}
	q.ok("read_message", id(posted[1]))
	if got := into[box](q, q.ok("inbox", `{}`)); got.Unread != 4 || slices.Contains(idsOf(got.Messages), posted[1]) {
		t.Errorf("after reading: %+v", got)
	}
	all := into[box](q, q.ok("inbox", `{"unread_only":false}`))
	backwards := slices.Clone(posted)
	slices.Reverse(backwards)
	if all.UnreadOnly || all.Unread != 4 || !slices.Equal(idsOf(all.Messages), backwards) || !all.Messages[3].Read || all.Messages[0].Read {
		t.Errorf("all: %+v", all)
	}
	for _, c := range []struct {
		flag string
		want []string
	}{{"true", []string{posted[0], posted[2], posted[3], posted[4]}}, {"false", backwards}} {
		if got := q.pages(fmt.Sprintf(`"unread_only":%s,"limit":2`, c.flag)); !slices.Equal(got, c.want) {
			t.Errorf("unread_only %s by pages: %v, want %v", c.flag, got, c.want)
		}
	}
	if got := into[box](p, p.ok("inbox", `{"unread_only":false}`)); len(got.Messages) != 0 {
		t.Errorf("the sender's inbox has %+v", got)
	}
}

func idsOf(list []msg) []string {
	var out []string
	for _, m := range list {
		out = append(out, m.ID)
	}
	return out
}

// pages reads an inbox to its end and returns the ids in order.
func (p *peer) pages(args string) []string {
	p.Helper()
	var out []string
	cursor := ""
	for range 300 {
		got := into[box](p, p.within(p.ok("inbox", `{`+args+cursor+`}`), "page of an inbox"))
		out = append(out, idsOf(got.Messages)...)
		if got.Cursor == "" {
			return out
		}
		cursor = fmt.Sprintf(`,"cursor":%q`, got.Cursor)
	}
	p.Fatal("the inbox has no end")
	return nil
}

// M28: the sender may look at what it sent, and that marks nothing read; the recipient's first look does, once.
func TestM28OnlyTheRecipientMarksRead(t *testing.T) {
	t.Parallel()
	p, q := two(t)
	post := into[sent](p, p.ok("send_handoff", `{"to":"executor","message":"m"}`)).MessageID
	if got := into[msg](p, p.ok("read_message", id(post))); got.MarkedRead || got.Read || got.Body != "m" {
		t.Errorf("the sender got %+v", got)
	}
	if got := into[msg](q, q.ok("read_message", id(post))); !got.MarkedRead || !got.Read {
		t.Errorf("the recipient got %+v", got)
	}
	if got := into[msg](q, q.ok("read_message", id(post))); got.MarkedRead || !got.Read {
		t.Errorf("the second time it got %+v", got)
	}
	if got := into[msg](p, p.ok("read_message", id(post))); !got.Read {
		t.Error("the sender does not see that it was read")
	}
}

// M29: what Testigo itself tells arrives as a notification in its own name.
func TestM29ServiceNotices(t *testing.T) {
	t.Parallel()
	p, q := two(t)
	work := p.order("")
	q.ok("accept_work", id(work))
	p.ok("close_work", fmt.Sprintf(`{"id":%q,"outcome":"blocked"}`, work))
	got := into[box](q, q.ok("inbox", `{}`))
	if len(got.Messages) != 1 || got.Messages[0].From != "service:delivery" || got.Messages[0].Kind != "notification" || !strings.Contains(got.Messages[0].Preview, work) {
		t.Errorf("got %+v", got.Messages)
	}
}
