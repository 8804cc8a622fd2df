package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	driver "modernc.org/sqlite"

	"github.com/testigo/testigo/bench/bare"
	"github.com/testigo/testigo/bench/corpus"
	"github.com/testigo/testigo/bench/measure"
	"github.com/testigo/testigo/bench/stock"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "remember:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 0:
		return compare(ctx)
	case args[0] == "usecase" && len(args) == 4:
		return useCase(ctx, args[1], args[2], args[3])
	case args[0] == "store" && len(args) == 4:
		return storeAlone(ctx, args[1], args[2], args[3])
	case args[0] == "write":
		driver.Fdatasync(true) //nolint:errcheck // as the product does; elsewhere than on Linux there is none
		return bare.Main(ctx, "sqlite", args)
	case args[0] == "profile" && len(args) == 2:
		return profile(ctx, args[1])
	}
	return errors.New("usage: remember [profile DIR]")
}

// contender is one way to write.
type contender struct {
	name string
	argv func(store string) []string
	runs []measure.Run
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
	writes, rounds := measure.Pick(5000, 300), measure.Pick(9, 3)
	repo, err := measure.Repository(dir)
	if err != nil {
		return err
	}
	rows := filepath.Join(dir, "remember.rows")
	if err := saveRows(ctx, rows, repo, writes); err != nil {
		return err
	}
	n := strconv.Itoa(writes)
	list := []*contender{
		{name: "**testigo**, `remember`", argv: func(s string) []string { return []string{self, "usecase", s, repo, n} }},
		{name: "testigo, store alone", argv: func(s string) []string { return []string{self, "store", s, repo, n} }},
		{name: "bare SQL, same driver", argv: func(s string) []string { return []string{self, "write", s, rows, n} }},
	}
	if c := measure.CProgram(); c != "" {
		list = append(list, &contender{name: "bare SQL, C", argv: func(s string) []string { return []string{c, "write", s, rows, n} }})
	}
	store := filepath.Join(dir, "remember.db")
	err = measure.Each(rounds, len(list), func(_, i int) error {
		if err := stock.Empty(ctx, store); err != nil {
			return err
		}
		argv := list[i].argv(store)
		r, err := measure.Child(ctx, argv[0], argv[1:]...)
		if err == nil && r.Fails > 0 {
			err = fmt.Errorf("%s: %d writes failed: %s", list[i].name, r.Fails, r.Fail)
		}
		list[i].runs = append(list[i].runs, r)
		return err
	})
	if err != nil {
		return err
	}
	fmt.Print(report(list, writes, rounds))
	return nil
}

func report(list []*contender, writes, rounds int) measure.Table {
	t := measure.Table{
		Title: fmt.Sprintf("remember: one process, durable, %d writes × %d rounds", writes, rounds),
		Head:  []string{"", "writes/s", "to bare SQL", "to C", "CPU µs/write", "to bare SQL", "to C", "p50 ms", "p99 ms", "peak MB"},
	}
	bareRuns := list[2].runs
	var cRuns []measure.Run
	if len(list) > 3 {
		cRuns = list[3].runs
	}
	for _, c := range list {
		median := func(f func(measure.Run) float64) float64 { return measure.Median(measure.Column(c.runs, f)) }
		t.Row(c.name, "%.0f | %s | %s | %.0f | %s | %s | %.3f | %.2f | %.0f",
			median(measure.Run.PerSecond), ratio(c.runs, bareRuns, measure.Run.PerSecond), ratio(c.runs, cRuns, measure.Run.PerSecond),
			median(measure.Run.Micros), ratio(c.runs, bareRuns, measure.Run.Micros), ratio(c.runs, cRuns, measure.Run.Micros),
			median(func(r measure.Run) float64 { return r.P50 }), median(func(r measure.Run) float64 { return r.P99 }),
			median(func(r measure.Run) float64 { return measure.MB(r.RSS) }))
	}
	t.Note("targets: %s of bare SQL, %s of C (writes/s)",
		measure.AtLeast(ratios(list[0].runs, bareRuns, measure.Run.PerSecond).Median, 0.7),
		measure.AtLeast(ratios(list[0].runs, cRuns, measure.Run.PerSecond).Median, 0.6))
	t.Note("a ratio is the median of the rounds' ratios (lowest–highest); each round starts every contender in a process of its own on a new store")
	t.Note("bare SQL gets the rows computed beforehand: no redaction, tokenising, hashing, no context to read, no turnstile")
	return t
}

func ratios(a, b []measure.Run, number func(measure.Run) float64) measure.Ratio {
	return measure.Ratios(measure.Column(a, number), measure.Column(b, number))
}

func ratio(a, b []measure.Run, number func(measure.Run) float64) string {
	if len(b) == 0 {
		return "–"
	}
	return ratios(a, b, number).String()
}

// prepared computes the writes as the use case will make them in repo.
func prepared(ctx context.Context, repo string, n int) ([]stock.Prepared, error) {
	project, err := projectOf(ctx, repo)
	if err != nil {
		return nil, err
	}
	return stock.Prepare(corpus.New(stock.Seed), n, project, agent, session)
}

func saveRows(ctx context.Context, path, repo string, n int) error {
	list, err := prepared(ctx, repo, n)
	if err != nil {
		return err
	}
	rows, err := stock.Rows(list)
	if err != nil {
		return err
	}
	return bare.Save(path, rows)
}
