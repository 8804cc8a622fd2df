package search

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/testigo/testigo"
)

// prose is 300 bytes of English as agents write it.
const prose = `The migration of the billing worker finished on Tuesday, but the retry queue still holds 38 jobs because ` +
	`the deadline in internal/worker/retry.go was read as seconds. We changed it to milliseconds, added a regression test ` +
	`for parseDeadline and asked the payments team to replay everything older than six hours.`

func BenchmarkTokeniseProse300B(b *testing.B) {
	text := prose[:300]
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		l := newLexer(MaxTerms)
		l.add(text)
		l.free()
	}
}

func BenchmarkTokeniseChinese300B(b *testing.B) {
	text := strings.Repeat("重跑生成任务后清零计数器并通知团队，", 6)[:300]
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		l := newLexer(MaxTerms)
		l.add(text)
		l.free()
	}
}

func BenchmarkIndex(b *testing.B) {
	value, _ := json.Marshal(map[string]any{"summary": prose[:280], "jobs": 38})
	v := testigo.Version{
		Name:  testigo.Name{Project: "p", Scope: "billing/worker", Key: "retry-deadline"},
		Value: value, Tags: []string{"incident", "payments"},
	}
	before := []testigo.IndexText{Index(v, nil), Index(v, nil)}
	b.ReportAllocs()
	for b.Loop() {
		Index(v, before)
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Parse("What did the payments team change about the retry deadline in worker/retry.go?")
	}
}

func BenchmarkRank50(b *testing.B) {
	plan := Parse("What did the payments team change about the retry deadline in worker/retry.go?")
	c := testigo.Candidates{Docs: 5000, DocFreq: map[string]int{}}
	var before []testigo.IndexText
	for i := range 50 {
		v := testigo.Version{
			Seq: int64(i), Name: testigo.Name{Project: "p", Scope: "billing/worker", Key: fmt.Sprint("note-", i)},
			Tags: []string{"payments"}, Author: "builder", Session: fmt.Sprint("s", i%3),
		}
		v.Value, _ = json.Marshal(prose[i%40:])
		text := Index(v, before)
		before = []testigo.IndexText{text, text}
		c.List = append(c.List, testigo.Candidate{Version: v, Text: text})
		c.AvgBody += float64(strings.Count(text.Body, " ")+1) / 50
		c.AvgContext += float64(strings.Count(text.Context, " ")+1) / 50
	}
	for i, term := range plan.Terms() {
		c.DocFreq[term] = 50 + 7*i
	}
	b.ReportAllocs()
	for b.Loop() {
		plan.Rank(c, 10)
	}
}

// The first words of a process are stemmed; the memo helps from the second time on.
func BenchmarkTokeniseProse300BUnseenWords(b *testing.B) {
	text := prose[:300]
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		l := newLexer(MaxTerms)
		l.add(text)
		for word := range strings.FieldsSeq(string(l.out)) {
			newStemmed(word)
		}
		l.free()
	}
}
