package mcp

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
)

// Sizes of an answer in bytes of its JSON text.
const (
	// answerBudget is what a list may fill; the rest of answerLimit is for what stands around it.
	answerBudget = 7_000
	// answerLimit is what no answer exceeds unless the call asked for more: the smallest cap among known clients is
	// about 10,000 bytes, and 8 KiB leaves room for what they add.
	answerLimit = 8_191
)

func fits(v any) bool { return len(encode(v)) <= answerLimit }

// levels are how many items of a list, and how many characters of a text as a multiple, a crowded answer keeps. The use
// cases bound their lists by size and give cursors; what is left for here is one entry that is itself too large, and
// lists that have no cursor.
var levels = []int{100, 60, 40, 25, 15, 8, 4, 2}

// fit cuts until v fits, a little more each time, and always from the whole.
func fit[T any](v T, cut func(T, int) T) T {
	if fits(v) {
		return v
	}
	out := v
	for _, n := range levels {
		if out = cut(v, n); fits(out) {
			break
		}
	}
	return out
}

// first keeps n items of a list and says in notes how many there were.
func first[T any](list []T, n int, what, where string, notes *[]string) []T {
	if len(list) <= n {
		return list
	}
	*notes = append((*notes)[:len(*notes):len(*notes)], fmt.Sprintf("%s: %d of %d shown; %s", what, n, len(list), where))
	return list[:n]
}

// clipped keeps the beginning of a text and says how long it was.
func clipped(s string, chars int) string {
	total := utf8.RuneCountInString(s)
	if total <= chars {
		return s
	}
	return fmt.Sprintf("%s… (%d of %d characters)", string([]rune(s)[:chars]), chars, total)
}

func clippedAll(list []string, chars int) []string {
	var out []string
	for _, s := range list {
		out = append(out, clipped(s, chars))
	}
	return out
}

const wholeFact = "recall this name with max_chars 100000 shows all"

func fitRecall(res memory.RecallResult) memory.RecallResult {
	return fit(res, func(r memory.RecallResult, n int) memory.RecallResult {
		if r.Fact != nil {
			f := fewer(*r.Fact, n, &r.Notes)
			r.Fact = &f
		}
		r.Facts = nil
		for _, f := range res.Facts {
			r.Facts = append(r.Facts, fewer(f, n, &r.Notes))
		}
		return r
	})
}

// fewer shows less of what stands around a value. The value is never cut here: a part of JSON is other JSON.
func fewer(f memory.Fact, n int, notes *[]string) memory.Fact {
	f.Tags = first(f.Tags, n, "tags of "+f.Name, wholeFact, notes)
	f.Sources = first(f.Sources, n, "sources of "+f.Name, wholeFact, notes)
	f.StaleSources = first(f.StaleSources, n, "stale sources of "+f.Name, wholeFact, notes)
	return f
}

func fitHistory(res memory.HistoryResult) any {
	type noted struct {
		memory.HistoryResult
		Notes []string `json:"notes,omitempty"`
	}
	return fit(noted{HistoryResult: res}, func(r noted, n int) noted {
		r.Versions = nil
		for _, e := range res.Versions {
			what := fmt.Sprintf("moves of version %d", e.Version)
			e.Fact = fewer(e.Fact, n, &r.Notes)
			e.Moves = first(e.Moves, n, what, "`testigo history` shows all", &r.Notes)
			moves := make([]memory.OutcomeView, len(e.Moves))
			for i, m := range e.Moves {
				m.Note, m.OutcomeRef = clipped(m.Note, 10*n), clipped(m.OutcomeRef, max(100, 5*n))
				moves[i] = m
			}
			e.Moves = moves
			r.Versions = append(r.Versions, e)
		}
		return r
	})
}

func fitStats(res memory.StatsResult) memory.StatsResult {
	return fit(res, func(r memory.StatsResult, n int) memory.StatsResult {
		r.ByAgent = first(r.ByAgent, n, "by_agent", "`testigo stats` shows all", &r.Notes)
		r.ByScope = first(r.ByScope, n, "by_scope", "`testigo stats` shows all", &r.Notes)
		if r.Verification != nil {
			v := *r.Verification
			v.Damage = first(v.Damage, n, "damage", "`testigo verify` shows more", &r.Notes)
			r.Verification = &v
		}
		return r
	})
}

func fitHandoff(res handoff.Result) handoff.Result {
	return fit(res, func(r handoff.Result, n int) handoff.Result {
		r.Pins = first(r.Pins, n, "pins", "resume with peek and handoff_id "+r.ID+" lists them all", &r.Notes)
		return r
	})
}

func fitOutcome(res handoff.OutcomeResult) handoff.OutcomeResult {
	return fit(res, func(r handoff.OutcomeResult, n int) handoff.OutcomeResult {
		var cut []string
		r.Moved = first(r.Moved, n, "moved", "history of a fact tells its moves", &cut)
		notes := first(r.Notes, n, "notes", "history of a fact tells its moves", &cut)
		r.Notes = slices.Concat(cut, notes)
		r.OutcomeRef = clipped(r.OutcomeRef, max(100, 5*n))
		return r
	})
}

const wholePacket = "cut to fit; the same resume with max_chars 100000 shows all of it"

// fitResume shortens single texts of a page. The page itself was cut by the use case, whose cursor goes on behind it.
func fitResume(res handoff.ResumeResult) handoff.ResumeResult {
	return fit(res, func(r handoff.ResumeResult, n int) handoff.ResumeResult {
		chars := 20 * n
		r.Notes = append(r.Notes[:len(r.Notes):len(r.Notes)], wholePacket)
		r.Summary = clipped(r.Summary, max(300, chars))
		if r.Packet != nil {
			p := *r.Packet
			p.OpenQuestions, p.NextSteps, p.Tried = clippedAll(p.OpenQuestions, chars), clippedAll(p.NextSteps, chars), clippedAll(p.Tried, chars)
			p.Summary = clipped(p.Summary, chars)
			if p.Workspace != nil {
				w := fewerChanges(*p.Workspace, n, &r.Notes)
				p.Workspace = &w
			}
			r.Packet = &p
		}
		r.Queue = nil
		for _, it := range res.Queue {
			it.Title = clipped(it.Title, max(40, n))
			r.Queue = append(r.Queue, it)
		}
		return r
	})
}

func fewerChanges(w testigo.WorkspaceChange, n int, notes *[]string) testigo.WorkspaceChange {
	w.Commits = clippedAll(first(w.Commits, n, "commits", wholePacket, notes), 100)
	w.Files = first(w.Files, n, "files", wholePacket, notes)
	w.Notes = first(w.Notes, n, "workspace notes", wholePacket, notes)
	return w
}
