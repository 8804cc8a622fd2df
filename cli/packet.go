package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
)

// resumed shows a packet, the queue, or both. How a packet ended stands in the place of who holds it.
func (p *page) resumed(res handoff.ResumeResult, ended string) {
	if res.Packet != nil {
		p.packet(*res.Packet, ended)
	}
	rest := res.Queue
	if res.Packet != nil && len(rest) > 0 {
		rest = nil
		for _, q := range res.Queue {
			if q.ID != res.Packet.ID {
				rest = append(rest, q)
			}
		}
		if len(rest) > 0 {
			p.line("")
			p.line("%s", p.bold("also waiting"))
		}
	}
	p.queue(rest)
}

func (p *page) queue(list []handoff.QueueItem) {
	rows := make([][]string, len(list))
	for i, q := range list {
		to := q.To
		if to == "" {
			to = "anybody"
		}
		rows[i] = []string{p.bold(visibleLine(q.ID)), string(q.Kind), visibleLine(q.From) + " → " + visibleLine(to), q.Age, visibleLine(q.Title)}
	}
	p.rows("", rows)
}

// packet shows a handoff in the order a reader needs it: what is open, what is next, what it rests on, what was said.
func (p *page) packet(h handoff.Packet, ended string) {
	to := h.To
	if to == "" {
		to = "whoever resumes next in " + projectWords(h.Project)
	}
	p.line("%s  %s %s", p.bold(visibleLine(h.ID)), h.Kind, p.state(h.State))
	p.line("%s", p.bold(visibleLine(h.Title)))
	p.soft(fmt.Sprintf("from %s for %s, written %s (%s)", h.From, to, p.stamp(h.WrittenAt), h.Age))
	p.moment("due", h.DueAt)
	p.moment("expires", h.ExpiresAt)
	if ended != "" {
		p.soft("outcome: " + ended)
	}
	if h.Holder != nil && h.State == testigo.Claimed {
		p.soft(fmt.Sprintf("held by %s (claim #%d) since %s", h.Holder.Agent, h.Holder.Generation, p.stamp(h.Holder.Since)))
	}
	p.items("open questions", h.OpenQuestions)
	p.items("next steps", h.NextSteps)
	p.pins(h)
	if h.Summary != "" {
		p.line("%s", p.bold("summary"))
		p.quote(h.Summary)
	}
	p.workspace(h.Workspace)
	p.values(h.Values)
	p.items("tried without success", h.Tried)
	if h.More != "" {
		p.line("%s", p.dim("… "+visibleLine(p.typed(h.More))))
	}
}

func (p *page) state(s testigo.HandoffState) string {
	switch s {
	case testigo.Open:
		return p.good(string(s))
	case testigo.Claimed:
		return p.warn(string(s))
	}
	return p.dim(string(s))
}

func (p *page) moment(what string, t *time.Time) {
	if t != nil {
		p.soft(what + " " + p.stamp(*t))
	}
}

func (p *page) pins(h handoff.Packet) {
	if h.PinsTotal == 0 {
		return
	}
	heading := memory.Count(h.PinsTotal, "pinned version", "pinned versions")
	if h.Stale > 0 {
		heading += fmt.Sprintf(", %d no longer current", h.Stale)
	}
	p.line("%s", p.bold(heading))
	for _, pin := range h.Pins {
		ref := fmt.Sprintf("%s@%d", visibleLine(pin.Name), pin.Version)
		if !pin.Stale {
			p.line("   %s", ref)
			continue
		}
		p.line(" %s %s", p.warn("!"), p.warn(ref+" "+p.staleWords(pin)))
	}
}

// staleWords says how a pinned version stands now. The newer value is never shown: who needs it reads it deliberately.
func (p *page) staleWords(pin handoff.PinView) string {
	switch {
	case pin.CurrentVersion == 0 && pin.Change == "erased":
		return "was erased on request"
	case pin.CurrentVersion == 0:
		return "is " + visibleLine(pin.Change)
	}
	text := fmt.Sprintf("is now at v%d (%s by %s", pin.CurrentVersion, pin.Change, visibleLine(pin.ChangedBy))
	if pin.ChangedAt != nil {
		text += " " + p.stamp(*pin.ChangedAt)
	}
	return text + "); read it: testigo recall " + visibleLine(pin.Name)
}

func (p *page) workspace(w *testigo.WorkspaceChange) {
	if w == nil {
		return
	}
	p.line("%s %s", p.bold("workspace"), w.Status)
	for _, n := range w.Notes {
		p.line("   %s", visibleLine(n))
	}
	for _, c := range w.Commits {
		p.line("   commit %s", visibleLine(c))
	}
	if more := w.CommitsTotal - len(w.Commits); more > 0 {
		p.line("   … %s", memory.Count(more, "more commit", "more commits"))
	}
	if len(w.Files) > 0 {
		p.line("   changed since: %s", visibleLine(strings.Join(w.Files, ", ")))
	}
}

func (p *page) values(list []handoff.PinValue) {
	if len(list) == 0 {
		return
	}
	p.line("%s", p.bold("pinned values"))
	for _, v := range list {
		p.line("   %s  %s  %s", visibleLine(v.Ref), p.confidence(v.Confidence), p.dim(visibleLine(v.Standing)))
		switch text := v.ValueText; {
		case text != "":
			p.quote(text)
		case len(v.Value) > 0:
			p.quote(indented(v.Value))
		}
		if v.More != "" {
			p.line("   %s", p.dim("… "+visibleLine(p.typed(v.More))))
		}
	}
}
