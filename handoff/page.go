package handoff

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

// Sizes of an answer.
const (
	// firstItems of each list come early; the rest follows after everything else.
	firstItems = 10
	// summaryChunk is how much of a summary stands together, in bytes.
	summaryChunk = 2_000
	// headerBytes is kept free for what an answer says beside its list: counts, cursor, notes.
	headerBytes = 500
)

// piece is one thing a packet shows: it costs size bytes and is added by put.
type piece struct {
	size int
	put  func(*Packet)
	pin  int // index of the pin whose value it is, else -1
}

// pieces lays a packet out in reading order: questions, steps, all pins, summary, workspace, values, what was tried,
// then the tails of long lists. The order never changes, so a position in it is a cursor.
func pieces(h testigo.Handoff, pins []pinState, change *testigo.WorkspaceChange, now time.Time) []piece {
	var out []piece
	add := func(v any, put func(*Packet)) { out = append(out, piece{jsonSize(v), put, -1}) }
	list := func(items []string, to func(*Packet) *[]string) {
		for _, it := range items {
			add(it, func(p *Packet) { l := to(p); *l = append(*l, it) })
		}
	}
	questions := func(p *Packet) *[]string { return &p.OpenQuestions }
	steps := func(p *Packet) *[]string { return &p.NextSteps }
	tried := func(p *Packet) *[]string { return &p.Tried }
	list(h.OpenQuestions[:min(firstItems, len(h.OpenQuestions))], questions)
	list(h.NextSteps[:min(firstItems, len(h.NextSteps))], steps)
	for _, s := range pins {
		v := s.view()
		add(v, func(p *Packet) { p.Pins = append(p.Pins, v) })
	}
	for rest := h.Summary; rest != ""; {
		chunk := memory.CutText(rest, summaryChunk)
		rest = rest[len(chunk):]
		add(chunk, func(p *Packet) { p.Summary += chunk })
	}
	if change != nil {
		add(change, func(p *Packet) { p.Workspace = change })
	}
	for i, s := range pins {
		v := s.value(now)
		out = append(out, piece{jsonSize(v), func(p *Packet) { p.Values = append(p.Values, v) }, i})
	}
	list(h.Tried, tried)
	list(h.OpenQuestions[min(firstItems, len(h.OpenQuestions)):], questions)
	list(h.NextSteps[min(firstItems, len(h.NextSteps)):], steps)
	return out
}

// answer shows a claimed packet from the cursor on, as far as the budget goes.
func (s *Service) answer(ctx context.Context, c Caller, p ResumeParams, h testigo.Handoff, pins []pinState, dir string, project testigo.Project, res ResumeResult) (ResumeResult, error) {
	start, err := pageStart(p.Cursor, h.ID)
	if err != nil {
		return ResumeResult{}, err
	}
	now := s.mem.Now()
	all := pieces(h, pins, compare(ctx, h, dir, project), now)
	if start > len(all) {
		return ResumeResult{}, testigo.Invalid("cursor", "lies behind the end of the packet")
	}
	packet := header(h, pins, now)
	budget, end := budgetOf(c, p), start
	// The title stands in the summary again.
	for used := headerBytes + jsonSize(packet) + jsonSize(told(h, packet, res)); end < len(all); end++ {
		used += all[end].size + 1
		if budget > 0 && used > budget && end > start {
			break
		}
		all[end].put(&packet)
		if i := all[end].pin; i >= 0 && pins[i].shownWhole() {
			c.Seen.Add(pins[i].pin.Name, pins[i].pin.Version, now)
		}
	}
	res.Packet = &packet
	if h.State == testigo.Claimed && holds(c, h) {
		res.Claim = claimRef(h)
	}
	if end < len(all) {
		res.Cursor = fmt.Sprintf("%s:%d", h.ID, end)
		packet.More = fmt.Sprintf("%d of %d parts shown; resume with handoff_id and cursor reads on", end, len(all))
	}
	res.Summary = told(h, packet, res)
	return res, nil
}

func told(h testigo.Handoff, p Packet, res ResumeResult) string {
	s := fmt.Sprintf("%s %s from %s: %s", h.Kind, h.ID, h.From, h.Title)
	if p.PinsTotal > 0 {
		s += fmt.Sprintf("; %s, %d of them stale", memory.Count(p.PinsTotal, "pinned version", "pinned versions"), p.Stale)
	}
	if res.Waiting > 0 {
		s += fmt.Sprintf("; %d more waiting", res.Waiting)
	}
	return s
}

// budgetOf is the size of one answer: the caller's own bound, or what it asked for.
func budgetOf(c Caller, p ResumeParams) int {
	if p.MaxChars > 0 {
		return p.MaxChars + headerBytes
	}
	return c.Budget
}

func pageStart(cursor, id string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	owner, pos, ok := strings.Cut(cursor, ":") // an id has no colon
	n, err := strconv.Atoi(pos)
	if !ok || err != nil || n < 0 || owner != id {
		return 0, testigo.Invalid("cursor", "does not belong to this packet").WithNext("repeat the call without cursor")
	}
	return n, nil
}

// jsonSize is the length of v as it is sent.
func jsonSize(v any) int {
	b, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return len(b)
}
