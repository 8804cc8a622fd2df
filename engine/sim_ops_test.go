package engine_test

import (
	"encoding/json"
	"fmt"
	mathrand "math/rand/v2"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/engine"
	"github.com/testigo/testigo/handoff"
)

// op is one step of a schedule. Its numbers are read modulo what there is, so a schedule stays one when steps are dropped.
type op struct {
	Kind opKind
	A, B int
	// When is where it happens: between passes, or inside the next call of a provider.
	When point
}

type point int

const (
	between point = iota
	atActivity
	atPrepare
	atStart
	atObserve
	points
)

type opKind int

const (
	opSend opKind = iota
	opPass
	opTime
	opSleep
	opEndTurn
	opOwnTurn
	opFault
	opMoodActivity
	opMoodObserve
	opKill
	opRead
	opAccept
	opReturn
	opResume
	opWithdraw
	opClose
	opRelease
	opPause
	opBlock
	opSwitch
	opAddress
	opGiveBack
	opKinds
)

func (k opKind) String() string {
	return [...]string{"send", "pass", "time", "sleep", "end turn", "own turn", "fault", "activity mood", "observe mood", "kill", "read",
		"accept", "return", "resume", "withdraw", "close", "release", "pause", "block", "switch", "address", "give back"}[k]
}

func (o op) String() string { return fmt.Sprintf("{%s %d %d @%d}", o.Kind, o.A, o.B, o.When) }

// weights make schedules in which something happens: many passes and sends, few catastrophes.
var weights = [opKinds]int{opSend: 14, opPass: 30, opTime: 16, opSleep: 2, opEndTurn: 12, opOwnTurn: 3, opFault: 10, opMoodActivity: 3,
	opMoodObserve: 4, opKill: 2, opRead: 3, opAccept: 3, opReturn: 4, opResume: 2, opWithdraw: 2, opClose: 2, opRelease: 2, opPause: 2,
	opBlock: 2, opSwitch: 1, opAddress: 1, opGiveBack: 2}

func schedule(seed uint64) []op {
	r := mathrand.New(mathrand.NewPCG(seed, 7))
	total := 0
	for _, w := range weights {
		total += w
	}
	ops := make([]op, 10+r.IntN(40))
	for i := range ops {
		n, k := r.IntN(total), opKind(0)
		for ; n >= weights[k]; k++ {
			n -= weights[k]
		}
		ops[i] = op{Kind: k, A: r.IntN(1 << 16), B: r.IntN(1 << 16)}
		if r.IntN(5) == 0 && k != opSend && k != opFault {
			ops[i].When = point(r.IntN(int(points)))
		}
	}
	return ops
}

var simAgents = []string{"a", "b", "c"}

func (w *sim) name(n int) string { return simAgents[n%len(simAgents)] }

// do runs one step. What a use case refuses is refused; only broken rules count.
func (w *sim) do(o op) {
	agent := w.name(o.A)
	switch o.Kind {
	case opSend:
		w.send(o)
	case opPass:
		w.pass(o.A % len(w.engines))
	case opTime:
		w.clock.move([]time.Duration{time.Second, 5 * time.Second, 12 * time.Second, 70 * time.Second, 6 * time.Minute}[o.A%5])
	case opSleep:
		w.clock.move(time.Duration(1+o.A%8) * time.Hour)
	case opEndTurn:
		w.endTurn(agent, o.B)
	case opOwnTurn:
		w.p.turns[agent] = append(w.p.turns[agent], &simTurn{id: fmt.Sprintf("own%d", w.turnCount), state: testigo.TurnOpen, from: w.clock.Now()})
		w.turnCount++
	case opFault:
		w.p.next = append(w.p.next, startFault(o.A%int(startFaults)))
	case opMoodActivity:
		w.p.activity = simMood(o.A % int(moods))
	case opMoodObserve:
		w.p.observe = simMood(o.A % int(moods))
	case opKill:
		w.kill(o.A % len(w.engines))
	case opGiveBack:
		_ = w.engines[o.A%len(w.engines)].GiveBack(w.ctx)
	case opPause:
		w.agent(agent, func(a *testigo.Agent) { a.Paused = o.B%2 == 0 })
	case opBlock:
		w.connect(agent, w.name(o.A+1+o.B%2), o.B%3 > 0)
	case opSwitch:
		w.put(engine.SettingEnabled, o.A%3 > 0)
	case opAddress:
		w.agent(agent, func(a *testigo.Agent) { a.Cwd = fmt.Sprint(o.B % 2) })
	default:
		w.act(o)
	}
}

// act is what senders, recipients and operators do to one handoff.
func (w *sim) act(o op) {
	if len(w.ids) == 0 {
		return
	}
	id := w.ids[o.A%len(w.ids)]
	h, err := w.handoff(id)
	if err != nil {
		return
	}
	to, from := w.caller(h.To), w.caller(h.From)
	claim := id
	if h.Claim.Held() && o.B%2 == 0 {
		claim = fmt.Sprintf("%s#%d", id, h.Claim.Generation)
	}
	switch o.Kind {
	case opRead:
		_, _ = w.hand.ReadMessage(w.ctx, to, handoff.ReadParams{ID: id})
	case opAccept:
		_, _ = w.hand.AcceptWork(w.ctx, to, handoff.AcceptParams{ID: claim})
	case opReturn:
		if res, err := w.hand.ReturnWork(w.ctx, to, handoff.ReturnParams{ID: claim, Summary: "done"}); err == nil {
			w.ids = append(w.ids, res.ReturnMessageID)
		}
	case opResume:
		_, _ = w.hand.Resume(w.ctx, to, handoff.ResumeParams{HandoffID: id})
	case opWithdraw:
		_, _ = w.hand.Withdraw(w.ctx, from, handoff.WithdrawParams{ID: id})
	case opClose:
		res, err := w.hand.CloseWork(w.ctx, from, handoff.CloseParams{ID: id, Outcome: testigo.CloseOutcomes()[o.B%3], Note: "more"})
		if err == nil && res.Successor != "" {
			w.ids = append(w.ids, res.Successor)
		}
	case opRelease:
		_, _ = w.engines[0].Release(w.ctx, w.caller("person:op"), engine.ReleaseParams{ID: id})
	}
}

// send writes a handoff past the use case, which would spend the simulation's time on redaction.
func (w *sim) send(o op) {
	from, to := w.name(o.A), w.name(o.A+1+o.B%2)
	h := testigo.Handoff{ID: fmt.Sprintf("h_%08x", 0x10000+len(w.ids)), Kind: testigo.KindMessage, State: testigo.Open, From: from, To: to,
		FromSession: from + "-cli", Summary: fmt.Sprint("text ", o.B/8%3), Notify: "wake"}
	switch o.B / 2 % 4 {
	case 0:
		h.Kind, h.Title = testigo.KindWork, "work"
		if o.B/64%3 == 0 {
			h.DueAt = w.clock.Now().Add(20 * time.Minute)
		}
	case 1:
		h.Kind, h.Title = testigo.KindPacket, "packet"
	default:
		if o.B/64%4 == 0 {
			h.ExpiresAt = w.clock.Now().Add(30 * time.Minute)
		}
	}
	w.must(w.store.Write(w.ctx, func(tx testigo.Tx) error {
		h.Seq, h.CreatedAt = tx.NextSeq(), tx.Now()
		return tx.PutHandoff(w.ctx, h)
	}))
	w.ids = append(w.ids, h.ID)
}

func (w *sim) endTurn(agent string, how int) {
	for _, t := range w.p.visible(agent) {
		if t.state == testigo.TurnOpen {
			t.state = []testigo.TurnState{testigo.TurnFinished, testigo.TurnFinished, testigo.TurnFailed, testigo.TurnStopped}[how%4]
			return
		}
	}
}

func (w *sim) agent(name string, change func(*testigo.Agent)) {
	w.must(w.store.Write(w.ctx, func(tx testigo.Tx) error {
		a, err := tx.Agent(w.ctx, name)
		if err != nil {
			a = testigo.Agent{Name: name, Provider: "sim", Endpoint: name, Cwd: "0", FirstSeen: tx.Now(), LastSeen: tx.Now(), AddressedAt: tx.Now()}
		}
		change(&a)
		return tx.PutAgent(w.ctx, a)
	}))
}

func (w *sim) connect(from, to string, ok bool) {
	w.must(w.store.Write(w.ctx, func(tx testigo.Tx) error {
		return tx.PutConnection(w.ctx, testigo.Connection{Sender: from, Recipient: to, Allow: ok, UpdatedAt: tx.Now()})
	}))
}

func (w *sim) put(name string, value any) {
	b, err := json.Marshal(value)
	w.must(err)
	w.must(w.store.Write(w.ctx, func(tx testigo.Tx) error { return tx.PutSetting(w.ctx, name, b) }))
}
