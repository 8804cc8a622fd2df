package measure

import (
	"os"
	"strconv"
	"strings"
)

// Quick reports whether QUICK asks for small sizes: they show that everything runs, and no more.
func Quick() bool { return os.Getenv("QUICK") != "" && os.Getenv("QUICK") != "0" }

// Pick returns full, or quick when QUICK asks for small sizes.
func Pick[T any](full, quick T) T {
	if Quick() {
		return quick
	}
	return full
}

// Sizes are the store sizes to measure: SIZES ("10000,100000") when given, else full or quick.
func Sizes(full, quick []int) []int {
	var list []int
	for s := range strings.SplitSeq(os.Getenv("SIZES"), ",") {
		if n, err := strconv.Atoi(strings.TrimSpace(s)); err == nil && n > 0 {
			list = append(list, n)
		}
	}
	if len(list) > 0 {
		return list
	}
	return Pick(full, quick)
}

// Count writes a store size as people say it: 10 k, 1 M.
func Count(n int) string {
	switch {
	case n >= 1_000_000 && n%1_000_000 == 0:
		return strconv.Itoa(n/1_000_000) + " M"
	case n >= 1000 && n%1000 == 0:
		return strconv.Itoa(n/1000) + " k"
	}
	return strconv.Itoa(n)
}
