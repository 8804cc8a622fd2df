package redact

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// Finding says how often one rule removed something.
type Finding struct {
	Rule  string `json:"rule"`
	Count int    `json:"count"`
}

// Result is a text after redaction. It never holds what was removed, only how much.
type Result struct {
	Text     string
	Findings []Finding // one per rule, by name
	Removed  int       // bytes of the given text that were removed; of a JSON document, of its decoded strings
}

// Total is the number of places where something was removed.
func (r Result) Total() int {
	n := 0
	for _, f := range r.Findings {
		n += f.Count
	}
	return n
}

// Text removes every secret it finds in s and puts `[redacted:<rule>]` in its place. A text without secrets comes
// back unchanged, and redacting a redacted text changes nothing.
func Text(s string) Result {
	out := redact(s, "")
	return out.result()
}

// outcome is a redaction with the books Whole needs: characters removed, by rule.
type outcome struct {
	text    string
	counts  map[string]int
	runes   map[string]int
	removed int
}

// redact searches until a search finds nothing. One search is not enough: a removal can uncover the next secret (a
// rule that takes one value per match, or two matches that share a delimiter), and the promise that a second call
// changes nothing needs a last search without a find. It ends, because every round but the last removes at least
// one byte that is not part of a marker, and only markers are added.
// name is the member name or variable the whole text was assigned to, or empty.
func redact(s, name string) outcome {
	out := outcome{text: s}
	for {
		spans := search(out.text, name)
		if len(spans) == 0 {
			return out
		}
		out.replace(spans)
	}
}

func (o *outcome) replace(spans []span) {
	if o.counts == nil {
		o.counts, o.runes = map[string]int{}, map[string]int{}
	}
	known := markers(o.text)
	var b strings.Builder
	b.Grow(len(o.text))
	last := 0
	for _, sp := range spans {
		b.WriteString(o.text[last:sp.start])
		b.WriteString(marker(sp.rule))
		last = sp.end
		o.counts[sp.rule]++
		// A marker that is swallowed by a larger secret was counted when it was put there.
		for _, part := range sp.without(known) {
			o.removed += part.end - part.start
			o.runes[sp.rule] += utf8.RuneCountInString(o.text[part.start:part.end])
		}
	}
	b.WriteString(o.text[last:])
	o.text = b.String()
}

func (o *outcome) result() Result {
	return Result{Text: o.text, Findings: findings(o.counts), Removed: o.removed}
}

func findings(counts map[string]int) []Finding {
	if len(counts) == 0 {
		return nil
	}
	list := make([]Finding, 0, len(counts))
	for rule, n := range counts {
		list = append(list, Finding{Rule: rule, Count: n})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Rule < list[j].Rule })
	return list
}

// search runs every detector once over s. The order is the order of preference for the name of a finding when two
// detectors meet: what the writer marked, then what is known by its shape, then what is only known by its context.
func search(s, name string) []span {
	cat := rules()
	hits := cat.words.find(s)
	var found []span
	found = append(found, privateSpans(s)...)
	found = append(found, pemSpans(s)...)
	found = append(found, jwtSpans(s)...)
	found = append(found, cat.upstreamSpans(s, hits)...)
	found = append(found, urlSpans(s)...)
	found = append(found, cat.assignedSpans(s, hits)...)
	if sp, ok := namedSpan(s, name); ok {
		found = append(found, sp)
	}
	return settle(s, found)
}
