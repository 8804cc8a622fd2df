package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// NearestNames returns at most n of names that somebody who wrote want may have meant, the likeliest first: the same
// name in other letters or separators, the same key in another scope, or a name a few typing mistakes away. Names that
// resemble want no more than any two words do are left out.
func NearestNames(want string, names []string, n int) []string {
	type candidate struct {
		name     string
		distance float64
	}
	folded := foldName(want)
	key := lastSegment(folded)
	found := make([]candidate, 0, len(names))
	scratch := make([]int, 0, 3*(utf8.RuneCountInString(folded)+1))
	for _, name := range names {
		other := foldName(name)
		d := resemblance(folded, other, scratch)
		if otherKey := lastSegment(other); key != "" && (key != folded || otherKey != other) {
			// The key carries most of a name; a wrong scope is the commonest mistake.
			d = min(d, 0.1+0.8*resemblance(key, otherKey, scratch))
		}
		if len(folded) > 2 && (strings.Contains(other, folded) || len(other) > 2 && strings.Contains(folded, other)) {
			d = min(d, 0.3)
		}
		if d <= tooFar {
			found = append(found, candidate{name, d})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	found = found[:clamp(n, 0, len(found))]
	out := make([]string, len(found))
	for i, c := range found {
		out[i] = c.name
	}
	return out
}

// tooFar is the share of a name that may differ: past half of it, a suggestion is a guess that misleads.
const tooFar = 0.5

// foldName makes names equal that differ in case, accents, camel case or the kind of separator, and keeps slashes.
func foldName(name string) string {
	b := make([]byte, 0, len(name))
	for _, r := range normal(name) {
		switch k := classOf(r); {
		case r == '/':
			b = append(b, '/')
		case k.isWord() || k == dense:
			b = appendFolded(b, r)
		case k == symbol:
			b = utf8.AppendRune(b, r)
		}
	}
	return string(b)
}

func lastSegment(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// resemblance is the edit distance of a and b as a share of the longer one, or 1 when their lengths alone are too far
// apart. Swapping two neighbours is one edit.
func resemblance(a, b string, scratch []int) float64 {
	if a == b {
		return 0
	}
	x, y := []rune(a), []rune(b)
	longer := max(len(x), len(y))
	if float64(max(len(x)-len(y), len(y)-len(x))) > tooFar*float64(longer) {
		return 1
	}
	width := len(x) + 1
	scratch = slices.Grow(scratch[:0], 3*width)[:3*width]
	before, above, row := scratch[:width], scratch[width:2*width], scratch[2*width:]
	for i := range above {
		above[i] = i
	}
	for j := 1; j <= len(y); j++ {
		row[0] = j
		for i := 1; i <= len(x); i++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			d := min(above[i]+1, row[i-1]+1, above[i-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d = min(d, before[i-2]+1)
			}
			row[i] = d
		}
		before, above, row = above, row, before
	}
	return float64(above[len(x)]) / float64(longer)
}
