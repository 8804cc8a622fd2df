package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	driver "modernc.org/sqlite"

	"github.com/testigo/testigo/bench/bare"
	"github.com/testigo/testigo/bench/corpus"
	"github.com/testigo/testigo/bench/measure"
	"github.com/testigo/testigo/bench/stock"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "search:", err)
		os.Exit(1)
	}
}

var sizes = measure.Sizes([]int{10_000, 100_000, 1_000_000}, []int{2000, 10_000})

func run(ctx context.Context, args []string) error {
	driver.Fdatasync(true) //nolint:errcheck // as the product does; elsewhere than on Linux there is none
	dir, cleanup, err := measure.Work()
	if err != nil {
		return err
	}
	defer cleanup()
	switch {
	case len(args) == 0:
		return compare(ctx, dir)
	case args[0] == "search":
		return bare.Main(ctx, "sqlite", args)
	case args[0] == "profile" && len(args) == 2:
		return profile(ctx, dir, args[1])
	}
	return errors.New("usage: search [profile DIR]")
}

// contest is one comparison at one size: rounds of times in ms.
type contest struct {
	name          string
	ours, bare, c rounds
}

// begin starts a round.
func (k *contest) begin(withC bool) {
	k.ours, k.bare = append(k.ours, nil), append(k.bare, nil)
	if withC {
		k.c = append(k.c, nil)
	}
}

// ask asks everybody once. Who goes first turns, because the first one reads pages into the operating system's cache.
func (k *contest) ask(i int, ours, bare, c func() (float64, error)) error {
	asked := []struct {
		into rounds
		ask  func() (float64, error)
	}{{k.ours, ours}, {k.bare, bare}, {k.c, c}}
	for j := range asked {
		a := asked[(i+j)%len(asked)]
		if len(a.into) == 0 {
			continue
		}
		ms, err := a.ask()
		if err != nil {
			return err
		}
		last := len(a.into) - 1
		a.into[last] = append(a.into[last], ms)
	}
	return nil
}

type rounds [][]float64

func (r rounds) each(q float64) []float64 {
	out := make([]float64, len(r))
	for i, times := range r {
		out[i] = measure.Quantile(times, q)
	}
	return out
}

func (r rounds) cell() string {
	if len(r) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3f / %.2f", measure.Median(r.each(0.5)), measure.Median(r.each(0.99)))
}

func compare(ctx context.Context, dir string) error {
	t := measure.Table{
		Title: "recall: by name and by search, p50 / p99 in ms",
		Head:  []string{"facts", "", "testigo", "bare SQL, same driver", "C", "p50 to bare", "p50 to C"},
	}
	var misses []string
	for _, n := range sizes {
		path, err := stock.Filled(ctx, dir, corpus.Writes(n), func(v int) { fmt.Fprintf(os.Stderr, "search: filling, %d versions\n", v) })
		if err != nil {
			return err
		}
		list, err := contests(ctx, path, n)
		if err != nil {
			return err
		}
		for _, c := range list {
			t.Row(measure.Count(n), "%s | %s | %s | %s | %s | %s", c.name, c.ours.cell(), c.bare.cell(), c.c.cell(),
				ratio(c.ours, c.bare), ratio(c.ours, c.c))
		}
		misses = append(misses, targets(n, list)...)
	}
	for _, m := range misses {
		t.Note("%s", m)
	}
	t.Note("C answers the unscoped question in both rows of a search; a scope holds about one fact in %d", corpus.Scopes)
	t.Note("each contender is a process of its own with a page cache of 3 MiB; the files are in the operating system's cache after the first questions")
	fmt.Print(t)
	return nil
}

func ratio(a, b rounds) string {
	if len(b) == 0 {
		return "–"
	}
	return measure.Ratios(a.each(0.5), b.each(0.5)).String()
}

func targets(n int, list []*contest) []string {
	point, free, scoped := list[0], list[1], list[2]
	out := []string{fmt.Sprintf("targets at %s: by name %s ms; search %s × bare", measure.Count(n),
		measure.AtMost(measure.Median(point.ours.each(0.5)), 0.5), measure.AtMost(measure.Ratios(free.ours.each(0.5), free.bare.each(0.5)).Median, 1.5))}
	if len(scoped.c) > 0 {
		out[0] += "; scoped search " + measure.AtMost(measure.Ratios(scoped.ours.each(0.5), scoped.c.each(0.5)).Median, 1) + " × C's unscoped"
	}
	return out
}

// contests runs all comparisons on one store.
func contests(ctx context.Context, path string, n int) ([]*contest, error) {
	p, err := open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer p.close() //nolint:errcheck // everything was read
	perRound := measure.Pick(100, 20)
	fresh := func() []*contest {
		return []*contest{{name: "by name"}, {name: "search, all scopes"}, {name: "search, one scope of 50"}}
	}
	if err := p.round(ctx, fresh(), n, 0, 20); err != nil { // warms up
		return nil, err
	}
	list := fresh()
	for r := range measure.Pick(3, 2) {
		if err := p.round(ctx, list, n, (r+1)*perRound, perRound); err != nil {
			return nil, err
		}
	}
	return list, nil
}
