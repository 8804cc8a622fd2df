package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"time"

	"github.com/testigo/testigo/bench/bare"
	"github.com/testigo/testigo/bench/corpus"
	"github.com/testigo/testigo/bench/measure"
	"github.com/testigo/testigo/bench/stock"
	"github.com/testigo/testigo/memory"
	"github.com/testigo/testigo/search"
	"github.com/testigo/testigo/sqlite"
)

// place is one store with all ways to read it.
type place struct {
	store   *sqlite.Store
	service *memory.Service
	who     memory.Caller
	bare    *asker
	c       *asker // nil when there is no C program
	corpus  *corpus.Corpus
}

func open(ctx context.Context, path string) (*place, error) {
	store, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	p := &place{store: store, service: memory.New(store), corpus: corpus.New(stock.Seed),
		who: memory.Caller{Agent: "reader", Session: "reading", Seen: &memory.Seen{}, Budget: 8 << 10}}
	self, err := os.Executable()
	if err == nil {
		p.bare, err = startAsker(ctx, self, "search", path)
	}
	if program := measure.CProgram(); err == nil && program != "" {
		p.c, err = startAsker(ctx, program, "search", path)
	}
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

func (p *place) close() error { return errors.Join(p.bare.close(), p.c.close(), p.store.Close()) }

// find is one search through the use case.
func (p *place) find(ctx context.Context, q corpus.Question, scope string) error {
	res, err := p.service.Recall(ctx, p.who, memory.RecallParams{Project: stock.Project, Scope: scope, Query: q.Text, Limit: bare.Answers})
	if err == nil && len(res.Facts) == 0 {
		err = fmt.Errorf("nothing found for %q in %q", q.Text, scope)
	}
	return err
}

// round asks count questions, from number from on, of everybody.
func (p *place) round(ctx context.Context, list []*contest, n, from, count int) error {
	for _, c := range list {
		c.begin(p.c != nil)
	}
	point, free, scoped := list[0], list[1], list[2]
	for i := from; i < from+count; i++ {
		scope, key := p.corpus.Name(i, corpus.Writes(n))
		err := point.ask(i,
			timed(func() error {
				_, err := p.service.Recall(ctx, p.who, memory.RecallParams{Project: stock.Project, Scope: scope, Key: key})
				return err
			}),
			func() (float64, error) { return p.bare.name(stock.Project, scope, key) },
			func() (float64, error) { return p.c.name(stock.Project, scope, key) })
		if err != nil {
			return err
		}
		q := p.corpus.Question(i, corpus.Writes(n))
		terms := search.Parse(q.Text).Terms()
		match, within := bare.AnyOf(terms), bare.Within(search.ScopeTerm(stock.Project, q.Scope), terms)
		c := func() (float64, error) { return p.c.search(match) }
		err = free.ask(i, timed(func() error { return p.find(ctx, q, "") }), func() (float64, error) { return p.bare.search(match) }, c)
		if err != nil {
			return err
		}
		err = scoped.ask(i, timed(func() error { return p.find(ctx, q, q.Scope) }), func() (float64, error) { return p.bare.search(within) }, c)
		if err != nil {
			return err
		}
	}
	return nil
}

func timed(f func() error) func() (float64, error) {
	return func() (float64, error) {
		began := time.Now()
		err := f()
		return float64(time.Since(began).Nanoseconds()) / 1e6, err
	}
}

// profile shows where a search spends its time, at the largest size.
func profile(ctx context.Context, dir, into string) error {
	n := sizes[len(sizes)-1]
	path, err := stock.Filled(ctx, dir, corpus.Writes(n), nil)
	if err != nil {
		return err
	}
	p, err := open(ctx, path)
	if err != nil {
		return err
	}
	defer p.close() //nolint:errcheck // everything was read
	for _, scoped := range []bool{false, true} {
		name := map[bool]string{false: "search.prof", true: "scoped.prof"}[scoped]
		f, err := os.Create(filepath.Join(into, name))
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return errors.Join(err, f.Close())
		}
		c := measure.Start(0)
		for i := 0; c.Elapsed() < 5*time.Second; i++ {
			q := p.corpus.Question(1_000_000+i, corpus.Writes(n))
			c.Do(func() error { return p.find(ctx, q, map[bool]string{true: q.Scope}[scoped]) })
		}
		pprof.StopCPUProfile()
		if err := f.Close(); err != nil {
			return err
		}
		r := c.Stop()
		fmt.Fprintf(os.Stderr, "%s: %d searches, p50 %.3f ms\n", name, r.Ops, r.P50)
	}
	return nil
}
