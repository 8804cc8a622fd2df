package redact

import (
	"sort"
	"strings"
)

// span is a stretch of a text, in bytes, that a rule wants removed.
type span struct {
	start, end int
	rule       string
	rank       int // position in the order of preference, set by settle
}

const (
	markerOpen = "[redacted:"
	// markerName is longer than any rule's name (the longest upstream has 41 bytes).
	markerName = 80
)

func marker(rule string) string { return markerOpen + rule + "]" }

// markers finds the markers of earlier redactions in s. Only names of rules that exist count: text that merely looks
// like a marker would otherwise be a wrapper under which a secret passes.
func markers(s string) []span {
	var found []span
	for at := 0; ; {
		i := strings.Index(s[at:], markerOpen)
		if i < 0 {
			return found
		}
		start := at + i
		at = start + len(markerOpen)
		end := strings.IndexByte(s[at:min(len(s), at+markerName)], ']')
		if end < 0 {
			continue
		}
		if name := s[at : at+end]; rules().known(name) {
			found = append(found, span{start: start, end: at + end + 1, rule: name})
			at += end + 1
		}
	}
}

// without cuts the given markers, sorted and apart, out of sp.
func (sp span) without(known []span) []span {
	var parts []span
	at := sp.start
	first := sort.Search(len(known), func(i int) bool { return known[i].end > sp.start })
	for _, m := range known[first:] {
		if m.start >= sp.end {
			break
		}
		if m.start > at {
			parts = append(parts, span{start: at, end: m.start})
		}
		at = max(at, m.end)
	}
	if at < sp.end {
		parts = append(parts, span{start: at, end: sp.end})
	}
	return parts
}

// around widens sp so that it never cuts a marker in two.
func (sp span) around(known []span) span {
	first := sort.Search(len(known), func(i int) bool { return known[i].end > sp.start })
	for _, m := range known[first:] {
		if m.start >= sp.end {
			break
		}
		sp.start, sp.end = min(sp.start, m.start), max(sp.end, m.end)
	}
	return sp
}

// settle turns what the detectors found, in order of preference, into spans that are sorted and apart. Spans that
// overlap become one under the preferred name; a span that holds nothing but markers is dropped.
func settle(s string, found []span) []span {
	if len(found) == 0 {
		return nil
	}
	known := markers(s)
	kept := found[:0]
	for i, sp := range found {
		sp.rank = i
		if sp = sp.around(known); sp.start < sp.end && len(sp.without(known)) > 0 {
			kept = append(kept, sp)
		}
	}
	sort.Slice(kept, func(i, j int) bool {
		if kept[i].start != kept[j].start {
			return kept[i].start < kept[j].start
		}
		return kept[i].rank < kept[j].rank
	})
	out := kept[:0]
	for _, sp := range kept {
		if n := len(out); n > 0 && sp.start < out[n-1].end {
			last := &out[n-1]
			last.end = max(last.end, sp.end)
			if sp.rank < last.rank {
				last.rank, last.rule = sp.rank, sp.rule
			}
			continue
		}
		out = append(out, sp)
	}
	return out
}
