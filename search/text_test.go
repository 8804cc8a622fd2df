package search

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSnippet(t *testing.T) {
	t.Parallel()
	far := strings.Repeat("filler words ", 40) + "the deadline moved " + strings.Repeat("more filler ", 40)
	url := "see https://example.com/a/very/long/path/that/goes/on/and/on for the deadline of everything"
	for _, tt := range []struct {
		name, text, query string
		max               int
		want              string
	}{
		{"short text as it is", "the deadline", "deadline", 40, "the deadline"},
		{"beginning without a match", "one two three four five", "zebra", 15, "one two…"},
		{"match near the start", "the deadline moved by two weeks", "deadline", 20, "the deadline…"},
		{"end of the text", strings.Repeat("x ", 50) + "deadline", "deadline", 20, "…x x x x deadline"},
		{"match in the middle", far, "deadlines", 40, "…the deadline moved more filler…"},
		{"a link is left out rather than cut", url, "deadline", 50, "…for the deadline of everything"},
		{"nothing fits", "deadline", "deadline", 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Snippet(tt.text, Parse(tt.query), tt.max); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	chinese := strings.Repeat("我们讨论了很多", 40) + "数据库" + strings.Repeat("然后又说", 40)
	if got := Snippet(chinese, Parse("数据库"), 60); !strings.Contains(got, "数据库") || len(got) > 60 || !utf8.ValidString(got) {
		t.Errorf("got %q", got)
	}
}

func FuzzSnippet(f *testing.F) {
	f.Add("the deadline 数据库 moved", "deadline", 12)
	f.Add("ﬁ\u0301x\xff 🚀🚀🚀🚀🚀", "🚀", 9)
	f.Fuzz(func(t *testing.T, text, query string, max int) {
		got := Snippet(text, Parse(query), max)
		if len(got) > clamp(max, 0, len(text)) {
			t.Errorf("%d bytes, at most %d wanted", len(got), max)
		}
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("cut inside a character: %q", got)
		}
	})
}

func TestNearestNames(t *testing.T) {
	t.Parallel()
	names := []string{
		"listing/482/price", "listing/48/price", "listing/482/owner", "billing/retry-deadline", "build/cache", "notes/Müller",
		"db/migration-plan",
	}
	for _, tt := range []struct{ want, first string }{
		{"listing/482/prcie", "listing/482/price"},
		{"billing/retryDeadline", "billing/retry-deadline"},
		{"worker/retry_deadline", "billing/retry-deadline"},
		{"retry-deadlin", "billing/retry-deadline"},
		{"notes/muller", "notes/Müller"},
		{"db/migration", "db/migration-plan"},
	} {
		if got := NearestNames(tt.want, names, 3); len(got) == 0 || got[0] != tt.first || len(got) > 3 {
			t.Errorf("%s: %q, want %s first", tt.want, got, tt.first)
		}
	}
	if got := NearestNames("zzz/quartz", names, 3); len(got) != 0 {
		t.Errorf("unrelated names offered: %q", got)
	}
	for _, want := range []string{"", "/", "\xff", "数据"} {
		_ = NearestNames(want, names, 3)
	}
	if got := NearestNames("build/cache", names, -1); len(got) != 0 {
		t.Errorf("got %q", got)
	}
}

func BenchmarkNearestNames1000(b *testing.B) {
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprintf("service-%d/component/setting-%d", i%40, i))
	}
	for b.Loop() {
		NearestNames("service-7/component/seting-321", names, 5)
	}
}
