package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"

	"github.com/testigo/testigo/bench/bare"
	"github.com/testigo/testigo/bench/corpus"
	"github.com/testigo/testigo/bench/measure"
	"github.com/testigo/testigo/bench/stock"
	"github.com/testigo/testigo/memory"
	"github.com/testigo/testigo/sqlite"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "verify:", err)
		os.Exit(1)
	}
}

var sizes = measure.Sizes([]int{100_000, 1_000_000}, []int{2000, 10_000})

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 0:
		return compare(ctx)
	case args[0] == "check" && len(args) == 2:
		return check(ctx, args[1])
	case args[0] == "scan" && len(args) == 2:
		return scan(ctx, args[1])
	case args[0] == "profile" && len(args) == 2:
		return profile(ctx, args[1])
	}
	return errors.New("usage: verify [profile DIR]")
}

func compare(ctx context.Context) error {
	dir, cleanup, err := measure.Work()
	if err != nil {
		return err
	}
	defer cleanup()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	t := measure.Table{Title: "verify: chain, log, heads and search index",
		Head: []string{"versions", "seconds", "versions/s", "CPU µs/version", "to a plain scan", "peak MB", "peak of the scan MB"}}
	var peaks []float64
	for _, n := range sizes {
		path, err := stock.Filled(ctx, dir, corpus.Writes(n), func(v int) { fmt.Fprintf(os.Stderr, "verify: filling, %d versions\n", v) })
		if err != nil {
			return err
		}
		kinds := []string{"check", "scan"}
		runs := make([][]measure.Run, len(kinds))
		err = measure.Each(measure.Pick(3, 2), len(kinds), func(_, i int) error {
			r, err := measure.Child(ctx, self, kinds[i], path)
			runs[i] = append(runs[i], r)
			return err
		})
		if err != nil {
			return err
		}
		median := func(i int, f func(measure.Run) float64) float64 { return measure.Median(measure.Column(runs[i], f)) }
		peak := func(r measure.Run) float64 { return measure.MB(r.RSS) }
		t.Row(fmt.Sprint(runs[0][0].Ops), "%.1f | %.0f | %.1f | %s | %.0f | %.0f", median(0, func(r measure.Run) float64 { return r.Seconds }),
			median(0, measure.Run.PerSecond), median(0, measure.Run.Micros),
			measure.Ratios(measure.Column(runs[0], measure.Run.PerSecond), measure.Column(runs[1], measure.Run.PerSecond)), median(0, peak), median(1, peak))
		peaks = append(peaks, median(0, peak))
	}
	if last := len(peaks) - 1; last > 0 {
		t.Note("memory at the largest size is %.2f × that at the smallest: target %s", peaks[last]/peaks[0], measure.AtMost(peaks[last]/peaks[0], 1.25))
	}
	fmt.Print(t)
	return nil
}

// check runs the use case.
func check(ctx context.Context, path string) error {
	store, err := sqlite.Open(ctx, path, sqlite.Options{Role: sqlite.OneShot})
	if err != nil {
		return err
	}
	c := measure.Start(1)
	rep, err := memory.New(store).Verify(ctx, nil)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	if !rep.OK {
		return errors.Join(fmt.Errorf("%s: %s, first %+v", path, rep.Summary, rep.Damage[0]), store.Close())
	}
	r := c.Stop()
	r.Ops = int(rep.Versions)
	return errors.Join(store.Close(), r.Print(os.Stdout))
}

// scan reads the same rows.
func scan(ctx context.Context, path string) error {
	k, err := bare.Open(ctx, "sqlite", path, 5000, 2048)
	if err != nil {
		return err
	}
	c := measure.Start(1)
	n, err := k.Scan(ctx)
	r := c.Stop()
	r.Ops = n
	return errors.Join(err, k.Close(), r.Print(os.Stdout))
}

func profile(ctx context.Context, into string) error {
	dir, cleanup, err := measure.Work()
	if err != nil {
		return err
	}
	defer cleanup()
	path, err := stock.Filled(ctx, dir, corpus.Writes(sizes[0]), nil)
	if err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(into, "cpu.prof"))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	return check(ctx, path)
}
