package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strconv"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/bench/corpus"
	"github.com/testigo/testigo/bench/measure"
	"github.com/testigo/testigo/bench/stock"
	"github.com/testigo/testigo/memory"
	"github.com/testigo/testigo/sqlite"
	"github.com/testigo/testigo/workspace"
)

// agent and session write everything here.
const (
	agent   = "agent"
	session = "session"
)

func caller(repo string) memory.Caller {
	return memory.Caller{Agent: agent, Session: session, Dir: func() string { return repo }, Seen: &memory.Seen{}}
}

// projectOf is the project that the use case finds in repo.
func projectOf(_ context.Context, repo string) (string, error) {
	p, err := workspace.Identify(repo, workspace.Options{})
	return p.ID, err
}

// calls are the parameters of n calls of remember.
func calls(n int) []memory.RememberParams {
	c := corpus.New(stock.Seed)
	list := make([]memory.RememberParams, n)
	for i := range list {
		w := c.Write(i)
		list[i] = memory.RememberParams{Scope: w.Scope, Key: w.Key, Value: w.Value, Tags: w.Tags}
	}
	return list
}

// useCase writes through memory.Service.
func useCase(ctx context.Context, path, repo, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	params := calls(n)
	store, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	r := rememberAll(ctx, memory.New(store), caller(repo), params)
	if err := store.Close(); err != nil {
		return err
	}
	return r.Print(os.Stdout)
}

func rememberAll(ctx context.Context, s *memory.Service, who memory.Caller, params []memory.RememberParams) measure.Run {
	c := measure.Start(len(params))
	for i := range params {
		c.Do(func() error {
			res, err := s.Remember(ctx, who, params[i])
			if err == nil && (res.Unchanged || len(res.Redacted) > 0) {
				err = fmt.Errorf("write %d was not stored as given: %+v", i, res)
			}
			return err
		})
	}
	return c.Stop()
}

// storeAlone writes prepared versions through the store, without the use case.
func storeAlone(ctx context.Context, path, repo, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	list, err := prepared(ctx, repo, n)
	if err != nil {
		return err
	}
	store, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	c := measure.Start(n)
	for i := range list {
		p := &list[i]
		c.Do(func() error {
			return store.Write(ctx, func(tx testigo.Tx) error {
				v := p.Version
				v.Seq = tx.NextSeq()
				touch := testigo.Touch{Pin: testigo.Pin{Name: v.Name, Version: v.Number}, At: tx.Now()}
				return errors.Join(tx.PutVersion(ctx, v, p.Text), tx.SetLog(ctx, p.Log), tx.PutTouched(ctx, agent, session, []testigo.Touch{touch}))
			})
		})
	}
	r := c.Stop()
	if err := store.Close(); err != nil {
		return err
	}
	return r.Print(os.Stdout)
}

// profile shows where the use case spends its time.
func profile(ctx context.Context, dir string) error {
	work, cleanup, err := measure.Work()
	if err != nil {
		return err
	}
	defer cleanup()
	repo, err := measure.Repository(work)
	if err != nil {
		return err
	}
	path := filepath.Join(work, "profile.db")
	if err := stock.Empty(ctx, path); err != nil {
		return err
	}
	params := calls(measure.Pick(10_000, 1000))
	store, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	cpu, err := os.Create(filepath.Join(dir, "cpu.prof"))
	if err != nil {
		return err
	}
	defer cpu.Close()
	if err := pprof.StartCPUProfile(cpu); err != nil {
		return err
	}
	runtime.MemProfileRate = 4096
	r := rememberAll(ctx, memory.New(store), caller(repo), params)
	pprof.StopCPUProfile()
	fmt.Fprintf(os.Stderr, "%d writes, %.0f/s, %.0f µs of CPU each, %d failed %s\n", r.Ops, r.PerSecond(), r.Micros(), r.Fails, r.Fail)
	heap, err := os.Create(filepath.Join(dir, "heap.prof"))
	if err != nil {
		return err
	}
	defer heap.Close()
	return pprof.Lookup("allocs").WriteTo(heap, 0)
}
