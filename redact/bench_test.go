package redact

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/zricethezav/gitleaks/v8/config"
)

// prose is what a session's notes look like: words, code, a digest, the odd word that wakes a rule.
const prose = "They asked whether the task queue drops messages. It does not: `queue.Push(ctx, msg)` returns after the commit.\n" +
	"See internal/queue/push.go:88 and commit 3f9a1c7e5b2d80463f9a1c7e5b2d80463f9a1c7e. The token bucket keeps its rate, the\n" +
	"password form shows an error, linear search is fine for 20 rows. Ask in the discord channel, test with curl locally.\n"

func BenchmarkText(b *testing.B) {
	for _, kib := range []int{1, 16, 256} {
		text := strings.Repeat(prose, kib<<10/len(prose)+1)[:kib<<10]
		b.Run(fmt.Sprintf("prose/%dKiB", kib), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Text(text)
			}
		})
	}
	plain := strings.Repeat("They asked whether the queue drops messages. It does not, as the test in push.go:88 shows.\n", 12)
	b.Run("plain/1KiB", func(b *testing.B) {
		b.SetBytes(int64(len(plain)))
		for b.Loop() {
			Text(plain)
		}
	})
	text := strings.Repeat(prose, 4) + "export TOKEN=" + mixed(40) + "\n" + githubToken() + "\n"
	b.Run("secrets/1KiB", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			Text(text)
		}
	})
}

func BenchmarkJSON(b *testing.B) {
	line, _ := json.Marshal(map[string]any{"role": "user", "text": prose, "at": 12.5})
	doc := []byte("[" + strings.Repeat(string(line)+",", 40) + "null]")
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		if _, _, err := JSON(doc); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFirst is what the first call of a process pays: reading the catalogue, and the rules a text wakes.
func BenchmarkFirst(b *testing.B) {
	for name, text := range map[string]string{"no keyword": "a plain line of words", "github": "see " + githubToken(), "prose": prose} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				cat := newCatalogue(config.DefaultConfig)
				cat.upstreamSpans(text, cat.words.find(text))
			}
		})
	}
}
