package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/testigo/testigo/bench/corpus"
	"github.com/testigo/testigo/bench/measure"
	"github.com/testigo/testigo/bench/stdio"
	"github.com/testigo/testigo/bench/stock"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "start:", err)
		os.Exit(1)
	}
}

// contender is one way to start.
type contender struct {
	store  string
	path   string
	era    stdio.Era
	times  []float64 // ms
	memory []float64 // MB
}

func run(ctx context.Context) error {
	dir, cleanup, err := measure.Work()
	if err != nil {
		return err
	}
	defer cleanup()
	repo, err := measure.Repository(dir)
	if err != nil {
		return err
	}
	filled, err := stock.Filled(ctx, dir, corpus.Writes(10_000), nil)
	if err != nil {
		return err
	}
	empty := filepath.Join(dir, "start.db")
	if err := stock.Empty(ctx, empty); err != nil {
		return err
	}
	var list []*contender
	for _, era := range []stdio.Era{stdio.Handshake, stdio.Stateless} {
		list = append(list, &contender{store: "new", path: empty, era: era}, &contender{store: "10 k facts", path: filled, era: era})
	}
	rounds := measure.Pick(30, 5)
	err = measure.Each(rounds, len(list), func(_, i int) error { return list[i].start(ctx, dir, repo) })
	if err != nil {
		return err
	}
	fmt.Print(report(list, rounds))
	return nil
}

func (c *contender) start(ctx context.Context, home, repo string) error {
	command := stdio.Testigo(home, c.path, repo)
	began := time.Now()
	s, err := stdio.Start(ctx, command, c.era)
	if err != nil {
		return err
	}
	if _, err := s.Tools(); err != nil {
		return err
	}
	c.times = append(c.times, float64(time.Since(began).Microseconds())/1000)
	now, _, err := s.Memory()
	if err != nil {
		return err
	}
	c.memory = append(c.memory, measure.MB(now))
	return s.Close()
}

func report(list []*contender, rounds int) measure.Table {
	t := measure.Table{
		Title: fmt.Sprintf("start: `testigo mcp` to its first tools/list answer, n = %d", rounds),
		Head:  []string{"store", "protocol", "p50 ms", "p90 ms", "RSS MB"},
	}
	var times, memory []float64
	for _, c := range list {
		t.Row(c.store, "%s | %.1f | %.1f | %.1f", c.era, measure.Median(c.times), measure.Quantile(c.times, 0.9), measure.Median(c.memory))
		times, memory = append(times, measure.Median(c.times)), append(memory, measure.Median(c.memory))
	}
	t.Note("targets: p50 %s ms, RSS %s MB (the worst of the rows)", measure.AtMost(measure.Quantile(times, 1), 15), measure.AtMost(measure.Quantile(memory, 1), 25))
	t.Note("from exec to the answer; with the handshake that is two exchanges, without it one")
	return t
}
