package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

// Sizes of a card, in bytes. A card goes into a session whose context is dear.
const (
	cardBytes  = 6 << 10
	nameChars  = 60
	titleChars = 80
	// returnChars is how much of a return's summary a card shows, in characters.
	returnChars = 2_000
	listShown   = 10
	itemBytes   = 300
	pinsShown   = 20
	valueBytes  = 120
)

// The first line of a card, and the line between what people read and what agents need. Marker knows both.
const (
	mark      = "🤝 "
	separator = "---\nTechnical details\n"
)

// card is what a turn gets as its one message: a part for people, then one for the agent.
type card struct {
	title, tag string
	from, to   string
	due        time.Time
	sent       string
	body       string
	// bodyAs names the body, and rest says how to read what is cut.
	bodyAs, rest string
	fields       []string // "Next step: …" and the like
	tail         string
}

// newCard reads what a card shows, with the pins as they stand at this moment.
func newCard(ctx context.Context, r testigo.Reader, now time.Time, h testigo.Handoff, t testigo.Turn) (card, error) {
	c := card{title: cardTitle(h), tag: "action requested", due: h.DueAt, body: h.Summary, bodyAs: "Message",
		sent: h.CreatedAt.Format("2006-01-02 15:04 UTC") + " (" + memory.Age(now, h.CreatedAt) + ")"}
	c.rest = "testigo read " + h.ID + " --as " + h.To + "   (or read_message " + h.ID + ")"
	var err error
	if c.from, err = displayName(ctx, r, h.From); err != nil {
		return c, err
	}
	if c.to, err = displayName(ctx, r, h.To); err != nil {
		return c, err
	}
	if h.ReturnFor != "" {
		if err := c.review(ctx, r, h); err != nil {
			return c, err
		}
	}
	c.list("Next step", h.NextSteps)
	c.list("Open question", h.OpenQuestions)
	pins, err := pinLines(ctx, r, h.Pins)
	c.fields = append(c.fields, pins...)
	c.tail = technical(h, t)
	return c, err
}

// review makes the card of a return: what came back, as it was said, and which claims were checked how.
func (c *card) review(ctx context.Context, r testigo.Reader, h testigo.Handoff) error {
	work, err := r.Handoff(ctx, h.ReturnFor)
	if err != nil || work.Return == nil {
		return err
	}
	c.title, c.tag, c.bodyAs = line(work.Title, titleChars), "review needed", "Summary"
	result := "done"
	if work.Return.Blocked {
		c.tag, result = "blocked", "blocked"
	}
	c.body = cutChars(work.Return.Summary, returnChars)
	if c.body != work.Return.Summary {
		c.body += "\n…"
	}
	c.fields = append(c.fields, "Result: "+result)
	if work.Return.Evidence != "" {
		c.fields = append(c.fields, "Evidence: "+line(work.Return.Evidence, itemBytes))
	}
	for i, claim := range work.Return.Claims {
		if i == listShown {
			c.fields = append(c.fields, fmt.Sprintf("Claim: … and %d more", len(work.Return.Claims)-i))
			break
		}
		how := "stated, unchecked"
		switch {
		case claim.How == "command" && claim.ExitCode != nil:
			how = fmt.Sprintf("by %s, exit %d", line(claim.Ref, itemBytes), *claim.ExitCode)
		case claim.How != "stated":
			how = "by " + line(claim.Ref, itemBytes)
		}
		c.fields = append(c.fields, "Claim: "+line(claim.Claim, itemBytes)+" ("+how+")")
	}
	if work.Closure != nil {
		c.fields = append(c.fields, "Decision: "+string(work.Closure.Outcome))
	}
	return nil
}

func (c *card) list(name string, items []string) {
	for i, it := range items {
		if i == listShown {
			c.fields = append(c.fields, fmt.Sprintf("%s: … and %d more", name, len(items)-i))
			return
		}
		c.fields = append(c.fields, name+": "+line(it, itemBytes))
	}
}

// pinLines resolves pins: the version that was pinned, and whether it is still the current one. A newer value is not
// shown; whoever wants it recalls it.
func pinLines(ctx context.Context, r testigo.FactReader, pins []testigo.Pin) ([]string, error) {
	var out []string
	for i, p := range pins {
		if i == pinsShown {
			return append(out, fmt.Sprintf("Pin: … and %d more", len(pins)-i)), nil
		}
		v, err := r.VersionOf(ctx, p.Name, p.Version)
		switch {
		case testigo.CodeOf(err) == testigo.CodeNotFound:
			out = append(out, "Pin: "+line(p.String(), itemBytes)+" MISSING: the store does not have this version")
			continue
		case err != nil:
			return nil, err
		}
		value := line(memory.CutText(string(v.Value), valueBytes), valueBytes)
		if v.Erased() {
			value = "erased on request"
		}
		s := "Pin: " + line(p.String(), itemBytes) + " = " + value
		if !v.Current() {
			now, err := r.Current(ctx, p.Name)
			if err != nil {
				return nil, err
			}
			s += fmt.Sprintf("  STALE: version %d is current, by %s", now.Number, line(now.Author, nameChars))
		}
		out = append(out, s)
	}
	return out, nil
}

// String lays the card out. The body gives way first, then the fields; what the agent needs is always whole.
func (c card) String() string {
	head := mark + "**" + c.title + "** (" + c.tag + ")\nFrom " + c.from + " → " + c.to + "\nSent: " + c.sent + "\n"
	if !c.due.IsZero() {
		head += "Due: " + c.due.Format("2006-01-02 15:04 UTC") + "\n"
	}
	left := cardBytes - len(head) - len(separator) - len(c.tail) - 200 // for fences and the words around them
	var fields strings.Builder
	shown := 0
	for _, f := range c.fields {
		if fields.Len()+len(f)+1 > left/2 {
			break
		}
		fields.WriteString(f + "\n")
		shown++
	}
	if shown < len(c.fields) {
		fmt.Fprintf(&fields, "More: %d lines are left out; %s\n", len(c.fields)-shown, c.rest)
	}
	body := visible(c.body)
	left -= fields.Len()
	note := ""
	if len(body) > left {
		body = memory.CutText(body, max(left-len(c.rest)-60, 0))
		note = "More: the message is cut here; " + c.rest + "\n"
	}
	fence := fenceFor(body)
	return head + "\n" + c.bodyAs + ":\n" + fence + "\n" + body + "\n" + fence + "\n" + note + fields.String() + "\n" + separator + c.tail
}

// fenceFor is a fence that the text cannot close.
func fenceFor(text string) string {
	longest, run := 0, 0
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return strings.Repeat("`", max(3, longest+1))
}

// technical is the part for the agent: who it is, under which claim and attempt, and the lines that move the handoff on.
func technical(h testigo.Handoff, t testigo.Turn) string {
	var b strings.Builder
	fmt.Fprintf(&b, "HANDOFF %s\nExact sender: %s\nExact recipient: %s\nMessage: %s\n", t.RequestID, h.From, h.To, h.ID)
	fmt.Fprintf(&b, "claim: %s\nAttempt: %d\nIdempotency token: %s/%d\n\n", t.Claim, t.Attempt, t.RequestID, t.Attempt)
	if t.Attempt > 1 {
		b.WriteString("An earlier attempt may have done a part of this: look before you repeat anything.\n")
	}
	switch {
	case h.ReturnFor != "":
		fmt.Fprintf(&b, "Decide about it, once:\n  testigo close %s accepted --as %s\n(or revision --note \"...\", or blocked; MCP: close_work)\n", h.ReturnFor, h.To)
	case h.Kind == testigo.KindWork:
		fmt.Fprintf(&b, "When it is done, or cannot be:\n  testigo return %s --as %s --summary \"...\"\n(add --blocked if it cannot be done; MCP: return_work)\n", t.Claim, h.To)
	case h.Kind == testigo.KindPacket:
		fmt.Fprintf(&b, "The claim is yours; resume %s shows all of it. Report how it went with record_outcome.\n", h.ID)
	default:
		fmt.Fprintf(&b, "Reply or act. To answer:\n  testigo send %s %s \"...\"\n(MCP: send_handoff with reply_to %s)\n", h.To, h.From, h.ID)
	}
	return b.String()
}

func cardTitle(h testigo.Handoff) string {
	if h.Title != "" {
		return line(h.Title, titleChars)
	}
	first, _, _ := strings.Cut(h.Summary, "\n")
	if n := len([]rune(first)); n > 0 && n <= 60 && !strings.ContainsAny(first, "/{}<>`*") {
		return line(first, titleChars)
	}
	return "Message"
}

func displayName(ctx context.Context, r testigo.Reader, name string) (string, error) {
	switch {
	case name == ServiceDeadline:
		return "Deadline service", nil
	case testigo.IsService(name):
		return "Service", nil
	}
	a, err := r.Agent(ctx, name)
	if testigo.CodeOf(err) == testigo.CodeNotFound {
		return line(name, nameChars) + " (unknown agent)", nil
	}
	if a.Title != "" {
		return line(a.Title, nameChars), err
	}
	return line(name, nameChars), err
}
