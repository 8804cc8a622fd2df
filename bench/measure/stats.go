package measure

import (
	"math"
	"slices"
)

// Quantile returns the smallest value that at least the share q of xs does not exceed; 0 of nothing. It leaves xs alone.
func Quantile(xs []float64, q float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(xs))
	i := int(math.Ceil(q*float64(len(sorted)))) - 1
	return sorted[min(max(i, 0), len(sorted)-1)]
}

// Median is the middle value, or the mean of the two in the middle.
func Median(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(xs))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Ratio is what one contender's rounds are to another one's.
type Ratio struct{ Median, Low, High float64 }

// Ratios compares round by round: a[i] / b[i]. Rounds that only one of them has, or where b is 0, do not count.
func Ratios(a, b []float64) Ratio {
	var rs []float64
	for i := range min(len(a), len(b)) {
		if b[i] != 0 {
			rs = append(rs, a[i]/b[i])
		}
	}
	if len(rs) == 0 {
		return Ratio{}
	}
	return Ratio{Median(rs), slices.Min(rs), slices.Max(rs)}
}
