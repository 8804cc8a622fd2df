package search

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/testigo/testigo"
)

// candidates indexes versions as a store holding nothing else would return them.
func candidates(versions ...testigo.Version) testigo.Candidates {
	c := testigo.Candidates{Docs: len(versions), DocFreq: map[string]int{}, Total: len(versions)}
	for i, v := range versions {
		if v.Seq == 0 {
			v.Seq = int64(100 * (i + 1)) // too far apart to be nearby
		}
		v.Name.Scope, v.Name.Key = "s", fmt.Sprint("key", i)
		text := Index(v, nil)
		c.List = append(c.List, testigo.Candidate{Version: v, Text: text})
		seen := map[string]bool{}
		for term := range strings.FieldsSeq(text.Body) {
			c.AvgBody += 1 / float64(len(versions))
			if !seen[term] {
				seen[term] = true
				c.DocFreq[term]++
			}
		}
	}
	return c
}

func value(s string) []byte { return []byte(`"` + s + `"`) }

// order returns which of the candidates come out, best first.
func order(hits []Hit) string {
	var b strings.Builder
	for _, h := range hits {
		b.WriteString(strings.TrimPrefix(h.Candidate.Version.Name.Key, "key"))
	}
	return b.String()
}

func part(h Hit, name string) float64 {
	for _, p := range h.Parts {
		if p.Name == name {
			return p.Value
		}
	}
	return 0
}

func TestRank(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, query string
		list        []testigo.Version
		want        string
	}{
		{"more of the query is better", "retry deadline", []testigo.Version{
			{Value: value("the retry queue")}, {Value: value("the retry deadline")}, {Value: value("the deadline passed")},
		}, "120"},
		{"short texts say more", "deadline", []testigo.Version{
			{Value: value("deadline and many other words about quite different subjects of this project")},
			{Value: value("deadline moved")},
		}, "10"},
		{"the named author first", "what did alice say about deadlines", []testigo.Version{
			{Value: value("alice has a deadline"), Author: "bob"}, {Value: value("my deadline is over"), Author: "alice"},
		}, "10"},
		{"the named tag first", "release notes deadline", []testigo.Version{
			{Value: value("deadline one"), Tags: []string{"release-plan"}},
			{Value: value("deadline two"), Tags: []string{"release-notes"}},
		}, "10"},
		{"the phrase first", `"cold start" deadline`, []testigo.Version{
			{Value: value("start the deadline in a cold room")}, {Value: value("deadline of a cold start here now")},
		}, "10"},
		{"a time for a when", "when was the deadline", []testigo.Version{
			{Value: value("deadline kept well")}, {Value: value("deadline since yesterday")},
		}, "10"},
		{"confidence breaks a tie", "deadline", []testigo.Version{
			{Value: value("deadline"), Confidence: 0.9}, {Value: value("deadline"), Confidence: 0.5},
		}, "01"},
		{"then the newest", "deadline", []testigo.Version{
			{Value: value("deadline")}, {Value: value("deadline")}, {Value: value("deadline")},
		}, "210"},
		{"no query keeps the newest first", "", []testigo.Version{{Value: value("a")}, {Value: value("b")}}, "10"},
		{"only a name", "alice", []testigo.Version{
			{Value: value("about alice"), Author: "bob"}, {Value: value("alice"), Author: "alice"},
		}, "10"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hits := Parse(tt.query).Rank(candidates(tt.list...), 0)
			if got := order(hits); got != tt.want {
				t.Errorf("order %s, want %s: %+v", got, tt.want, hits)
			}
			for _, h := range hits {
				sum := 0.0
				for _, p := range h.Parts {
					sum += p.Value
				}
				if math.Abs(sum-h.Score) > 1e-9 || math.IsNaN(sum) {
					t.Errorf("parts %v do not add up to %v", h.Parts, h.Score)
				}
			}
		})
	}
}

func TestRankNearby(t *testing.T) {
	t.Parallel()
	list := []testigo.Version{
		{Seq: 1, Session: "a", Value: value("deadline moved")},
		{Seq: 50, Session: "b", Value: value("deadline moved")},
		{Seq: 51, Session: "b", Value: value("deadline kept")},
		{Seq: 52, Session: "c", Value: value("deadline kept")},
	}
	hits := Parse("deadline").Rank(candidates(list...), 0)
	if got := order(hits); got[:2] != "21" || part(hits[0], "nearby") == 0 || part(hits[3], "nearby") != 0 {
		t.Errorf("order %s: %+v", got, hits)
	}
}

func TestRankContextCountsLess(t *testing.T) {
	t.Parallel()
	c := candidates(testigo.Version{Value: value("something else")}, testigo.Version{Value: value("deadline moved")})
	c.List[0].Text.Context, c.AvgContext = "deadline move", 1
	hits := Parse("deadline moved").Rank(c, 0)
	if order(hits) != "10" || part(hits[1], "context") == 0 || part(hits[1], "body") != 0 {
		t.Errorf("%+v", hits)
	}
}

func TestRankLimit(t *testing.T) {
	t.Parallel()
	c := candidates(testigo.Version{Value: value("a deadline")}, testigo.Version{Value: value("deadline")})
	if n := len(Parse("deadline").Rank(c, 1)); n != 1 {
		t.Errorf("%d hits", n)
	}
	if n := len(Parse("deadline").Rank(testigo.Candidates{}, 10)); n != 0 {
		t.Errorf("%d hits of none", n)
	}
	c.Docs, c.DocFreq, c.AvgBody = 0, nil, 0 // a store that counts nothing
	for _, h := range Parse("deadline").Rank(c, 0) {
		if math.IsNaN(h.Score) || math.IsInf(h.Score, 0) || h.Score <= 0 {
			t.Errorf("score %v", h.Score)
		}
	}
}
