package memory_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

func names(fs []memory.Fact) []string {
	out := []string{}
	for _, f := range fs {
		out = append(out, f.Name)
	}
	return out
}

// A missing fact on a point read is not_found with the nearest names; an empty search is no error.
func TestNotFoundNamesTheNearest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout")
	w.remember(a, "service/payments/timeout", `30`)
	_, err := w.svc.Recall(w.ctx, a, memory.RecallParams{Key: "service/payment/timeout"})
	e := wantCode(t, err, testigo.CodeNotFound, "")
	if !strings.Contains(e.Next, "service/payments/timeout") {
		t.Errorf("next is %q", e.Next)
	}
	if res := w.recall(a, memory.RecallParams{Query: "zebra"}); len(res.Facts) != 0 || res.Summary != "no match" {
		t.Errorf("%+v", res)
	}
	_, err = w.svc.Recall(w.ctx, a, memory.RecallParams{Key: "service/payments/timeout", Version: 7})
	wantCode(t, err, testigo.CodeNotFound, "")
}

// F10: a scope is a prefix at a slash, never of a name.
func TestScopeIsNoRawPrefixF10(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout")
	w.remember(a, "listing/48/fit", `1`)
	w.remember(a, "listing/482/fit", `2`)
	res := w.recall(a, memory.RecallParams{Scope: "listing/48"})
	if got := names(res.Facts); !slices.Equal(got, []string{"listing/48/fit"}) {
		t.Errorf("%v", got)
	}
	if res := w.recall(a, memory.RecallParams{Scope: "listing"}); len(res.Facts) != 2 || res.Facts[0].Name != "listing/482/fit" {
		t.Errorf("newest first: %v", names(res.Facts))
	}
}

// F01, F02, F04, F05: whatever is typed is text.
func TestQueryIsTextF01F02F04F05(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout")
	w.remember(a, "doc/policy", `"see POL-358, a state-of-the-art pre-edit-check"`)
	w.remember(a, "doc/flag", `"pass --error-on-warnings to the build in path/to/x.go, version 38.101"`)
	w.remember(a, "doc/cjk", `"重跑gen-itgc后清零 数据库连接超时 データベース接続 데이터베이스 연결"`)
	w.remember(a, "doc/camel", `"parseHTTPRequest calls read_config_file"`)
	for q, want := range map[string]string{
		"POL-358": "doc/policy", "state-of-the-art": "doc/policy", "pre-edit-check": "doc/policy",
		`"--error-on-warnings"`: "doc/flag", "38.101": "doc/flag", "path/to/x.go": "doc/flag", "x.go": "doc/flag",
		"itgc": "doc/cjk", "gen-itgc": "doc/cjk", "数据": "doc/cjk", "连接超时": "doc/cjk", "データ": "doc/cjk", "데이터": "doc/cjk",
		"parse": "doc/camel", "parseHTTPRequest": "doc/camel", "config": "doc/camel", "read_config_file": "doc/camel",
		`"unclosed parse`: "doc/camel", "a AND parse": "doc/camel", "* (config": "doc/camel",
	} {
		res := w.recall(a, memory.RecallParams{Query: q})
		if len(res.Facts) == 0 || res.Facts[0].Name != want {
			t.Errorf("%q found %v, want %s first", q, names(res.Facts), want)
		}
	}
	for _, q := range []string{"'", "--", "*", "(", "\"", ";", strings.Repeat(" ", 9000), "AND", "NEAR(", "-", "^", ":"} {
		w.recall(a, memory.RecallParams{Query: q})
	}
}

// M03: a correction replaces what it corrects; the error is not found beside it.
func TestCorrectionReplacesM03(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout")
	w.remember(a, "api/limit", `"quota is seventeen per hour"`)
	w.remember(a, "api/limit", `"quota is forty per hour"`)
	if res := w.recall(a, memory.RecallParams{Query: "seventeen"}); len(res.Facts) != 0 {
		t.Errorf("the superseded value was found: %v", names(res.Facts))
	}
	if res := w.recall(a, memory.RecallParams{Query: "quota"}); len(res.Facts) != 1 || res.Facts[0].Version != 2 {
		t.Errorf("%+v", res.Facts)
	}
}

// M14: what nobody checked says so on every line; a report by somebody lifts it.
func TestStandingM14(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout")
	w.remember(a, "claim/x", `"never checked"`)
	if f := w.recall(a, memory.RecallParams{Query: "never checked"}).Facts[0]; f.Standing != "stated by scout, unchecked" {
		t.Errorf("%q", f.Standing)
	}
	w.remember(w.agent("other"), "claim/x", `"never checked"`)
	if f := w.recall(a, memory.RecallParams{Key: "claim/x"}).Fact; f.Standing != "stated by scout, restated by other, unchecked" {
		t.Errorf("%q", f.Standing)
	}
}

func TestAsOfGoesByCommitOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout")
	start := w.now
	w.remember(a, "a/b", `1`)
	w.now = start.Add(2 * time.Hour)
	w.remember(a, "a/b", `2`)
	w.now = start.Add(time.Hour) // the clock steps back
	w.remember(a, "a/b", `3`)
	at := func(d time.Duration) memory.RecallParams {
		return memory.RecallParams{Key: "a/b", AsOf: start.Add(d).Format(time.RFC3339)}
	}
	for d, want := range map[time.Duration]int{0: 1, 30 * time.Minute: 1, time.Hour: 3, 3 * time.Hour: 3} {
		if got := w.recall(a, at(d)).Fact.Version; got != want {
			t.Errorf("as of +%v: version %d, want %d", d, got, want)
		}
	}
	_, err := w.svc.Recall(w.ctx, a, at(-time.Minute))
	wantCode(t, err, testigo.CodeNotFound, "")
	_, err = w.svc.Recall(w.ctx, a, memory.RecallParams{Key: "a/b", AsOf: "yesterday"})
	wantCode(t, err, testigo.CodeInvalid, "as_of")
}

// E09: a cut value says how much is shown and reads on to the end, byte for byte, at any size.
func TestLongValuesReadOnE09(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout")
	value, _ := json.Marshal(strings.Repeat("語 https://example.org/a/b.c ", 900))
	w.remember(a, "long/v", string(value))
	var got strings.Builder
	for p := (memory.RecallParams{Key: "long/v", MaxChars: 1000}); ; {
		f := w.recall(a, p).Fact
		if f.Value != nil || f.ValueText == "" {
			t.Fatalf("%+v", f)
		}
		got.WriteString(f.ValueText)
		if f.Cursor == "" {
			break
		}
		p.Cursor = f.Cursor
	}
	if got.String() != string(value) {
		t.Error("the parts do not make the whole")
	}
	f := w.recall(a, memory.RecallParams{Query: "語"}).Facts[0]
	if f.Value != nil || len(f.ValueText) > 1024 || !strings.Contains(f.More, "recall long/v") || !strings.Contains(f.More, fmt.Sprint(f.ValueChars)) {
		t.Errorf("list shows %d bytes, more = %q", len(f.ValueText), f.More)
	}
	cursor := w.recall(a, memory.RecallParams{Key: "long/v", MaxChars: 1000}).Fact.Cursor
	w.remember(a, "long/v", `"short"`)
	_, err := w.svc.Recall(w.ctx, a, memory.RecallParams{Key: "long/v", Cursor: cursor})
	wantCode(t, err, testigo.CodeGone, "")
}

// F09, E01, E10: an answer is bounded by bytes, not by items, and says what is left.
func TestListBudgetF09E01E10(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout")
	for i := range 40 {
		v, _ := json.Marshal(strings.Repeat("filler text ", 1700))
		w.remember(a, fmt.Sprintf("big/%02d", i), string(v))
	}
	a.Budget = 7000
	seen := map[string]bool{}
	pages := 0
	for p := (memory.RecallParams{Query: "filler", Limit: 100}); ; pages++ {
		res := w.recall(a, p)
		if b, _ := json.Marshal(res); len(b) > 8192 {
			t.Fatalf("an answer of %d bytes", len(b))
		}
		if res.Total != 40 {
			t.Fatalf("total %d", res.Total)
		}
		for _, f := range res.Facts {
			if seen[f.Name] {
				t.Fatalf("%s twice", f.Name)
			}
			seen[f.Name] = true
		}
		if p.Cursor = res.Cursor; p.Cursor == "" {
			break
		}
	}
	if len(seen) != 40 {
		t.Errorf("paging saw %d of 40 in %d pages", len(seen), pages)
	}
}

// E08: paging by newest skips nothing when times are equal or step back.
func TestPagingByNewestE08(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout")
	for i := range 100 {
		if i == 50 {
			w.now = w.now.Add(-5 * time.Second)
		}
		w.remember(a, fmt.Sprintf("e/%03d", i), fmt.Sprint(i))
	}
	var got []string
	for p := (memory.RecallParams{Scope: "e", Limit: 7}); ; {
		res := w.recall(a, p)
		got = append(got, names(res.Facts)...)
		if p.Cursor = res.Cursor; p.Cursor == "" {
			break
		}
	}
	if len(got) != 100 || got[0] != "e/099" || got[99] != "e/000" || !slices.IsSortedFunc(got, func(a, b string) int { return strings.Compare(b, a) }) {
		t.Errorf("%d: %v", len(got), got)
	}
	_, err := w.svc.Recall(w.ctx, a, memory.RecallParams{Scope: "e", Tag: "other", Cursor: w.recall(a, memory.RecallParams{Scope: "e", Limit: 7}).Cursor})
	wantCode(t, err, testigo.CodeInvalid, "cursor")
}

// Pages of a ranked search never overlap and, together, hold every match, however deep.
func TestRankedPagesAreDisjoint(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout")
	for i := range 130 {
		w.remember(a, fmt.Sprintf("p/k%03d", i), fmt.Sprintf(`"common word, and number %d %s"`, i, strings.Repeat("common ", i%7)))
	}
	for _, limit := range []int{7, 10, 50, 100} {
		seen := map[string]bool{}
		for p := (memory.RecallParams{Query: "common", Limit: limit}); ; {
			res := w.recall(a, p)
			for _, f := range res.Facts {
				if seen[f.Name] {
					t.Fatalf("limit %d: %s twice", limit, f.Name)
				}
				seen[f.Name] = true
			}
			if p.Cursor = res.Cursor; p.Cursor == "" {
				break
			}
		}
		if len(seen) != 130 {
			t.Errorf("limit %d: saw %d of 130", limit, len(seen))
		}
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout")
	w.remember(a, "f/a", `"apple pie"`, func(p *memory.RememberParams) { p.Tags, p.Confidence = []string{"Fruit"}, ptr(0.9) })
	w.remember(a, "f/b", `"apple tree"`, func(p *memory.RememberParams) { p.Confidence = ptr(0.2) })
	w.remember(a, "g/c", `"apple cart"`, func(p *memory.RememberParams) { p.Tags = []string{"fruit"} })
	for _, tc := range []struct {
		p    memory.RecallParams
		want []string
	}{
		{memory.RecallParams{Tag: "FRUIT"}, []string{"g/c", "f/a"}},
		{memory.RecallParams{Query: "apple", Scope: "f", MinConfidence: ptr(0.5)}, []string{"f/a"}},
		{memory.RecallParams{MinConfidence: ptr(0.8)}, []string{"f/a"}},
		{memory.RecallParams{Query: "apple", Tag: "fruit", Scope: "g"}, []string{"g/c"}},
	} {
		if got := names(w.recall(a, tc.p).Facts); !slices.Equal(got, tc.want) {
			t.Errorf("%+v: %v, want %v", tc.p, got, tc.want)
		}
	}
}

func TestRecallBadInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout")
	for field, p := range map[string]memory.RecallParams{
		"limit":          {Limit: 101},
		"max_chars":      {Key: "a/b", MaxChars: 100_001},
		"version":        {Key: "a/b", Version: -1},
		"as_of":          {Key: "a/b", Version: 1, AsOf: "2026-01-01T00:00:00Z"},
		"key":            {Version: 2},
		"scope":          {Scope: "a//b"},
		"query":          {Query: strings.Repeat("x", 10_001)},
		"min_confidence": {MinConfidence: ptr(2.0)},
		"tag":            {Tag: strings.Repeat("x", 65)},
		"cursor":         {Query: "x", Cursor: "zzz"},
		"all_projects":   {Key: "a/b", AllProjects: true},
	} {
		_, err := w.svc.Recall(w.ctx, a, p)
		wantCode(t, err, testigo.CodeInvalid, field)
	}
	for _, q := range []string{"\xff\xfe", "a\x00b"} {
		_, err := w.svc.Recall(w.ctx, a, memory.RecallParams{Query: q})
		wantCode(t, err, testigo.CodeInvalid, "query")
	}
}

// P08, P17: an explicit project is honoured by every operation, and a read falls back to what all projects share.
func TestProjectsP08P17(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.agent("scout")
	in := func(project string) func(*memory.RememberParams) {
		return func(p *memory.RememberParams) { p.Project = project }
	}
	w.remember(a, "x/k", `"shared"`, in("none"))
	res := w.remember(a, "x/k", `"backend"`, in("backend"))
	if res.Version != 1 || *res.Project != "backend" || len(res.Notes) == 0 {
		t.Errorf("a project fact beside a shared one: %+v", res)
	}
	w.remember(a, "x/k", `"other"`, in("other"))
	for project, want := range map[string]string{"backend": `"backend"`, "other": `"other"`, "third": `"shared"`, "none": `"shared"`, "": `"shared"`} {
		if got := w.recall(a, memory.RecallParams{Project: project, Key: "x/k"}).Fact.Value; string(got) != want {
			t.Errorf("project %q reads %s, want %s", project, got, want)
		}
	}
	if got := w.recall(a, memory.RecallParams{Project: "backend", Scope: "x"}); len(got.Facts) != 2 {
		t.Errorf("a search sees its project and none: %v", got.Facts)
	}
	if got := w.recall(a, memory.RecallParams{Project: "*", Scope: "x"}); len(got.Facts) != 3 {
		t.Errorf("all projects: %d", len(got.Facts))
	}
	h, err := w.svc.History(w.ctx, a, memory.HistoryParams{Project: "backend", Key: "x/k"})
	if err != nil || *h.Project != "backend" {
		t.Errorf("%+v %v", h, err)
	}
}
