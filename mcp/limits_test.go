package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/testigo/testigo/storetest"
	"github.com/testigo/testigo/storetest/memstore"
)

// within fails when an answer is larger than any client takes.
func (p *peer) within(r reply, what string) reply {
	p.Helper()
	p.Logf("%-40s %5d bytes", what, len(r.Text))
	if len(r.Text) >= 8_192 {
		p.Errorf("%s: %d bytes", what, len(r.Text))
	}
	if !json.Valid([]byte(r.Text)) {
		p.Errorf("%s: not JSON", what)
	}
	return r
}

// E01: no answer exceeds 8 KiB with defaults, however large what is stored. E09: each says what it left out and how to
// read on.
func TestE01LongValues(t *testing.T) {
	t.Parallel()
	for what, unit := range map[string]string{"letters": "x", "quotes": `\"`, "emoji": "🦊", "markup": "<b>", "bidi": "\\u202e"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p := fresh(t)
			p.fill(24, func(int) string { return `"` + strings.Repeat(unit, 50_000/len(unit)) + `"` })
			list := into[struct {
				Shown, Total int
				Cursor       string
			}](p, p.within(p.ok("recall", `{}`), "list"))
			if list.Shown == 0 || list.Total != 24 || list.Cursor == "" {
				t.Errorf("the list does not say what it shows: %+v", list)
			}
			p.within(p.ok("recall", `{"limit":100}`), "list of 100")
			p.within(p.ok("recall", `{"query":"item"}`), "search")
			p.within(p.ok("history", `{"scope":"stock","key":"item-007"}`), "history")
			p.within(p.ok("memory_stats", `{"verify":true}`), "stats")
			readAll(p, "stock", "item-007", 50_000/len(unit))
		})
	}
}

// readAll reads a long value page by page, and checks that nothing is lost or shown twice.
func readAll(p *peer, scope, key string, units int) {
	p.Helper()
	var text strings.Builder
	cursor := ""
	for range 200 {
		args := fmt.Sprintf(`{"scope":%q,"key":%q%s}`, scope, key, cursor)
		r := into[struct {
			Fact struct {
				Text   string `json:"value_text"`
				Cursor string
			}
		}](p, p.within(p.ok("recall", args), "page"))
		text.WriteString(r.Fact.Text)
		if r.Fact.Cursor == "" {
			break
		}
		cursor = fmt.Sprintf(`,"cursor":%q`, r.Fact.Cursor)
	}
	var v string
	if err := json.Unmarshal([]byte(text.String()), &v); err != nil {
		p.Fatalf("the pages are not the value: %v", err)
	}
	if n := len(v) / units; len(v) != n*units || n == 0 {
		p.Errorf("%d bytes came back for %d units", len(v), units)
	}
}

// E01: packets with the longest lists and 200 pins; every page fits, and together they show everything.
func TestE01LongPackets(t *testing.T) {
	t.Parallel()
	for what, unit := range map[string]string{"letters": "x", "quotes": `\"`, "emoji": "🦊", "lines": `a\n`} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p := fresh(t)
			p.fill(200, func(int) string { return `{"note":"` + strings.Repeat("y", 900) + `"}` })
			var refs []string
			for i := range 200 {
				refs = append(refs, fmt.Sprintf(`"stock/item-%03d"`, i))
			}
			chars := strings.Repeat(unit, 2_000/len([]rune(strings.ReplaceAll(unit, `\`, ""))))
			item := `"` + chars[:len(chars)-len(unit)] + `z"`
			list := "[" + strings.Repeat(item+",", 49) + item + "]"
			short := "[" + item + "," + item + "]"
			args := fmt.Sprintf(`{"title":"%s","summary":%s,"next_steps":%s,"open_questions":%s,"tried":%s,"refs":[%s]}`,
				strings.Repeat("🦊", 200), item, list, short, short, strings.Join(refs, ","))
			p.within(p.ok("handoff", args), "handoff")

			q := start(t, p.store, p.clock, as("executor"))
			q.greet()
			type page struct {
				Packet struct {
					ID    string
					Pins  []json.RawMessage
					Steps []string `json:"next_steps"`
				}
				Cursor string
			}
			got := into[page](q, q.within(q.ok("resume", `{}`), "resume"))
			pins, steps := len(got.Packet.Pins), len(got.Packet.Steps)
			for got.Cursor != "" {
				r := q.ok("resume", fmt.Sprintf(`{"handoff_id":%q,"cursor":%q}`, got.Packet.ID, got.Cursor))
				if len(r.Text) >= 8_192 {
					t.Fatalf("a page has %d bytes", len(r.Text))
				}
				got = into[page](q, r)
				pins, steps = pins+len(got.Packet.Pins), steps+len(got.Packet.Steps)
			}
			if pins != 200 || steps != 50 {
				t.Errorf("the pages show %d pins and %d steps", pins, steps)
			}
			q.within(q.ok("record_outcome", `{"outcome":"success","outcome_ref":"run","handoff_id":"`+got.Packet.ID+`"}`), "outcome")
		})
	}
}

// E09: what has no cursor is cut with a count, and says how to read the rest.
func TestE09CrowdedAnswersSayWhatTheyCut(t *testing.T) {
	t.Parallel()
	p := fresh(t)
	var tags []string
	for i := range 32 {
		tags = append(tags, fmt.Sprintf(`"%s%02d"`, strings.Repeat("🦊", 62), i))
	}
	args := `{"scope":"t","key":"k","value":%d,"tags":[` + strings.Join(tags, ",") + `]}`
	for i := range 3 {
		p.within(p.ok("remember", fmt.Sprintf(args, i)), "remember")
	}
	for _, c := range [][2]string{{"recall", `{"scope":"t","key":"k"}`}, {"recall", `{"scope":"t"}`}, {"history", `{"scope":"t","key":"k"}`}} {
		r := p.within(p.ok(c[0], c[1]), c[0]+" with 8 KB of tags")
		if !strings.Contains(r.Text, "of 32 shown") {
			t.Errorf("%s does not say what it cut", c[0])
		}
	}
	p.within(p.refused("conflict", "remember", `{"scope":"t","key":"k","value":9,"expected_version":1}`), "conflict")
	for range 20 {
		p.ok("handoff", `{"title":"`+strings.Repeat("🦊", 200)+`","summary":"s","allow_repeat":true,"refs":[]}`)
	}
	q := start(t, p.store, p.clock, as("executor"))
	q.greet()
	q.within(q.ok("resume", `{"peek":true}`), "queue of 20")
	for i := range 60 {
		a := start(t, p.store, p.clock, as(fmt.Sprintf("agent-%s-%02d", strings.Repeat("a", 180), i)))
		a.greet()
		a.ok("remember", fmt.Sprintf(`{"scope":"%s%02d/x","key":"k","value":1}`, strings.Repeat("🦊", 180), i))
	}
	p.within(p.ok("memory_stats", `{}`), "stats of 60 agents")
}

// max_chars asks for more, and gets it.
func TestMaxCharsAsksForMore(t *testing.T) {
	t.Parallel()
	p := fresh(t)
	p.fill(60, func(int) string { return `"` + strings.Repeat("x", 900) + `"` })
	p.ok("remember", `{"scope":"l","key":"k","value":"`+strings.Repeat("x", 50_000)+`"}`)
	if r := p.ok("recall", `{"scope":"l","key":"k","max_chars":100000}`); len(r.Text) < 50_000 {
		t.Errorf("%d bytes", len(r.Text))
	}
	if r := p.ok("recall", `{"scope":"stock","limit":50,"max_chars":100000}`); !strings.Contains(r.Text, `"shown":50`) {
		t.Errorf("%d bytes", len(r.Text))
	}
}

// E11: only what an answer shows whole counts as seen: the pins that a packet's first page cut away do not.
func TestE11OnlyWhatIsShownIsSeen(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	p := start(t, memstore.New(memstore.Options{Clock: clock.Now}), clock)
	p.greet()
	p.fill(30, func(int) string { return `"` + strings.Repeat("x", 900) + `"` })
	var refs []string
	for i := range 30 {
		refs = append(refs, fmt.Sprintf(`"stock/item-%03d"`, i))
	}
	p.ok("handoff", `{"title":"t","summary":"s","refs":[`+strings.Join(refs, ",")+`]}`)
	q := start(t, p.store, clock, as("executor"))
	q.greet()
	got := into[struct {
		Packet struct {
			Values []struct{ Ref string }
		}
	}](q, q.ok("resume", `{}`))
	q.ok("recall", `{"scope":"stock"}`) // a list is no reading
	next := into[struct{ Pins []struct{ Name string } }](q, q.ok("handoff", `{"title":"on","summary":"s"}`))
	if n := len(got.Packet.Values); n == 0 || n == 30 || len(next.Pins) != n {
		t.Errorf("%d values were shown and %d count as seen", n, len(next.Pins))
	}
}
