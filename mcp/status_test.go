package mcp

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// M37: the overview lists what one sent and the open work in both directions, and nothing of others.
func TestM37Overview(t *testing.T) {
	t.Parallel()
	p, q := two(t)
	third := p.join("third")
	mine := p.order("")
	done := p.order("")
	p.ok("close_work", fmt.Sprintf(`{"id":%q,"outcome":"blocked"}`, done))
	plain := into[sent](p, p.ok("send_handoff", `{"to":"third","message":"m"}`)).MessageID
	theirs := into[sent](q, q.ok("send_handoff", `{"to":"scout","message":"m","title":"t"}`)).MessageID
	foreign := into[sent](third, third.ok("send_handoff", `{"to":"executor","message":"m","title":"t"}`)).MessageID
	r := p.ok("handoff_status", `{}`)
	got := into[status](p, r)
	if got.Agent != "scout" || got.Message != nil || strings.Contains(r.Text, foreign) {
		t.Errorf("got %s", r.Text)
	}
	for what, c := range map[string]struct{ got, want []string }{
		"sent": {idsOf(got.Sent), []string{plain, done, mine}}, "workByMe": {idsOf(got.WorkByMe), []string{mine}}, "workForMe": {idsOf(got.WorkForMe), []string{theirs}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s is %v, want %v", what, c.got, c.want)
		}
	}
}

// M38: work past its due time is flagged for both, until it is returned.
func TestM38Overdue(t *testing.T) {
	t.Parallel()
	p, q := two(t)
	work := p.order(`,"due_minutes":60`)
	flagged := func(want bool) {
		t.Helper()
		for _, r := range []*peer{p, q} {
			s := into[status](r, r.ok("handoff_status", id(work)))
			m := into[msg](r, r.ok("read_message", id(work)))
			if s.Message.Work.Overdue != want || m.Work.Overdue != want {
				t.Errorf("overdue is %v and %v, want %v", s.Message.Work.Overdue, m.Work.Overdue, want)
			}
		}
	}
	p.clock.Advance(time.Hour - time.Second)
	flagged(false)
	p.clock.Advance(time.Second)
	flagged(true)
	if got := into[box](q, q.ok("inbox", `{"unread_only":false}`)); !got.Messages[0].Work.Overdue {
		t.Error("the inbox does not flag it")
	}
	q.ok("accept_work", id(work))
	flagged(true)
	q.ok("return_work", fmt.Sprintf(`{"id":%q,"summary":"s"}`, work))
	flagged(false)
}

// M39: the list of agents says who may be written to and holds no settings and no address.
func TestM39ListAgents(t *testing.T) {
	t.Parallel()
	p, _ := two(t)
	p.join("third")
	p.block("scout", "third")
	r := p.ok("list_agents", `{}`)
	got := into[struct {
		You    string
		Agents []struct {
			ID, Name, Provider string
			You, CanSend       bool
		}
	}](p, r)
	if got.You != "scout" || len(got.Agents) != 3 {
		t.Fatalf("got %s", r.Text)
	}
	for _, a := range got.Agents {
		if a.You != (a.ID == "scout") || a.CanSend != (a.ID == "executor") || a.Provider != "inbox" || a.Name != a.ID {
			t.Errorf("got %+v", a)
		}
	}
	for _, word := range []string{"settings", "endpoint", "cwd", "token"} {
		if strings.Contains(strings.ToLower(r.Text), word) {
			t.Errorf("it shows %s: %s", word, r.Text)
		}
	}
}

// The state of one handoff is told with its history and the reason why nothing was delivered.
func TestStatusOfOne(t *testing.T) {
	t.Parallel()
	p, q := two(t)
	work := p.order("")
	got := into[status](p, p.ok("handoff_status", id(work)))
	if got.Message.Receipt != "stored" || got.Delivery != nil || !strings.Contains(got.DeliveryReason, "picks it up") || len(got.History) != 1 || got.History[0].Kind != "written" {
		t.Errorf("got %+v", got)
	}
	q.ok("read_message", id(work))
	q.ok("accept_work", id(work))
	q.ok("return_work", fmt.Sprintf(`{"id":%q,"summary":"s"}`, work))
	p.ok("close_work", fmt.Sprintf(`{"id":%q,"outcome":"accepted"}`, work))
	got = into[status](q, q.ok("handoff_status", id(work)))
	var kinds []string
	for _, e := range got.History {
		kinds = append(kinds, e.Kind)
	}
	if want := []string{"written", "read", "claimed", "returned", "closed"}; !slices.Equal(kinds, want) || got.Message.Receipt != "closed" {
		t.Errorf("the history is %v, want %v", kinds, want)
	}
}
