package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

// page collects what a command prints for people and writes it at once, so that an error leaves no half answer.
type page struct {
	strings.Builder
	styles
	local *time.Location
	// typed says a use case's text in the words of the command.
	typed func(string) string
}

func (a *app) newPage() *page {
	colour := a.env.colour(a.global.NoColor)
	return &page{styles: newStyles(a.env.Out, colour, a.env.OutTTY, a.env.Width), local: a.env.Local, typed: a.typed}
}

// print answers a command: v as JSON, or what text writes for people.
func (a *app) print(v any, text func(*page)) error {
	if a.global.JSON {
		b, err := marshal(v)
		if err != nil {
			return err
		}
		return a.write(b)
	}
	p := a.newPage()
	text(p)
	return a.write([]byte(p.String()))
}

func (a *app) write(b []byte) error {
	if _, err := a.env.Out.Write(b); err != nil {
		return &testigo.Error{Code: testigo.CodeFull, Msg: "the answer could not be written; what the command did stands", Err: err}
	}
	return nil
}

// say tells a person something beside the answer. With --json the answer holds it already.
func (a *app) say(format string, args ...any) {
	if !a.global.JSON {
		a.tell("", fmt.Sprintf(format, args...))
	}
}

// redacted says what was taken out before it was stored.
func (a *app) redacted(found memory.Redacted) {
	for _, f := range found {
		a.say("note: %d × %s was removed before it was stored", f.Count, f.Rule)
	}
}

// notes says the notes of an answer.
func (a *app) notes(notes []string) {
	for _, n := range notes {
		a.say("note: %s", a.typed(n))
	}
}

// line writes one line, or several under each other where the terminal is too narrow. Texts that came from agents go
// through visible first; line does not know which those are.
func (p *page) line(format string, args ...any) {
	for l := range strings.SplitSeq(fmt.Sprintf(format, args...), "\n") {
		margin := len(l) - len(strings.TrimLeft(l, " "))
		p.WriteString(hanging(l, p.width, margin+2) + "\n")
	}
}

// rows writes cells as aligned columns behind a margin.
func (p *page) rows(margin string, rows [][]string) {
	for _, l := range columns(rows) {
		p.line("%s%s", margin, l)
	}
}

// quote writes a text from an agent behind a rule on every line, so that no line of it passes for one of ours.
func (p *page) quote(text string) {
	const margin = "  │ "
	for _, l := range wrap(visible(text), p.room(len([]rune(margin)))) {
		p.line("%s%s", margin, strings.ReplaceAll(l, "\t", "    "))
	}
}

// items writes a numbered list of texts from agents under a heading; nothing for none.
func (p *page) items(heading string, items []string) {
	if len(items) == 0 {
		return
	}
	p.line("%s", p.bold(heading))
	for i, it := range items {
		for n, l := range wrap(visible(it), p.room(6)) {
			mark := "     "
			if n == 0 {
				mark = fmt.Sprintf("%3d. ", i+1)
			}
			p.line("%s%s", mark, strings.ReplaceAll(l, "\t", "    "))
		}
	}
}

// room is what is left of a line behind a margin; 0 when lines are not broken.
func (p *page) room(margin int) int {
	if p.width == 0 {
		return 0
	}
	return max(20, p.width-margin)
}

// stamp is a time as people read it: their own clock, with its offset.
func (p *page) stamp(t time.Time) string { return t.In(p.local).Format("2006-01-02 15:04:05 -07:00") }

// soft writes a text of ours in a subdued colour, broken to the width of the terminal.
func (p *page) soft(text string) {
	for _, l := range wrap(visibleLine(text), p.room(0)) {
		p.line("%s", p.dim(l))
	}
}

// plainText is a value's JSON as a person reads it: a string without its quotes, anything else as it stands.
func plainText(raw json.RawMessage) string {
	var s string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// longestEscape is the length of a surrogate pair written out in JSON, in bytes; a cut may fall inside of one.
const longestEscape = 12

// plainStart is plainText for the beginning of a value that was cut somewhere.
func plainStart(text string) string {
	for cut := 0; strings.HasPrefix(text, `"`) && cut < min(longestEscape, len(text)); cut++ {
		var s string
		if json.Unmarshal([]byte(text[:len(text)-cut]+`"`), &s) == nil {
			return s
		}
	}
	return text
}

// snippet shows the beginning of a text on at most two lines and says how much there is. Where lines are not broken, it is
// one line of about 200 characters.
func (p *page) snippet(margin, text string, total int, rest string) {
	lines, room := 2, p.room(len(margin))
	if room == 0 {
		lines, room = 1, 200
	}
	line := visibleLine(text)
	shown := wrap(line, room)
	if len(shown) > lines {
		shown = shown[:lines]
	}
	for _, l := range shown {
		p.line("%s%s", margin, l)
	}
	n := utf8.RuneCountInString(strings.Join(shown, " "))
	if whole := utf8.RuneCountInString(line); n < whole || total > whole {
		p.line("%s%s", margin, p.dim(fmt.Sprintf("… %d of %d characters, %s", min(n, whole), max(total, whole), rest)))
	}
}
