package demo

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/testigo/testigo"
)

// plan is what a turn will do.
type plan struct {
	outcome  testigo.TurnState
	duration time.Duration
	summary  string
}

const (
	shortest = 4 * time.Second
	longest  = 15 * time.Second
)

var summaries = [...]string{
	"Checked it and found nothing to object to.",
	"Done; the tests are green.",
	"Went through all points and answered each.",
	"Fixed the cause and added a test for it.",
	"Compared both ways and chose the simpler one.",
	"Done, with one open question for later.",
	"Wrote the summary and linked what it rests on.",
	"Repeated the measurement; the numbers hold.",
}

// planOf decides a turn.
func planOf(seed int64, requestID string, speed float64) plan {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s", seed, requestID))
	number := func(i int) uint64 { return binary.BigEndian.Uint64(sum[8*i:]) }
	p := plan{outcome: testigo.TurnFinished}
	switch roll := number(0) % 100; {
	case roll >= 90:
		p.outcome = testigo.TurnStopped
	case roll >= 80:
		p.outcome = testigo.TurnFailed
	}
	// A remainder of 2⁶⁴ by eleven thousand is even enough for a play.
	took := shortest + time.Duration(number(1)%uint64((longest-shortest)/time.Millisecond+1))*time.Millisecond
	p.duration = time.Duration(float64(took) / speed)
	p.summary = summaries[number(2)%uint64(len(summaries))]
	return p
}

// maxPinsNamed is how many pins a summary names.
const maxPinsNamed = 8

// withPins adds the pins that a card names to a summary: proof that its text arrived.
func withPins(summary, card string) string {
	pins := pinsIn(card)
	if len(pins) == 0 {
		return summary
	}
	more := ""
	if n := len(pins) - maxPinsNamed; n > 0 {
		pins, more = pins[:maxPinsNamed], fmt.Sprintf(" and %d more", n)
	}
	return summary + " Used " + strings.Join(pins, ", ") + more + "."
}

// pinsIn finds what reads like scope/key@version, each once, in the order of the text.
func pinsIn(card string) []string {
	var pins []string
	for _, word := range strings.FieldsFunc(card, func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune("`'\"()[]{}<>,;|*", c) }) {
		word = strings.TrimRight(word, ".:!?…")
		if !strings.Contains(word, "/") || strings.Contains(word, "://") {
			continue
		}
		ref, err := testigo.ParseRef(word)
		if err != nil || ref.Version < 1 || ref.Scope == "" || ref.Key == "" {
			continue
		}
		if pin := ref.String(); !slices.Contains(pins, pin) {
			pins = append(pins, pin)
		}
	}
	return pins
}
