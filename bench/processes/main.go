package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"

	driver "modernc.org/sqlite"

	"github.com/testigo/testigo/bench/bare"
	"github.com/testigo/testigo/bench/corpus"
	"github.com/testigo/testigo/bench/measure"
	"github.com/testigo/testigo/bench/stock"
	"github.com/testigo/testigo/memory"
	"github.com/testigo/testigo/sqlite"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "processes:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 0:
		return compare(ctx)
	case args[0] == "usecase" && len(args) == 5:
		return useCase(ctx, args[1], args[2], args[3], args[4])
	case args[0] == "contend":
		driver.Fdatasync(true) //nolint:errcheck // as the product does; elsewhere than on Linux there is none
		return bare.Main(ctx, "sqlite", args)
	}
	return errors.New("usage: processes")
}

// contender is one way to write side by side.
type contender struct {
	name string
	argv func(store string, process int) []string
}

func compare(ctx context.Context) error {
	dir, cleanup, err := measure.Work()
	if err != nil {
		return err
	}
	defer cleanup()
	repo, err := measure.Repository(dir)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	seconds, rounds := measure.Pick(10, 1), measure.Pick(3, 1)
	rows := filepath.Join(dir, "processes.rows")
	if err := saveRows(rows); err != nil {
		return err
	}
	length := strconv.Itoa(seconds)
	list := []contender{
		{"**testigo**", func(s string, p int) []string { return []string{self, "usecase", s, repo, strconv.Itoa(p), length} }},
		{"bare SQL, same driver, busy_timeout", func(s string, _ int) []string { return []string{self, "contend", s, rows, length} }},
	}
	if c := measure.CProgram(); c != "" {
		list = append(list, contender{"bare SQL, C, busy_timeout", func(s string, _ int) []string { return []string{c, "contend", s, rows, length} }})
	}
	t := measure.Table{
		Title: fmt.Sprintf("many processes, one store: durable writes for %d s, × %d rounds", seconds, rounds),
		Head:  []string{"processes", "", "writes/s", "to C", "slowest write ms", "slowest ÷ fastest process", "p50 ms", "failed writes"},
	}
	store := filepath.Join(dir, "processes.db")
	for _, n := range []int{1, 4, 16} {
		results := make([][]crowd, len(list))
		err := measure.Each(rounds, len(list), func(_, i int) error {
			if err := stock.Empty(ctx, store); err != nil {
				return err
			}
			runs, err := together(ctx, n, func(p int) []string { return list[i].argv(store, p) })
			results[i] = append(results[i], summarise(runs, float64(seconds)))
			return err
		})
		if err != nil {
			return err
		}
		addRows(&t, n, list, results)
	}
	t.Note("medians of the rounds; the slowest write is the slowest of all rounds. busy_timeout waits up to a minute, longer than the run")
	t.Note("bare SQL writes rows computed beforehand (see remember)")
	fmt.Print(t)
	return nil
}

// crowd is what all processes of one round did.
type crowd struct {
	perSecond, slowest, share, p50 float64
	fails                          int
	fail                           string
}

func summarise(runs []measure.Run, seconds float64) crowd {
	c := crowd{}
	least, most := math.Inf(1), 0.0
	var p50 []float64
	for _, r := range runs {
		ops := float64(r.Ops)
		c.perSecond += ops / max(r.Seconds, seconds)
		c.slowest = max(c.slowest, r.Max)
		c.fails += r.Fails
		if c.fail == "" {
			c.fail = r.Fail
		}
		least, most = min(least, ops), max(most, ops)
		p50 = append(p50, r.P50)
	}
	c.share, c.p50 = least/max(most, 1), measure.Median(p50)
	return c
}

func addRows(t *measure.Table, n int, list []contender, results [][]crowd) {
	column := func(i int, f func(crowd) float64) []float64 {
		var out []float64
		for _, c := range results[i] {
			out = append(out, f(c))
		}
		return out
	}
	speed := func(c crowd) float64 { return c.perSecond }
	for i, c := range list {
		toC := "–"
		if len(list) > 2 {
			toC = measure.Ratios(column(i, speed), column(2, speed)).String()
		}
		slowest, fails := measure.Quantile(column(i, func(c crowd) float64 { return c.slowest }), 1), 0
		share := measure.Median(column(i, func(c crowd) float64 { return c.share }))
		for _, r := range results[i] {
			fails += r.fails
			if r.fail != "" {
				fmt.Fprintf(os.Stderr, "processes: %s, %d: %s\n", c.name, n, r.fail)
			}
		}
		t.Row(strconv.Itoa(n), "%s | %.0f | %s | %.0f | %.2f | %.2f | %d", c.name, measure.Median(column(i, speed)), toC,
			slowest, share, measure.Median(column(i, func(c crowd) float64 { return c.p50 })), fails)
		if i == 0 {
			t.Note("targets at %d: slowest write %s ms, slowest ÷ fastest %s, failed writes %s", n,
				measure.AtMost(slowest, 100), measure.AtLeast(share, 0.65), measure.AtMost(float64(fails), 0))
		}
	}
}

func saveRows(path string) error {
	list, err := stock.Prepare(corpus.New(stock.Seed), measure.Pick(20_000, 2000), stock.Project, "agent", "session")
	if err != nil {
		return err
	}
	rows, err := stock.Rows(list)
	if err != nil {
		return err
	}
	return bare.Save(path, rows)
}

// useCase calls remember until time is over. Every process is an agent of its own, with facts of its own.
func useCase(ctx context.Context, path, repo, process, seconds string) error {
	length, err := strconv.ParseFloat(seconds, 64)
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(process)
	if err != nil {
		return err
	}
	store, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	service := memory.New(store)
	who := memory.Caller{Agent: "agent-" + process, Session: "session-" + process, Dir: func() string { return repo }, Seen: &memory.Seen{}}
	c := corpus.New(stock.Seed + uint64(number))
	params := make([]memory.RememberParams, measure.Pick(20_000, 2000))
	for i := range params {
		w := c.Write(i)
		params[i] = memory.RememberParams{Scope: w.Scope, Key: w.Key + "-" + process, Value: w.Value, Tags: w.Tags}
	}
	if err := bare.WaitForStart(); err != nil {
		return err
	}
	clock := measure.Start(len(params))
	for i := 0; clock.Elapsed().Seconds() < length && i < len(params); i++ {
		clock.Do(func() error {
			_, err := service.Remember(ctx, who, params[i])
			return err
		})
	}
	r := clock.Stop()
	if err := store.Close(); err != nil {
		return err
	}
	return r.Print(os.Stdout)
}
