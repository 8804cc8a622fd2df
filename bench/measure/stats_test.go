package measure

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestQuantile(t *testing.T) {
	t.Parallel()
	xs := []float64{9, 1, 8, 2, 7, 3, 6, 4, 5, 10}
	for _, tt := range []struct{ q, want float64 }{{0, 1}, {0.1, 1}, {0.5, 5}, {0.51, 6}, {0.99, 10}, {1, 10}} {
		if got := Quantile(xs, tt.q); got != tt.want {
			t.Errorf("q %v: %v, want %v", tt.q, got, tt.want)
		}
	}
	if Quantile(nil, 0.5) != 0 || xs[0] != 9 {
		t.Error("nothing has quantile 0, and the input stays as it was")
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		xs   []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{4, 1}, 2.5}, {[]float64{5, 1, 2}, 2}} {
		if got := Median(tt.xs); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.xs, got, tt.want)
		}
	}
}

// Both lie between the extremes, and half of the values are on either side.
func TestQuantilesStayInside(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 1, 50).Draw(t, "xs")
		q := rapid.Float64Range(0, 1).Draw(t, "q")
		got, m := Quantile(xs, q), Median(xs)
		if !slices.Contains(xs, got) || m < slices.Min(xs) || m > slices.Max(xs) {
			t.Fatalf("quantile %v, median %v", got, m)
		}
		atMost := 0
		for _, x := range xs {
			if x <= got {
				atMost++
			}
		}
		if float64(atMost) < q*float64(len(xs)) {
			t.Fatalf("%d of %d are at most %v, q %v", atMost, len(xs), got, q)
		}
	})
}

// A noisy round moves both contenders and so not their ratio.
func TestRatios(t *testing.T) {
	t.Parallel()
	r := Ratios([]float64{50, 10, 40, 7}, []float64{100, 20, 50, 0})
	if r != (Ratio{0.5, 0.5, 0.8}) {
		t.Errorf("%+v", r)
	}
	if Ratios([]float64{1}, nil) != (Ratio{}) {
		t.Error("no round in common")
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	tb := Table{Title: "speed", Head: []string{"who", "n"}}
	tb.Row("us", "%d", 3)
	tb.Row("them", "%.1f | %s", 2.5, "x")
	want := "\n### speed\n\n| who | n |\n|---|---|\n| us | 3 |\n| them | 2.5 | x |\n"
	if got := tb.String(); got != want {
		t.Errorf("got %q", got)
	}
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	if !strings.HasSuffix(AtLeast(0.71, 0.7), "met") || !strings.HasSuffix(AtMost(2, 1.5), "missed") {
		t.Error(AtLeast(0.71, 0.7), AtMost(2, 1.5))
	}
}

func TestSizes(t *testing.T) {
	t.Setenv("SIZES", "10, 20")
	if got := Sizes([]int{1}, []int{2}); !slices.Equal(got, []int{10, 20}) {
		t.Errorf("%v", got)
	}
	t.Setenv("SIZES", "")
	t.Setenv("QUICK", "1")
	if got := Sizes([]int{1}, []int{2}); !slices.Equal(got, []int{2}) || Pick(9, 3) != 3 {
		t.Errorf("%v", got)
	}
}
