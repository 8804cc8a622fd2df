package demo

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/testigo/testigo"
)

// Options shape the play.
type Options struct {
	// Path is the file of turns, StatePath(db); "" keeps them in memory.
	Path string
	Seed int64
	// Speed divides all durations; 1 when 0.
	Speed float64
	// Now is the clock, time.Now when nil.
	Now func() time.Time
	// Finish is what the simulated agent does at the end of a finished turn. It may be called again for the same turn after an
	// error or a crash, and so must bear repetition. Nil does nothing.
	Finish func(context.Context, Finished) error
}

// Finished is a turn whose simulated agent may act now.
type Finished struct {
	Agent     string
	HandoffID string
	RequestID string
	Claim     string
	// Summary is what the agent says it did; it names the pins that its card named.
	Summary string
}

// StatePath is where the turns of a database are kept.
func StatePath(db string) string { return db + ".demo.json" }

// maxTries is how often an agent tries to act before its turn ends without it.
const maxTries = 3

// Provider simulates sessions.
type Provider struct {
	o      Options
	ledger *ledger
}

var _ testigo.Provider = (*Provider)(nil)

// New returns a provider. Nothing is made before the first Start.
func New(o Options) *Provider {
	if o.Speed <= 0 {
		o.Speed = 1
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Provider{o, &ledger{path: o.Path}}
}

// Activity is that of the target's latest turn; a target without one is idle.
func (p *Provider) Activity(_ context.Context, t testigo.Target) (testigo.Activity, error) {
	a := testigo.Activity{State: testigo.TurnFinished}
	err := p.ledger.view(func(b *book) {
		if last := b.latest(key(t)); last != nil {
			a = testigo.Activity{State: last.state(p.o.Now()), TurnID: last.id()}
		}
	})
	if err != nil {
		return testigo.Activity{State: testigo.TurnUnknown}, err
	}
	return a, nil
}

// Prepare has nothing to check.
func (p *Provider) Prepare(context.Context, testigo.Target) error { return nil }

// Start begins the turn of a request, once: the same request gives the same turn.
func (p *Provider) Start(_ context.Context, t testigo.Target, in testigo.Turn) (testigo.Started, error) {
	var out turn
	var busy *testigo.Refusal
	now := p.o.Now()
	err := p.ledger.change(func(b *book) bool {
		if same := b.find(key(t), in.RequestID); same != nil {
			out = *same
			return false
		}
		if last := b.latest(key(t)); last != nil && last.state(now) == testigo.TurnOpen {
			busy = &testigo.Refusal{Kind: testigo.RefusedBusy, Why: fmt.Sprintf("the turn of request %s still runs", last.Request)}
			return false
		}
		plan := planOf(p.o.Seed, in.RequestID, p.o.Speed)
		out = turn{
			Target: key(t), Request: in.RequestID, Agent: in.Agent, Handoff: in.HandoffID, Claim: in.Claim,
			Started: now.UTC(), Ends: now.Add(plan.duration).UTC(), Outcome: plan.outcome, Summary: withPins(plan.summary, in.Text),
		}
		b.add(out)
		return true
	})
	if err != nil {
		return testigo.Started{}, err
	}
	if busy != nil {
		return testigo.Started{}, busy
	}
	return testigo.Started{TurnID: out.id(), ClientUserMessageID: in.RequestID, Provider: evidence(out)}, nil
}

// Observe finds a request's turn, by the request alone if need be, and lets the agent of a finished one act.
func (p *Provider) Observe(ctx context.Context, t testigo.Target, requestID string, _ testigo.Receipt) (testigo.Observation, error) {
	var seen *turn
	complete := false
	err := p.ledger.view(func(b *book) {
		if found := b.find(key(t), requestID); found != nil {
			c := *found
			seen = &c
		}
		complete = p.o.Path != "" && !b.Incomplete
	})
	switch {
	case err != nil:
		return testigo.Observation{}, err
	case seen == nil && complete:
		return testigo.Observation{Absent: true, Detail: "no simulated turn was started for this request"}, nil
	case seen == nil:
		return testigo.Observation{Detail: "no simulated turn of this request is on record, but the record is not complete"}, nil
	}
	if err := p.act(ctx, seen); err != nil {
		return testigo.Observation{}, err
	}
	o := observation(*seen, p.o.Now())
	o.TurnID, o.Provider = seen.id(), evidence(*seen)
	return o, nil
}

// act does what the agent of a finished turn does, and remembers that it did.
func (p *Provider) act(ctx context.Context, t *turn) error {
	if p.o.Finish == nil || t.Acted || t.Handoff == "" || t.state(p.o.Now()) != testigo.TurnFinished {
		return nil
	}
	trouble := p.o.Finish(ctx, Finished{t.Agent, t.Handoff, t.Request, t.Claim, t.Summary})
	err := p.ledger.change(func(b *book) bool {
		kept := b.find(t.Target, t.Request)
		if kept == nil { // dropped meanwhile; it has acted all the same
			t.Acted = true
			return false
		}
		if trouble != nil {
			kept.Tries, kept.Trouble = kept.Tries+1, trouble.Error()
		}
		kept.Acted = kept.Acted || trouble == nil || kept.Tries >= maxTries
		if trouble == nil {
			kept.Trouble = ""
		}
		*t = *kept
		return true
	})
	if err == nil && !t.Acted {
		err = fmt.Errorf("the simulated agent could not act: %w", trouble)
	}
	return err
}

func observation(t turn, now time.Time) testigo.Observation {
	switch t.state(now) {
	case testigo.TurnOpen:
		return testigo.Observation{State: testigo.Running, Detail: "the simulated turn runs"}
	case testigo.TurnFailed:
		return testigo.Observation{State: testigo.Failed, Detail: "the simulated turn failed"}
	case testigo.TurnStopped:
		return testigo.Observation{State: testigo.Failed, Interrupted: true, Detail: "the simulated turn was stopped"}
	}
	o := testigo.Observation{State: testigo.TurnEnded, Detail: t.Summary}
	if t.Trouble != "" {
		o.Detail = "the simulated turn finished, but its agent could not act: " + t.Trouble
	}
	return o
}

func evidence(t turn) json.RawMessage {
	b, err := json.Marshal(struct {
		Started time.Time `json:"startedAt"`
		Ends    time.Time `json:"endsAt"`
		Summary string    `json:"summary,omitempty"`
	}{t.Started, t.Ends, t.Summary})
	if err != nil { // texts and times of this age always marshal
		panic(err)
	}
	return b
}

// key tells sessions apart.
func key(t testigo.Target) string {
	h := t.Hash()
	return hex.EncodeToString(h[:])
}
