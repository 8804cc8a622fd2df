package measure

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// Run is what one contender did in one round. Times are milliseconds, sizes bytes.
type Run struct {
	Ops     int     `json:"ops"`
	Seconds float64 `json:"seconds"`
	// CPU is processor time of the measured part, user and system, in seconds.
	CPU  float64 `json:"cpu"`
	P50  float64 `json:"p50"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
	RSS  int64   `json:"rss"` // at the peak, of the whole process
	Fail string  `json:"fail,omitempty"`
	// Fails counts what was answered with an error; Fail is the first.
	Fails int `json:"fails,omitempty"`
}

// PerSecond is the throughput.
func (r Run) PerSecond() float64 { return float64(r.Ops) / r.Seconds }

// Micros is the processor time of one operation in µs.
func (r Run) Micros() float64 { return r.CPU / float64(max(r.Ops, 1)) * 1e6 }

// Clock measures operations.
type Clock struct {
	start time.Time
	cpu   float64
	times []float64
	run   Run
}

// Start begins the measured part.
func Start(capacity int) *Clock {
	return &Clock{times: make([]float64, 0, capacity), cpu: cpuSeconds(), start: time.Now()}
}

// Do measures one operation. A failed one counts as failed and not as done.
func (c *Clock) Do(op func() error) {
	began := time.Now()
	err := op()
	if err != nil {
		c.run.Fails++
		if c.run.Fail == "" {
			c.run.Fail = err.Error()
		}
		return
	}
	c.times = append(c.times, float64(time.Since(began).Nanoseconds())/1e6)
}

// Times are the milliseconds of each operation so far.
func (c *Clock) Times() []float64 { return c.times }

// Elapsed is the time since Start.
func (c *Clock) Elapsed() time.Duration { return time.Since(c.start) }

// Stop ends the measured part.
func (c *Clock) Stop() Run {
	r := c.run
	r.Seconds = time.Since(c.start).Seconds()
	r.CPU = cpuSeconds() - c.cpu
	r.Ops = len(c.times)
	r.P50, r.P99, r.Max = Quantile(c.times, 0.5), Quantile(c.times, 0.99), Quantile(c.times, 1)
	_, r.RSS, _ = Memory(os.Getpid())
	return r
}

// Print writes r for the parent process.
func (r Run) Print(w io.Writer) error { return json.NewEncoder(w).Encode(r) }

// Child starts a contender and reads what it printed.
func Child(ctx context.Context, program string, args ...string) (Run, error) {
	var r Run
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return r, fmt.Errorf("%s %q: %w", program, args, err)
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return r, fmt.Errorf("%s %q printed %q: %w", program, args, out, err)
	}
	if r.Ops == 0 {
		return r, fmt.Errorf("%s %q did nothing: %s", program, args, r.Fail)
	}
	return r, nil
}

// Each runs every contender once per round. The order turns, so that no contender always follows the same one.
func Each(rounds, contenders int, run func(round, contender int) error) error {
	for round := range rounds {
		for i := range contenders {
			if err := run(round, (i+round)%contenders); err != nil {
				return err
			}
		}
	}
	return nil
}

// Column collects one number of each round.
func Column(runs []Run, number func(Run) float64) []float64 {
	out := make([]float64, len(runs))
	for i, r := range runs {
		out[i] = number(r)
	}
	return out
}
