package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/engine"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
	"github.com/testigo/testigo/storetest/memstore"
)

// clock is a wall clock that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// world is one store with agents, an engine and a scripted provider.
type world struct {
	*testing.T
	ctx   context.Context
	clock *clock
	store *memstore.Store
	mem   *memory.Service
	hand  *handoff.Service
	p     *script
	e     *engine.Engine
	last  engine.Report
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, ctx: context.Background(), clock: newClock(), p: newScript()}
	w.store = memstore.New(memstore.Options{Clock: w.clock.Now})
	w.mem = memory.New(w.store).WithClock(w.clock.Now)
	w.hand = handoff.New(w.mem).WithLiveness(func(testigo.Process) (bool, bool) { return true, false })
	w.e = w.engine(nil)
	w.agent("ann")
	w.agent("bob")
	w.agent("cay")
	return w
}

// engine makes another engine on the same store.
func (w *world) engine(change func(*engine.Options)) *engine.Engine {
	o := engine.Options{Providers: map[string]testigo.Provider{"script": w.p}, Clock: w.clock.Now, Name: "test", Parallel: 1,
		Rand: mathrand.New(mathrand.NewPCG(1, 2))}
	if change != nil {
		change(&o)
	}
	return engine.New(w.store, o)
}

func (w *world) write(fn func(tx testigo.Tx) error) {
	w.Helper()
	if err := w.store.Write(w.ctx, fn); err != nil {
		w.Fatal(err)
	}
}

// agent gives an agent the address NAME-session.
func (w *world) agent(name string) {
	w.Helper()
	w.setAgent(name, func(a *testigo.Agent) { a.Provider, a.Endpoint = "script", name+"-session" })
}

func (w *world) setAgent(name string, change func(*testigo.Agent)) {
	w.Helper()
	w.write(func(tx testigo.Tx) error {
		a, err := tx.Agent(w.ctx, name)
		if testigo.CodeOf(err) == testigo.CodeNotFound {
			a = testigo.Agent{Name: name, FirstSeen: tx.Now(), LastSeen: tx.Now(), AddressedAt: tx.Now()}
		}
		change(&a)
		return tx.PutAgent(w.ctx, a)
	})
}

func (w *world) setting(name string, value any) {
	w.Helper()
	b, err := json.Marshal(value)
	if err != nil {
		w.Fatal(err)
	}
	w.write(func(tx testigo.Tx) error { return tx.PutSetting(w.ctx, name, b) })
}

func (w *world) allow(from, to string, ok bool) {
	w.Helper()
	w.write(func(tx testigo.Tx) error {
		return tx.PutConnection(w.ctx, testigo.Connection{Sender: from, Recipient: to, Allow: ok, UpdatedAt: tx.Now()})
	})
}

func (w *world) as(agent string) memory.Caller {
	return memory.Caller{Agent: agent, Session: agent + "-cli", Seen: &memory.Seen{}}
}

func (w *world) send(from, to, text string, change ...func(*handoff.SendParams)) string {
	w.Helper()
	p := handoff.SendParams{To: to, Message: text}
	for _, c := range change {
		c(&p)
	}
	res, err := w.hand.Send(w.ctx, w.as(from), p)
	if err != nil {
		w.Fatal(err)
	}
	return res.MessageID
}

// order sends work.
func (w *world) order(from, to, title string, change ...func(*handoff.SendParams)) string {
	w.Helper()
	return w.send(from, to, "do "+title, append(change, func(p *handoff.SendParams) { p.Title = title })...)
}

// tick makes one pass, as a cron job does.
func (w *world) tick() engine.Report {
	w.Helper()
	rep, err := w.e.Pass(w.ctx)
	if err != nil {
		w.Fatal(err)
	}
	if err := w.e.GiveBack(w.ctx); err != nil {
		w.Fatal(err)
	}
	w.last = rep
	return rep
}

// after moves the clock and ticks.
func (w *world) after(d time.Duration) engine.Report { w.Helper(); w.clock.move(d); return w.tick() }

// run lets time go by in steps, with a pass at each.
func (w *world) run(d, step time.Duration) {
	w.Helper()
	for end := w.clock.Now().Add(d); w.clock.Now().Before(end); {
		w.after(step)
	}
}

func (w *world) row(id string) testigo.Delivery {
	w.Helper()
	var d testigo.Delivery
	err := w.store.Read(w.ctx, func(r testigo.Reader) (err error) {
		d, err = r.Delivery(w.ctx, id)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return d
}

func (w *world) handoff(id string) testigo.Handoff {
	w.Helper()
	var h testigo.Handoff
	err := w.store.Read(w.ctx, func(r testigo.Reader) (err error) {
		h, err = r.Handoff(w.ctx, id)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return h
}

func (w *world) want(id string, state testigo.DeliveryState) testigo.Delivery {
	w.Helper()
	d := w.row(id)
	if d.State != state {
		w.Fatalf("%s is %s (%s), want %s", id, d.State, d.Detail, state)
	}
	return d
}

func (w *world) wantStarts(n int) {
	w.Helper()
	if got := len(w.p.starts()); got != n {
		w.Fatalf("%d writes, want %d", got, n)
	}
}

func (w *world) wantDetail(id, part string) {
	w.Helper()
	if d := w.row(id); !strings.Contains(d.Detail, part) {
		w.Fatalf("detail %q lacks %q", d.Detail, part)
	}
}

// notices lists what services told an agent.
func (w *world) notices(agent string) (texts []string) {
	w.Helper()
	err := w.store.Read(w.ctx, func(r testigo.Reader) error {
		list, err := r.Handoffs(w.ctx, testigo.HandoffFilter{To: agent})
		for _, h := range list {
			if testigo.IsService(h.From) {
				texts = append(texts, h.From+": "+h.Summary)
			}
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return texts
}

// states lists a row's history.
func (w *world) states(id string) (out []testigo.DeliveryState) {
	w.Helper()
	err := w.store.Read(w.ctx, func(r testigo.Reader) error {
		events, err := r.Events(w.ctx, id, 0, 500)
		for _, ev := range events {
			var data struct{ State testigo.DeliveryState }
			if ev.Kind == engine.EventDelivery {
				if err := json.Unmarshal(ev.Data, &data); err != nil {
					return err
				}
				out = append(out, data.State)
			}
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return out
}

// script is a provider whose sessions do what the test says.
type script struct {
	mu       sync.Mutex
	sessions map[string]*session
	written  []write
	prepared []testigo.Target
	// What follows replaces the honest behaviour when set.
	activity func(testigo.Target) (testigo.Activity, error)
	prepare  func(testigo.Target) error
	start    func(testigo.Target, testigo.Turn) (testigo.Started, error)
	observe  func(testigo.Target, string, testigo.Receipt) (testigo.Observation, error)
}

type write struct {
	testigo.Target
	testigo.Turn
}

type session struct{ turns []*turn }

type turn struct {
	id, request string
	state       testigo.TurnState
}

func newScript() *script { return &script{sessions: map[string]*session{}} }

func (p *script) at(endpoint string) *session {
	s := p.sessions[endpoint]
	if s == nil {
		s = &session{}
		p.sessions[endpoint] = s
	}
	return s
}

func (p *script) starts() []write {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.written)
}

// own lets a session do a turn of its own.
func (p *script) own(endpoint string) *turn {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := &turn{id: "own", state: testigo.TurnOpen}
	p.at(endpoint).turns = append(p.at(endpoint).turns, t)
	return t
}

// end ends the latest turn of a session.
func (p *script) end(endpoint string, state testigo.TurnState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	turns := p.at(endpoint).turns
	turns[len(turns)-1].state = state
}

func (p *script) Activity(_ context.Context, t testigo.Target) (testigo.Activity, error) {
	p.mu.Lock()
	f := p.activity
	p.mu.Unlock()
	if f != nil {
		return f(t)
	}
	return p.honestActivity(t)
}

func (p *script) honestActivity(t testigo.Target) (testigo.Activity, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	turns := p.at(t.Endpoint).turns
	if len(turns) == 0 {
		return testigo.Activity{State: testigo.TurnFinished}, nil
	}
	last := turns[len(turns)-1]
	return testigo.Activity{State: last.state, TurnID: last.id}, nil
}

func (p *script) Prepare(_ context.Context, t testigo.Target) error {
	p.mu.Lock()
	p.prepared = append(p.prepared, t)
	f := p.prepare
	p.mu.Unlock()
	if f != nil {
		return f(t)
	}
	return nil
}

func (p *script) Start(_ context.Context, t testigo.Target, turn testigo.Turn) (testigo.Started, error) {
	p.mu.Lock()
	p.written = append(p.written, write{t, turn})
	f := p.start
	p.mu.Unlock()
	if f != nil {
		return f(t, turn)
	}
	return p.honestStart(t, turn)
}

func (p *script) honestStart(t testigo.Target, tn testigo.Turn) (testigo.Started, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := fmt.Sprintf("turn-%d", len(p.written))
	p.at(t.Endpoint).turns = append(p.at(t.Endpoint).turns, &turn{id: id, request: tn.RequestID, state: testigo.TurnOpen})
	return testigo.Started{TurnID: id, ClientUserMessageID: tn.RequestID}, nil
}

func (p *script) Observe(_ context.Context, t testigo.Target, request string, r testigo.Receipt) (testigo.Observation, error) {
	p.mu.Lock()
	f := p.observe
	p.mu.Unlock()
	if f != nil {
		return f(t, request, r)
	}
	return p.honestObserve(t, request)
}

func (p *script) honestObserve(t testigo.Target, request string) (testigo.Observation, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, tn := range p.at(t.Endpoint).turns {
		if tn.request != request {
			continue
		}
		o := testigo.Observation{TurnID: tn.id}
		switch tn.state {
		case testigo.TurnOpen:
			o.State = testigo.Running
		case testigo.TurnFinished:
			o.State = testigo.TurnEnded
		case testigo.TurnFailed:
			o.State = testigo.Failed
		case testigo.TurnStopped:
			o.State, o.Interrupted = testigo.Failed, true
		}
		return o, nil
	}
	return testigo.Observation{Absent: true}, nil
}
