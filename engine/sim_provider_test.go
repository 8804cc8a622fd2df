package engine_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/testigo/testigo"
)

// simProvider is the truth of the simulated sessions. It breaks as told, but keeps the contract: it never says absent of
// what is there, and never says failed of a turn that it does not also show as open.
type simProvider struct {
	w     *sim
	turns map[string][]*simTurn // by endpoint
	// next is how the coming starts go wrong, oldest first.
	next []startFault
	// Lies and silences, until changed.
	activity simMood
	observe  simMood
}

type simTurn struct {
	id, request, handoff string
	state                testigo.TurnState
	// from is when it shows: a late write was under way until then.
	from time.Time
}

type startFault int

const (
	loseBefore startFault = iota
	loseAfter
	loseLate // the write arrives some time later
	dieBefore
	dieAfter
	refusePlain
	refuseBusy
	refuseNotSent
	refuseRate
	answerEmpty
	answerForeign
	sleepBefore // the machine sleeps inside the call
	panicAfter
	startFaults
)

type simMood int

const (
	honest simMood = iota
	silent
	broken
	lying // of activity: idle whatever runs; of observation: failed while it runs
	moods
)

func (p *simProvider) visible(endpoint string) []*simTurn {
	var out []*simTurn
	for _, t := range p.turns[endpoint] {
		if !t.from.After(p.w.clock.Now()) {
			out = append(out, t)
		}
	}
	return out
}

func (p *simProvider) Activity(_ context.Context, t testigo.Target) (testigo.Activity, error) {
	p.w.fire(atActivity)
	switch p.activity {
	case silent:
		return testigo.Activity{State: testigo.TurnUnknown}, nil
	case broken:
		return testigo.Activity{}, errors.New("no answer")
	case lying:
		if p.observe != lying {
			return testigo.Activity{State: testigo.TurnFinished}, nil
		}
	}
	turns := p.visible(t.Endpoint)
	if len(turns) == 0 {
		return testigo.Activity{State: testigo.TurnFinished}, nil
	}
	for _, tn := range turns {
		if tn.state == testigo.TurnOpen {
			return testigo.Activity{State: testigo.TurnOpen, TurnID: tn.id}, nil
		}
	}
	last := turns[len(turns)-1]
	return testigo.Activity{State: last.state, TurnID: last.id}, nil
}

func (p *simProvider) Prepare(context.Context, testigo.Target) error {
	p.w.fire(atPrepare)
	return nil
}

func (p *simProvider) Start(_ context.Context, t testigo.Target, tn testigo.Turn) (testigo.Started, error) {
	p.w.checkStart(t, tn)
	fault := startFaults
	if len(p.next) > 0 {
		fault, p.next = p.next[0], p.next[1:]
	}
	refusal := func(kind testigo.RefusalKind) (testigo.Started, error) {
		return testigo.Started{}, &testigo.Refusal{Kind: kind, Why: "the script refuses", RetryAfter: 90 * time.Second}
	}
	switch fault {
	case loseBefore:
		return testigo.Started{}, errors.New("lost before")
	case dieBefore:
		p.w.die()
		return testigo.Started{}, errDead
	case refusePlain:
		return refusal(testigo.Refused)
	case refuseBusy:
		return refusal(testigo.RefusedBusy)
	case refuseNotSent:
		return refusal(testigo.NotSent)
	case refuseRate:
		return refusal(testigo.RateLimited)
	case sleepBefore:
		p.w.clock.move(40 * time.Second)
	}
	n := &simTurn{id: fmt.Sprintf("t%d", p.w.turnCount), request: tn.RequestID, handoff: tn.HandoffID, state: testigo.TurnOpen, from: p.w.clock.Now()}
	p.w.turnCount++
	if fault == loseLate {
		n.from = n.from.Add(25 * time.Second)
	}
	p.w.checkTurn(n)
	p.turns[t.Endpoint] = append(p.turns[t.Endpoint], n)
	p.w.fire(atStart)
	switch fault {
	case loseAfter, loseLate:
		return testigo.Started{}, errors.New("lost after")
	case dieAfter:
		p.w.die()
		return testigo.Started{}, errDead
	case answerEmpty:
		return testigo.Started{}, nil
	case answerForeign:
		return testigo.Started{TurnID: n.id, ClientUserMessageID: "another"}, nil
	case panicAfter:
		panic("a bug after the write")
	}
	return testigo.Started{TurnID: n.id, ClientUserMessageID: tn.RequestID}, nil
}

func (p *simProvider) Observe(_ context.Context, t testigo.Target, request string, _ testigo.Receipt) (testigo.Observation, error) {
	p.w.fire(atObserve)
	switch p.observe {
	case silent:
		return testigo.Observation{}, nil
	case broken:
		return testigo.Observation{}, errors.New("half a scan")
	}
	for _, tn := range p.visible(t.Endpoint) {
		if tn.request != request {
			continue
		}
		o := testigo.Observation{TurnID: tn.id}
		switch {
		case tn.state == testigo.TurnOpen && p.observe == lying:
			o.State = testigo.Failed
		case tn.state == testigo.TurnOpen:
			o.State = testigo.Running
		case tn.state == testigo.TurnFinished:
			o.State = testigo.TurnEnded
		default:
			o.State, o.Interrupted = testigo.Failed, tn.state == testigo.TurnStopped
		}
		return o, nil
	}
	return testigo.Observation{Absent: true}, nil
}
