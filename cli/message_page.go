package cli

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
)

// dots joins facts of one line as every list of messages does; empty ones are left out.
func dots(facts ...string) string {
	var out []string
	for _, f := range facts {
		if f != "" {
			out = append(out, f)
		}
	}
	return strings.Join(out, " · ")
}

// messages lists what was sent: the id, a line of facts, and how it begins. who says which end of it to name.
func (p *page) messages(list []handoff.Message, now time.Time, who func(handoff.Message) string) {
	for _, m := range list {
		read := ""
		if m.Read {
			read = "read"
		}
		kind := ""
		if m.Kind != string(testigo.KindMessage) && m.Kind != string(testigo.KindWork) {
			kind = m.Kind
		}
		p.line("%s  %s", p.bold(visibleLine(m.ID)), visibleLine(dots(who(m), m.Age, kind, titleWords(m), p.workWords(m.Work, now), read)))
		if m.Preview != "" {
			p.line("    %s", visibleLine(shortened(m.Preview)))
		}
	}
}

func sender(m handoff.Message) string { return "from " + m.From }

// addressed names a recipient; nobody in particular is whoever comes first.
func addressed(to string) string {
	if to == "" {
		return "anybody"
	}
	return to
}

func titleWords(m handoff.Message) string {
	switch {
	case m.Work != nil:
		return `work "` + m.Work.Title + `"`
	case m.Title != "":
		return `"` + m.Title + `"`
	}
	return ""
}

// maxPreview is how much of a body a list shows, in characters.
const maxPreview = 100

func shortened(text string) string {
	if utf8.RuneCountInString(text) <= maxPreview {
		return text
	}
	cut := string([]rune(text)[:maxPreview-1])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return cut + "…"
}

// workWords says how work stands, and what is left of its time.
func (p *page) workWords(w *handoff.WorkView, now time.Time) string {
	if w == nil {
		return ""
	}
	round := ""
	if w.Round > 0 {
		round = "round " + number(w.Round)
	}
	switch {
	case w.Closure != nil:
		return dots("closed as "+string(w.Closure.Outcome), round)
	case w.State == string(testigo.Returned) && w.Result != nil && w.Result.Blocked:
		return dots("returned as blocked, waits for a decision", round)
	case w.State == string(testigo.Returned):
		return dots("returned, waits for a decision", round)
	case w.Overdue && w.DueAt != nil:
		return dots(w.State, p.warn("overdue by "+spanWords(now.Sub(*w.DueAt))), round)
	case w.DueAt != nil && (w.State == string(testigo.Open) || w.State == "accepted"):
		return dots(w.State, "due in "+spanWords(upToMinute(w.DueAt.Sub(now))), round)
	}
	return dots(w.State, round)
}

// upToMinute rounds up what is left of a time, so that two hours are two hours when they were just given.
func upToMinute(d time.Duration) time.Duration {
	if d < time.Minute {
		return d
	}
	return (d + time.Minute - 1).Truncate(time.Minute)
}

// read shows what was opened, with what its sender asks for.
func (p *page) read(res handoff.ReadResult, now time.Time) {
	p.opened(res.Message, now)
	p.items("open questions", res.OpenQuestions)
	p.items("next steps", res.NextSteps)
}

// opened shows one message whole: who, when, how it stands, and what it says.
func (p *page) opened(m handoff.Message, now time.Time) {
	p.line("%s  %s %s", p.bold(visibleLine(m.ID)), visibleLine(m.Kind), p.state(m.State))
	if m.Title != "" {
		p.line("%s", p.bold(visibleLine(m.Title)))
	}
	p.rows("", [][]string{
		{p.dim("from"), visibleLine(m.From)},
		{p.dim("to"), visibleLine(addressed(m.To))},
		{p.dim("sent"), p.stamp(m.SentAt) + " (" + m.Age + ")"},
		{p.dim("receipt"), string(m.Receipt)},
	})
	if w := m.Work; w != nil {
		p.soft("work: " + p.workWords(w, now))
		if w.DueAt != nil {
			p.soft("due " + p.stamp(*w.DueAt))
		}
		if w.Closure != nil && w.Closure.Note != "" {
			p.soft("closed by " + w.Closure.By + ": " + w.Closure.Note)
		}
		if w.Closure != nil && w.Closure.Successor != "" {
			p.soft("goes on as " + w.Closure.Successor)
		}
	}
	if m.ReplyTo != "" && m.ReturnFor == "" {
		p.soft("answers " + m.ReplyTo)
	}
	if m.ReturnFor != "" {
		p.soft("is the return of " + m.ReturnFor)
	}
	if len(m.Pins) > 0 {
		p.line("%s", p.bold(memory.Count(len(m.Pins), "pinned version", "pinned versions")))
		for _, pin := range m.Pins {
			p.line("   %s@%d", visibleLine(pin.Name), pin.Version)
		}
	}
	if m.Body != "" {
		p.line("")
		p.quote(m.Body)
	}
	if w := m.Work; w != nil && w.Result != nil {
		p.result(*w.Result)
	}
}

// result shows an assignee's answer.
func (p *page) result(r testigo.Return) {
	what := "returned"
	if r.Blocked {
		what = "returned as blocked"
	}
	p.line("")
	p.line("%s %s", p.bold(what), p.dim(visibleLine("by "+r.By)+" "+p.stamp(r.At)+", carried by "+visibleLine(r.MessageID)))
	p.quote(r.Summary)
	if r.Evidence != "" {
		p.soft("evidence: " + r.Evidence)
	}
	for _, c := range r.Claims {
		p.line("   %s", visibleLine(claimWords(c)))
	}
}

// claimWords says what is claimed and how its writer knows. What was only stated is never made to look checked.
func claimWords(c testigo.ReturnClaim) string {
	switch {
	case c.How == "command" && c.ExitCode != nil:
		return dots(c.Claim, "says "+c.Ref, "exit code "+number(*c.ExitCode))
	case c.How == "command":
		return dots(c.Claim, "says "+c.Ref, "exit code unknown")
	case c.How == "hash":
		return dots(c.Claim, c.Ref)
	}
	return dots(c.Claim, "stated, unchecked")
}
