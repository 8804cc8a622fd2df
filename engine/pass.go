package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/testigo/testigo"
)

// Report says what one pass did.
type Report struct {
	// Skipped: another engine holds the lease, so nothing was done.
	Skipped  bool      `json:"skipped,omitempty"`
	Enrolled int       `json:"enrolled"`
	Overdue  int       `json:"overdueAlerts"`
	Reviewed int       `json:"reviewed"`
	Resent   int       `json:"resends"`
	Checked  int       `json:"checked"`
	Sent     int       `json:"sent"`
	Errors   []Failure `json:"errors"`
	At       time.Time `json:"at"`
	OK       bool      `json:"ok"`
	// Millis is how long the pass took.
	Millis int64 `json:"elapsedMs"`
}

// Failure is what went wrong with one row. The row is looked at again.
type Failure struct {
	ID    string `json:"id,omitempty"`
	Error string `json:"error"`
}

// broken reports a provider that broke; an ordinary error of one is an answer.
func (r *Report) broken(id string, err error) {
	if p := (panicked{}); errors.As(err, &p) {
		r.Errors = append(r.Errors, Failure{id, clip(err.Error())})
	}
}

func (r *Report) add(o Report) {
	r.Reviewed += o.Reviewed
	r.Resent += o.Resent
	r.Checked += o.Checked
	r.Sent += o.Sent
	r.Errors = append(r.Errors, o.Errors...)
}

// Pass does once what is due now: it takes or renews the lease, enrols what was sent, tells senders what is overdue, looks
// again at failures, and moves every due row. It returns when all of it is done. A caller that makes single passes ends
// with GiveBack.
func (e *Engine) Pass(ctx context.Context) (Report, error) {
	rep := Report{At: e.o.Clock(), Errors: []Failure{}}
	jobs, err := e.plan(ctx, &rep)
	if err == nil && !rep.Skipped {
		err = e.work(ctx, jobs, &rep)
	}
	rep.OK = err == nil && len(rep.Errors) == 0
	rep.Millis = e.o.Clock().Sub(rep.At).Milliseconds()
	return rep, err
}

// job is what one recipient has due.
type job struct {
	recipient string
	failed    []testigo.Delivery
	rows      bool
}

// plan does the part of a pass that is the store's alone, and lists whom to serve.
func (e *Engine) plan(ctx context.Context, rep *Report) ([]job, error) {
	held, err := e.takeLease(ctx)
	if err != nil || !held {
		rep.Skipped = err == nil
		return nil, err
	}
	if rep.Enrolled, err = e.enrol(ctx); err != nil {
		return nil, err
	}
	if rep.Overdue, err = e.overdue(ctx); err != nil {
		return nil, err
	}
	return e.due(ctx)
}

// due groups the due rows by recipient, in the order in which they became due.
func (e *Engine) due(ctx context.Context) ([]job, error) {
	var jobs []job
	find := func(recipient string) *job {
		i := slices.IndexFunc(jobs, func(j job) bool { return j.recipient == recipient })
		if i < 0 {
			i = len(jobs)
			jobs = append(jobs, job{recipient: recipient})
		}
		return &jobs[i]
	}
	err := e.store.Read(ctx, func(r testigo.Reader) error {
		now := e.o.Clock()
		failed, err := r.Deliveries(ctx, testigo.DeliveryFilter{States: []testigo.DeliveryState{testigo.Failed}, NotFinal: true, DueBy: now, Limit: dueBatch})
		if err != nil {
			return err
		}
		for _, d := range failed {
			j := find(d.Recipient)
			j.failed = append(j.failed, d)
		}
		states := append(testigo.PendingStates(), testigo.ActiveStates()...)
		rows, err := r.Deliveries(ctx, testigo.DeliveryFilter{States: states, DueBy: now, Limit: dueBatch})
		for _, d := range rows {
			find(d.Recipient).rows = true
		}
		return err
	})
	return jobs, err
}

// work serves recipients side by side, as many as there are slots, and waits for all of them.
func (e *Engine) work(ctx context.Context, jobs []job, rep *Report) error {
	if e.o.Parallel == 1 {
		for _, j := range jobs {
			if err := e.do(ctx, j, rep); err != nil {
				return err
			}
		}
		return nil
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for _, j := range jobs {
		e.slots <- struct{}{}
		all.Go(func() {
			defer func() { <-e.slots }()
			part := Report{}
			err := e.do(ctx, j, &part)
			mu.Lock()
			defer mu.Unlock()
			rep.add(part)
			if failed == nil {
				failed = err
			}
		})
	}
	all.Wait()
	return failed
}

// do serves one recipient. A resend is due in the pass that decided it.
func (e *Engine) do(ctx context.Context, j job, rep *Report) error {
	if !e.begin(j.recipient) {
		return nil
	}
	defer e.finished(j.recipient)
	for _, d := range j.failed {
		rep.Reviewed++
		if err := e.review(ctx, d, rep); err != nil {
			return err
		}
	}
	return e.serve(ctx, j.recipient, rep)
}

// begin takes a recipient for one worker; nobody else of this engine serves it meanwhile.
func (e *Engine) begin(recipient string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.serving[recipient] {
		return false
	}
	e.serving[recipient] = true
	return true
}

func (e *Engine) isServing(recipient string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.serving[recipient]
}

func (e *Engine) finished(recipient string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.serving, recipient)
}
