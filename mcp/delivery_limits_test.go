package mcp

import (
	"fmt"
	"strings"
	"testing"
)

// units are texts that grow on their way: in escapes of JSON, in bytes of UTF-8, in escapes of our own.
var units = map[string]string{"letters": "x", "quotes": `\"`, "emoji": "🦊", "lines": `a\n`, "markup": "<b>", "hidden": `\u00ad`}

// long is a JSON string's inside of so many characters that does not end in a space.
func long(unit string, chars int) string {
	n := len([]rune(strings.NewReplacer(`\"`, "q", `\n`, "n", `\u00ad`, "h").Replace(unit)))
	return strings.Repeat(unit, chars/n-1) + strings.Repeat("z", n)
}

// E01: the longest message is read to its end by pages that fit, and nothing is lost or shown twice.
func TestE01LongMessages(t *testing.T) {
	t.Parallel()
	for what, unit := range units {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p, q := two(t)
			body := long(unit, 39_999)
			if what == "letters" || what == "emoji" {
				body = long(unit, 200_000)
			}
			post := into[sent](p, p.within(p.ok("send_handoff", `{"to":"executor","title":"`+strings.Repeat("🦊", 200)+`","message":"`+body+`"}`), "sent")).MessageID
			q.within(q.ok("inbox", `{}`), "inbox")
			q.within(q.ok("handoff_status", id(post)), "status")
			var text strings.Builder
			cursor, pages := "", 0
			for ; pages < 2_000; pages++ {
				r := q.ok("read_message", fmt.Sprintf(`{"id":%q%s}`, post, cursor))
				if len(r.Text) >= 8_192 {
					t.Fatalf("page %d has %d bytes", pages, len(r.Text))
				}
				got := into[msg](q, r)
				if got.MarkedRead != (pages == 0) {
					t.Fatalf("page %d: marked read is %v", pages, got.MarkedRead)
				}
				text.WriteString(got.Body)
				if got.Cursor == "" {
					break
				}
				cursor = fmt.Sprintf(`,"cursor":%q`, got.Cursor)
			}
			want := strings.NewReplacer(`\"`, `"`, `\n`, "\n", `\u00ad`, "\u00ad").Replace(body)
			if text.String() != want {
				t.Errorf("%d pages hold %d bytes, want %d", pages, text.Len(), len(want))
			}
			if r := q.ok("read_message", fmt.Sprintf(`{"id":%q,"max_chars":100000}`, post)); len(r.Text) < 39_999 {
				t.Errorf("max_chars brings %d bytes", len(r.Text))
			}
			q.within(q.ok("read_message", fmt.Sprintf(`{"id":%q,"max_chars":6000}`, post)), "max_chars 6000")
		})
	}
}

// E01: a hundred messages with the longest titles come in pages that fit and together show each once; so does the
// overview of what was sent, which says what it left out.
func TestE01CrowdedInbox(t *testing.T) {
	t.Parallel()
	for what, unit := range units {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p, q := two(t)
			title := long("🦊", 200)
			if unit == `\"` {
				title = long(unit, 200)
			}
			for range 100 {
				p.ok("send_handoff", fmt.Sprintf(`{"to":"executor","title":"%s","due_minutes":43200,"message":"%s"}`, title, long(unit, 600)))
			}
			for _, args := range []string{`"limit":100`, `"limit":100,"unread_only":false`, `"unread_only":true`} {
				seen := map[string]bool{}
				list := q.pages(args)
				for _, id := range list {
					seen[id] = true
				}
				if len(list) != 100 || len(seen) != 100 {
					t.Errorf("%s shows %d, of which %d are different", args, len(list), len(seen))
				}
			}
			for _, r := range []*peer{p, q} {
				got := r.within(r.ok("handoff_status", `{}`), "overview")
				if !strings.Contains(got.Text, "shows a part") {
					t.Errorf("it does not say what it left out: %.300s", got.Text)
				}
			}
		})
	}
}

// E01: work with the longest of everything fits wherever it is shown.
func TestE01LongReturns(t *testing.T) {
	t.Parallel()
	for what, unit := range units {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p, q := two(t)
			p.fill(100, func(int) string { return `1` })
			var refs, claims []string
			line := long("🦊", 2_000)
			for i := range 50 {
				refs = append(refs, fmt.Sprintf(`"stock/item-%03d"`, 2*i))
				claims = append(claims, `{"claim":"`+line+`","how":"command","ref":"`+line+`","exit_code":1}`)
			}
			post := p.within(p.ok("send_handoff", fmt.Sprintf(`{"to":"executor","title":"%s","message":"%s","refs":[%s],"next_steps":["%s"]}`,
				long("🦊", 200), long(unit, 60_000), strings.Join(refs, ","), line)), "sent")
			work := into[sent](p, post).MessageID
			back := q.within(q.ok("return_work", fmt.Sprintf(`{"id":%q,"summary":"%s","evidence":"%s","claims":[%s]}`,
				work, long(unit, 19_998), long(unit, 3_999), strings.Join(claims, ","))), "returned")
			p.within(p.ok("read_message", id(into[msg](q, back).ReturnMessageID)), "the return")
			p.within(p.ok("close_work", fmt.Sprintf(`{"id":%q,"outcome":"revision","note":"%s"}`, work, long(unit, 999))), "closed")
			for _, r := range []*peer{p, q} {
				r.within(r.ok("read_message", id(work)), "the work")
				r.within(r.ok("read_message", fmt.Sprintf(`{"id":%q,"max_chars":1}`, work)), "one character of it")
				r.within(r.ok("handoff_status", id(work)), "its status")
				r.within(r.ok("handoff_status", `{}`), "the overview")
				r.within(r.ok("inbox", `{"unread_only":false}`), "the inbox")
			}
		})
	}
}

// E09: a hundred agents with the longest names do not fit, and the list says how many there are.
func TestE09ManyAgents(t *testing.T) {
	t.Parallel()
	p := fresh(t)
	for i := range 100 {
		p.join(fmt.Sprintf("a%s%03d", strings.Repeat("-", 196), i)).end()
	}
	if r := p.within(p.ok("list_agents", `{}`), "100 agents"); !strings.Contains(r.Text, "of 101 agents shown") {
		t.Errorf("got %.300s", r.Text)
	}
}
