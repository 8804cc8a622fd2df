package engine_test

import (
	"context"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/engine"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
	"github.com/testigo/testigo/storetest/memstore"
)

// sim is one simulated host: a store, two engines, three agents, and the truth about their sessions.
type sim struct {
	ctx     context.Context
	clock   *clock
	store   *memstore.Store
	mem     *memory.Service
	hand    *handoff.Service
	p       *simProvider
	engines []*engine.Engine
	lives   []*mortal
	// passing is the engine whose pass runs, the innermost one.
	passing int
	depth   int
	// disturbed: something happened inside a provider's call of the running pass, so its order is not judged.
	disturbed bool
	armed     map[point][]op
	ids       []string
	turnCount int
	reborn    uint64
	seed      uint64
	broken    error
}

func newSim(seed uint64) *sim {
	w := &sim{ctx: context.Background(), clock: newClock(), armed: map[point][]op{}, seed: seed}
	w.store = memstore.New(memstore.Options{Clock: w.clock.Now})
	w.mem = memory.New(w.store).WithClock(w.clock.Now)
	w.hand = handoff.New(w.mem).WithLiveness(func(testigo.Process) (bool, bool) { return true, false })
	w.p = &simProvider{w: w, turns: map[string][]*simTurn{}}
	w.engines, w.lives = make([]*engine.Engine, 2), make([]*mortal, 2)
	for i := range w.engines {
		w.kill(i)
	}
	for _, name := range simAgents {
		w.agent(name, func(*testigo.Agent) {})
	}
	return w
}

// fail keeps the first broken rule.
func (w *sim) fail(format string, args ...any) {
	if w.broken == nil {
		w.broken = fmt.Errorf(format, args...)
	}
}

func (w *sim) must(err error) {
	if err != nil {
		w.fail("the simulation itself failed: %w", err)
	}
}

func (w *sim) caller(name string) memory.Caller {
	return memory.Caller{Agent: name, Session: name + "-cli", Seen: &memory.Seen{}}
}

// kill ends an engine's process at this very moment and starts another one in its place.
func (w *sim) kill(i int) {
	if w.lives[i] != nil {
		w.lives[i].die()
	}
	w.reborn++
	w.lives[i] = &mortal{Store: w.store}
	w.engines[i] = engine.New(w.lives[i], engine.Options{Providers: map[string]testigo.Provider{"sim": w.p}, Clock: w.clock.Now,
		Name: fmt.Sprint("engine ", i), Parallel: 1, Rand: mathrand.New(mathrand.NewPCG(w.seed, w.reborn))})
}

// die kills the engine whose pass is running.
func (w *sim) die() { w.kill(w.passing) }

func (w *sim) pass(i int) {
	if w.depth > 2 {
		return
	}
	was, life := w.passing, w.lives[i]
	w.passing = i
	w.depth++
	if w.depth == 1 {
		w.disturbed = false
	}
	_, err := w.engines[i].Pass(w.ctx)
	w.depth--
	w.passing = was
	// A lost lease is gone, a killed process dead, and what a clock step made the other engine move is not ours: all other
	// errors are bugs.
	if err != nil && testigo.CodeOf(err) != testigo.CodeGone && !errors.Is(err, errDead) && !life.dead.Load() {
		w.fail("pass: %w", err)
	}
}

// fire runs what was armed for a point.
func (w *sim) fire(at point) {
	list := w.armed[at]
	if len(list) == 0 {
		return
	}
	w.armed[at] = nil
	w.disturbed = true
	for _, o := range list {
		w.do(o)
	}
}

// run plays a schedule, lets everything come to its end, and says which rule broke.
func (w *sim) run(ops []op) error {
	for _, o := range ops {
		if o.When != between {
			w.armed[o.When] = append(w.armed[o.When], o)
			continue
		}
		w.do(o)
		if w.broken != nil {
			return w.broken
		}
	}
	w.settle()
	if w.broken == nil {
		w.checkEnd()
	}
	return w.broken
}

// settle makes everybody honest again and gives it time: turns end, proofs of absence complete, resends go out.
func (w *sim) settle() {
	w.armed, w.p.next, w.p.activity, w.p.observe = map[point][]op{}, nil, honest, honest
	w.put(engine.SettingEnabled, true)
	for _, from := range simAgents {
		w.agent(from, func(a *testigo.Agent) { a.Paused, a.Cwd = false, "0" })
		for _, to := range simAgents {
			if from != to {
				w.connect(from, to, true)
			}
		}
	}
	for n := 0; n < 400 && w.broken == nil; n++ {
		w.pass(0)
		_ = w.engines[0].GiveBack(w.ctx)
		next, busy := w.nextDue()
		if !busy {
			return
		}
		step := max(next.Sub(w.clock.Now()), time.Second)
		w.clock.move(min(step, 10*time.Minute))
		for _, name := range simAgents {
			w.endTurn(name, 0)
		}
	}
	w.fail("it never came to rest")
}

func (w *sim) nextDue() (next time.Time, busy bool) {
	w.must(w.store.Read(w.ctx, func(r testigo.Reader) (err error) {
		next, err = r.NextDue(w.ctx)
		if err != nil {
			return err
		}
		rows, err := r.Unenrolled(w.ctx, w.clock.Now(), 1)
		busy = len(rows) > 0 || !next.IsZero() && !w.onlyMoved(r)
		return err
	}))
	return next, busy
}

// onlyMoved reports whether all that is left waits for an address that was changed.
func (w *sim) onlyMoved(r testigo.Reader) bool {
	states := append(append(testigo.PendingStates(), testigo.ActiveStates()...), testigo.Failed)
	rows, err := r.Deliveries(w.ctx, testigo.DeliveryFilter{States: states, NotFinal: true})
	w.must(err)
	for _, d := range rows {
		if d.State != testigo.Unavailable || d.Target.Cwd == "0" {
			return false
		}
	}
	return true
}

func (w *sim) handoff(id string) (h testigo.Handoff, err error) {
	err = w.store.Read(w.ctx, func(r testigo.Reader) (err error) {
		h, err = r.Handoff(w.ctx, id)
		return err
	})
	return h, err
}
