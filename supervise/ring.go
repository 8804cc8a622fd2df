package supervise

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

const (
	// tailLines and lineChars bound what is kept of a command's output: enough to see why it failed.
	tailLines = 20
	lineChars = 500
	// lineBytes is what 500 characters can take; the rest of a longer line is read and dropped.
	lineBytes = 4 * lineChars
)

// ring keeps the end of a stream without end.
type ring struct {
	mu    sync.Mutex
	lines []string
	part  []byte // the line that has not ended
	bytes int64
}

func (r *ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bytes += int64(len(p))
	for rest := p; len(rest) > 0; {
		end := slices.Index(rest, '\n')
		if end < 0 {
			r.add(rest)
			break
		}
		r.add(rest[:end])
		r.lines = append(r.lines, clean(r.part))
		r.part = r.part[:0]
		if n := len(r.lines) - tailLines; n > 0 {
			r.lines = slices.Delete(r.lines, 0, n)
		}
		rest = rest[end+1:]
	}
	return len(p), nil
}

func (r *ring) add(b []byte) {
	if room := lineBytes - len(r.part); room > 0 {
		r.part = append(r.part, b[:min(room, len(b))]...)
	}
}

// tail returns the last lines and how many bytes there were in all.
func (r *ring) tail() ([]string, int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := slices.Clone(r.lines)
	if len(r.part) > 0 {
		lines = append(lines, clean(r.part))
	}
	return lines[max(0, len(lines)-tailLines):], r.bytes
}

// clean makes a line showable: valid UTF-8, without what moves a terminal's cursor or turns text around.
func clean(line []byte) string {
	s := strings.Map(func(c rune) rune {
		if c != '\t' && (unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c)) {
			return -1
		}
		return c
	}, strings.ToValidUTF8(string(line), "\uFFFD"))
	if runes := []rune(s); len(runes) > lineChars {
		return string(runes[:lineChars])
	}
	return s
}
