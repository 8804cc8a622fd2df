package cli

import (
	"strconv"
	"strings"
	"time"

	"github.com/testigo/testigo"
)

// maxSpan keeps a span of time from overflowing; no argument that takes one allows a longer one.
const maxSpan = 100 * 365 * 24 * time.Hour

// span reads a length of time as people write it: "90m", "2h", "3d", "1w".
func span(field, s string) (time.Duration, error) {
	bad := testigo.Invalid(field, "%q is no length of time: write 90m, 2h, 3d or 1w", visibleLine(s))
	for unit, day := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		number, ok := strings.CutSuffix(s, unit)
		if !ok {
			continue
		}
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > int(maxSpan/day) {
			return 0, bad
		}
		return time.Duration(n) * day, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 || d > maxSpan {
		return 0, bad
	}
	return d, nil
}

// expiry reads a point in time: a span from now, or RFC 3339, which the use case checks.
func expiry(s string, now time.Time) (string, error) {
	if s == "" || strings.Contains(s, "T") {
		return s, nil
	}
	d, err := span("expires", s)
	if err != nil {
		return "", testigo.Invalid("expires", "%q is neither a length of time (2h, 3d) nor an RFC 3339 time such as 2026-03-01T09:00:00+01:00", visibleLine(s))
	}
	return now.Add(d).Format(time.RFC3339), nil
}

// dueMinutes reads a span in whole minutes; 0 for none.
func dueMinutes(s string) (int, error) {
	if s == "" {
		return 0, nil
	}
	d, err := span("due", s)
	if err != nil {
		return 0, err
	}
	if d < time.Minute || d%time.Minute != 0 {
		return 0, testigo.Invalid("due", "%q is no whole number of minutes", visibleLine(s))
	}
	return int(d / time.Minute), nil
}
