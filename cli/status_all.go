package cli

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
)

// overview is what a person sees of everybody. Names are the delivery reference's.
type overview struct {
	DB          string        `json:"db"`
	GeneratedAt time.Time     `json:"generatedAt"`
	Connections string        `json:"connections"`
	Agents      []agentStatus `json:"agents"`
	Packets     []packetLine  `json:"packets"`
	Work        []workLine    `json:"work"`
	Overdue     int           `json:"overdue"`
	// Notes say what is not listed.
	Notes []string `json:"notes,omitempty"`
}

type agentStatus struct {
	ID       string    `json:"id"`
	Provider string    `json:"provider"`
	LastSeen time.Time `json:"lastSeen"`
	Age      string    `json:"lastSeenAge"`
	Paused   bool      `json:"paused,omitempty"`
	Unread   int       `json:"unread"`
	OpenWork int       `json:"openWork"`
	Overdue  int       `json:"overdue,omitempty"`
	Holds    int       `json:"holds,omitempty"`
}

type packetLine struct {
	ID     string               `json:"id"`
	Title  string               `json:"title"`
	From   string               `json:"sender"`
	To     string               `json:"recipient,omitempty"`
	State  testigo.HandoffState `json:"state"`
	Holder string               `json:"holder,omitempty"`
	SentAt time.Time            `json:"sentAt"`
	Age    string               `json:"age"`
}

type workLine struct {
	handoff.WorkView
	From   string    `json:"sender"`
	To     string    `json:"recipient"`
	SentAt time.Time `json:"sentAt"`
	Age    string    `json:"age"`
}

// listed bounds each list of the overview, maxUnread how much of an agent's inbox is counted.
const (
	listed    = 100
	maxUnread = 500
)

func (a *app) statusOfAll(ctx context.Context, d *desk) error {
	mode, err := connectionsOf(ctx, d)
	if err != nil {
		return err
	}
	now := d.mem.Now()
	all := overview{DB: d.place.Value, GeneratedAt: now, Connections: mode, Agents: []agentStatus{}, Packets: []packetLine{}, Work: []workLine{}}
	err = d.store.Read(ctx, func(r testigo.Reader) error { return all.fill(ctx, r, now) })
	if err != nil {
		return err
	}
	if err := a.print(all, func(p *page) { p.everybody(all) }); err != nil {
		return err
	}
	a.notes(all.Notes)
	return nil
}

// fill reads everything from one snapshot.
func (o *overview) fill(ctx context.Context, r testigo.Reader, now time.Time) error {
	work, err := r.Handoffs(ctx, testigo.HandoffFilter{Kinds: []testigo.HandoffKind{testigo.KindWork},
		States: []testigo.HandoffState{testigo.Open, testigo.Claimed, testigo.Returned}, Limit: listed + 1})
	if err != nil {
		return err
	}
	packets, err := r.Handoffs(ctx, testigo.HandoffFilter{Kinds: []testigo.HandoffKind{testigo.KindPacket},
		States: []testigo.HandoffState{testigo.Open, testigo.Claimed}, Limit: listed + 1})
	if err != nil {
		return err
	}
	work, packets = o.cut("work", work), o.cut("packets", packets)
	for _, h := range packets {
		if !ranOut(h, now) {
			o.Packets = append(o.Packets, packetLine{h.ID, h.Title, h.From, h.To, h.State, holderOf(h), h.CreatedAt, memory.Age(now, h.CreatedAt)})
		}
	}
	for _, h := range work {
		if !ranOut(h, now) {
			o.Work = append(o.Work, workLine{workOf(h, now), h.From, h.To, h.CreatedAt, memory.Age(now, h.CreatedAt)})
		}
	}
	slices.SortStableFunc(o.Work, soonest)
	return o.agents(ctx, r, append(work, packets...), now)
}

func (o *overview) cut(what string, list []testigo.Handoff) []testigo.Handoff {
	if len(list) <= listed {
		return list
	}
	o.Notes = append(o.Notes, "only the oldest "+number(listed)+" "+what+" are listed and counted")
	return list[:listed]
}

// agents counts for each known agent what is on its desk.
func (o *overview) agents(ctx context.Context, r testigo.Reader, open []testigo.Handoff, now time.Time) error {
	agents, err := r.Agents(ctx)
	if err != nil {
		return err
	}
	for _, g := range agents {
		s := agentStatus{ID: g.Name, Provider: g.Provider, LastSeen: g.LastSeen, Age: memory.Age(now, g.LastSeen), Paused: g.Paused}
		unread, err := r.Handoffs(ctx, testigo.HandoffFilter{To: g.Name, Unread: true, Limit: maxUnread,
			Kinds:  []testigo.HandoffKind{testigo.KindMessage, testigo.KindWork, testigo.KindNotification},
			States: []testigo.HandoffState{testigo.Open, testigo.Claimed, testigo.Returned}})
		if err != nil {
			return err
		}
		for _, h := range unread {
			if !ranOut(h, now) {
				s.Unread++
			}
		}
		for _, h := range open {
			if ranOut(h, now) {
				continue
			}
			if h.Kind == testigo.KindWork && h.To == g.Name && h.State != testigo.Returned {
				s.OpenWork++
				if workOf(h, now).Overdue {
					s.Overdue++
				}
			}
			if holderOf(h) == g.Name {
				s.Holds++
			}
		}
		o.Overdue += s.Overdue
		o.Agents = append(o.Agents, s)
	}
	return nil
}

// soonest orders work: overdue first and longest so, then what is due, then what has no due time, the oldest first.
func soonest(a, b workLine) int {
	switch {
	case a.DueAt == nil && b.DueAt == nil:
		return a.SentAt.Compare(b.SentAt)
	case a.DueAt == nil || b.DueAt == nil:
		return cmp.Compare(noTime(a.DueAt), noTime(b.DueAt))
	case a.Overdue != b.Overdue:
		return cmp.Compare(late(b), late(a))
	}
	return a.DueAt.Compare(*b.DueAt)
}

func noTime(t *time.Time) int {
	if t == nil {
		return 1
	}
	return 0
}

func late(w workLine) int {
	if w.Overdue {
		return 1
	}
	return 0
}

func ranOut(h testigo.Handoff, now time.Time) bool {
	return h.State == testigo.Open && !h.ExpiresAt.IsZero() && !h.ExpiresAt.After(now)
}

func holderOf(h testigo.Handoff) string {
	if h.State != testigo.Claimed {
		return ""
	}
	return h.Claim.Agent
}

// workOf is the view that the use cases make of work.
func workOf(h testigo.Handoff, now time.Time) handoff.WorkView {
	w := handoff.WorkView{ID: h.ID, Title: h.Title, State: string(h.State), Round: h.Round, Result: h.Return, Closure: h.Closure}
	if h.State == testigo.Claimed {
		w.State = "accepted"
	}
	if !h.DueAt.IsZero() {
		w.DueAt = &h.DueAt
		w.Overdue = h.State != testigo.Returned && !now.Before(h.DueAt)
	}
	return w
}

func (p *page) everybody(o overview) {
	p.line("%s", visibleLine(dots(o.DB, "connections "+o.Connections)))
	rows := make([][]string, len(o.Agents))
	for i, g := range o.Agents {
		rows[i] = []string{p.bold(visibleLine(g.ID)), visibleLine(g.Provider), number(g.OpenWork) + " open work", number(g.Unread) + " unread",
			"holds " + number(g.Holds), p.dim("seen " + g.Age), p.troubles(g)}
	}
	p.section("agents", rows)
	rows = nil
	for _, h := range o.Packets {
		state := "waits"
		if h.Holder != "" {
			state = "held by " + h.Holder
		}
		rows = append(rows, []string{p.bold(visibleLine(h.ID)), visibleLine(h.From + " → " + addressed(h.To)), visibleLine(state), h.Age, visibleLine(h.Title)})
	}
	p.section("packets", rows)
	rows = nil
	for _, w := range o.Work {
		rows = append(rows, []string{p.bold(visibleLine(w.ID)), visibleLine(w.From + " → " + w.To), p.workWords(&w.WorkView, o.GeneratedAt), visibleLine(w.Title)})
	}
	p.section("open work", rows)
	if len(o.Agents) == 0 && len(o.Packets) == 0 && len(o.Work) == 0 {
		p.line("nothing is going on: no agent has been seen, and nothing waits")
	}
}

func (p *page) troubles(g agentStatus) string {
	switch {
	case g.Overdue > 0:
		return p.warn(number(g.Overdue) + " overdue")
	case g.Paused:
		return p.warn("paused")
	}
	return ""
}
