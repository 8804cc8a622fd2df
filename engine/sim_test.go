package engine_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// found are the seeds of schedules that once broke a rule, with what was wrong.
var found = []struct {
	seed uint64
	why  string
}{
	{3519, "a duplicate took its earlier place in the middle of a pass, and the row behind it went first"},
	{7015, "work that its sender had closed counted as the end of a turn that was never seen"},
}

func play(seed uint64, ops []op) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return newSim(seed).run(ops)
}

// shrink drops steps as long as the schedule still breaks.
func shrink(seed uint64, ops []op) []op {
	for again := true; again; {
		again = false
		for i := len(ops) - 1; i >= 0; i-- {
			less := slices.Delete(slices.Clone(ops), i, i+1)
			if play(seed, less) != nil {
				ops, again = less, true
			}
		}
	}
	return ops
}

func report(t *testing.T, seed uint64) {
	t.Helper()
	ops := shrink(seed, schedule(seed))
	t.Errorf("seed %d: %v\n%d steps are enough: %v", seed, play(seed, ops), len(ops), ops)
}

func TestFoundSchedules(t *testing.T) {
	t.Parallel()
	for _, f := range found {
		if play(f.seed, schedule(f.seed)) != nil {
			t.Log(f.why)
			report(t, f.seed)
		}
	}
}

// TestSchedules plays random schedules. SCHEDULES says how many, SEED where they start.
func TestSchedules(t *testing.T) {
	t.Parallel()
	number := func(name string, otherwise int) uint64 {
		n, err := strconv.Atoi(os.Getenv(name))
		if err != nil {
			n = otherwise
		}
		return uint64(n)
	}
	count, first := number("SCHEDULES", 5000), number("SEED", 1)
	var next atomic.Uint64
	next.Store(first)
	var mu sync.Mutex
	var bad []uint64
	began := time.Now()
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for {
				seed := next.Add(1) - 1
				mu.Lock()
				enough := len(bad) >= 3
				mu.Unlock()
				if seed >= first+count || enough {
					return
				}
				if play(seed, schedule(seed)) != nil {
					mu.Lock()
					bad = append(bad, seed)
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	for _, seed := range bad {
		report(t, seed)
	}
	t.Logf("%d schedules in %s", count, time.Since(began).Round(time.Millisecond))
}
