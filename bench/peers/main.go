package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/testigo/testigo/bench/corpus"
	"github.com/testigo/testigo/bench/measure"
	"github.com/testigo/testigo/bench/stdio"
	"github.com/testigo/testigo/bench/stock"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// peer is a memory server and how the same work is asked of it.
type peer struct {
	name    string
	promise string // what an answered write means
	reads   string // how a fact is read by name
	search  string // what a search does
	command stdio.Command

	write func(s *stdio.Client, w corpus.Write) error
	read  func(s *stdio.Client, scope, key string) (string, error)
	find  func(s *stdio.Client, q corpus.Question) (string, error)
}

// result is what one peer did. Times are ms.
type result struct {
	start                 []float64
	writes, reads, search []float64
	found                 int
	resident              int64
}

func run(ctx context.Context) error {
	dir, cleanup, err := measure.Work()
	if err != nil {
		return err
	}
	defer cleanup()
	var absent []string
	list, err := peers(ctx, dir, func(name string, err error) {
		fmt.Fprintf(os.Stderr, "peers: %s: %v\n", name, err)
		absent = append(absent, name)
	})
	if err != nil {
		return err
	}
	writes, reads, searches := measure.Pick(2000, 100), measure.Pick(500, 50), measure.Pick(200, 20)
	t := measure.Table{
		Title: fmt.Sprintf("peers over MCP: %d writes, %d reads by name, %d searches", writes, reads, searches),
		Head: []string{"", "start → tools/list ms", "writes/s", "write p50 / p99 ms", "last tenth of the writes p50 ms", "read p50 / p99 ms",
			"search p50 / p99 ms", "searches that found the fact", "RSS after it MB"},
	}
	for _, p := range list {
		fmt.Fprintf(os.Stderr, "peers: %s\n", p.name)
		r, err := p.work(ctx, writes, reads, searches)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		seconds := 0.0
		for _, ms := range r.writes {
			seconds += ms / 1000
		}
		t.Row(p.name, "%.0f | %.0f | %s | %.2f | %s | %s | %d %% | %.0f", measure.Median(r.start), float64(writes)/seconds, pair(r.writes),
			measure.Median(r.writes[len(r.writes)*9/10:]), pair(r.reads), pair(r.search), 100*r.found/searches, measure.MB(r.resident))
		t.Note("%s: a write %s; by name: %s; a search %s", p.name, p.promise, p.reads, p.search)
	}
	for _, name := range absent {
		t.Note("%s could not be installed here and was not measured", name)
	}
	t.Note("engram (github.com/Gentleman-Programming/engram) was not measured: the Go module proxy does not serve it (403)")
	t.Note("start is the median of %d starts on a new store; every tenth write changes a fact that is there", starts)
	fmt.Print(t)
	return nil
}

func pair(times []float64) string {
	return fmt.Sprintf("%.2f / %.2f", measure.Quantile(times, 0.5), measure.Quantile(times, 0.99))
}

var starts = measure.Pick(10, 3)

func (p *peer) work(ctx context.Context, writes, reads, searches int) (result, error) {
	var r result
	var s *stdio.Client
	for i := range starts {
		began := time.Now()
		c, err := stdio.Start(ctx, p.command, stdio.Handshake)
		if err != nil {
			return r, err
		}
		if _, err := c.Tools(); err != nil {
			return r, err
		}
		r.start = append(r.start, float64(time.Since(began).Microseconds())/1000)
		if i == starts-1 {
			s = c
		} else if err := c.Close(); err != nil {
			return r, err
		}
	}
	err := p.ask(s, &r, writes, reads, searches)
	if err != nil {
		s.Close() //nolint:errcheck // the first error is the one to tell
		return r, err
	}
	if r.resident, _, err = s.Memory(); err != nil {
		return r, err
	}
	return r, s.Close()
}

func (p *peer) ask(s *stdio.Client, r *result, writes, reads, searches int) error {
	c := corpus.New(stock.Seed)
	timed := func(into *[]float64, f func() error) error {
		began := time.Now()
		err := f()
		*into = append(*into, float64(time.Since(began).Microseconds())/1000)
		return err
	}
	for i := range writes {
		w := c.Write(i)
		if err := timed(&r.writes, func() error { return p.write(s, w) }); err != nil {
			return err
		}
	}
	for i := range reads {
		scope, key := c.Name(i, writes)
		var text string
		err := timed(&r.reads, func() (err error) {
			text, err = p.read(s, scope, key)
			return err
		})
		if err != nil {
			return err
		}
		if !strings.Contains(text, key) {
			return fmt.Errorf("reading %s/%s answered %.200q", scope, key, text)
		}
	}
	for i := range searches {
		q := c.Question(i, writes)
		var text string
		err := timed(&r.search, func() (err error) {
			text, err = p.find(s, q)
			return err
		})
		if err != nil {
			return err
		}
		if strings.Contains(text, q.Key) {
			r.found++
		}
	}
	return nil
}

// fresh makes a directory for one peer's files.
func fresh(dir, name string) (string, error) {
	path := filepath.Join(dir, name)
	if err := os.RemoveAll(path); err != nil {
		return "", err
	}
	return path, os.MkdirAll(path, 0o700)
}
