package storetest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/testigo/testigo"
)

// step is one thing a random program does.
type step struct {
	name string
	run  func()
}

func (s step) String() string { return s.name }

func (m *machine) steps() []step {
	return append(m.deliverySteps(), []step{
		{"remember", m.remember}, {"remember again", m.remember}, {"opinion", m.opinion}, {"confirm", m.confirm},
		{"outcome", m.outcome}, {"index text", m.indexText}, {"erase", m.erase}, {"touch", m.touch}, {"agent", m.agent},
		{"request", m.request}, {"event", m.event}, {"remove agent", m.removeAgent}, {"connection", m.connection}, {"setting", m.setting},
		{"handoff", m.send}, {"handoff again", m.send}, {"move", m.move}, {"move again", m.move}, {"read", m.readMark},
	}...)
}

func pick[T any](m *machine, from []T, label string) T {
	return rapid.SampledFrom(from).Draw(m.T, label)
}

// some draws up to n words, with repetitions.
func (m *machine) some(words []string, n int, label string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, n).Draw(m.T, label), " ")
}

func (m *machine) chance(label string) bool { return rapid.Bool().Draw(m.T, label) }

// perhaps is a time near now, or none.
func (m *machine) perhaps(label string) time.Time {
	if !m.chance(label) {
		return time.Time{}
	}
	return m.tx.Now().Add(time.Duration(rapid.IntRange(-3, 5).Draw(m.T, label+", seconds")) * time.Second)
}

func (m *machine) text() testigo.IndexText {
	return testigo.IndexText{Filter: m.some(m.filters, 2, "filter"), Body: m.some(m.terms, 4, "body"), Context: m.some(m.terms, 2, "context")}
}

func (m *machine) confidence() float64 { return pick(m, []float64{0, 0.3, 0.7, 1}, "confidence") }

// version picks one of the versions there are, or one that is not there.
func (m *machine) version() testigo.Version {
	all := []testigo.Version{{Seq: 1 << 40, Name: m.names[0], Number: 99}}
	for _, n := range m.names {
		list, err := m.twin.Versions(m.ctx, n, 0, 100)
		if err != nil {
			m.Fatal(err)
		}
		all = append(all, list...)
	}
	return all[rapid.IntRange(0, len(all)-1).Draw(m.T, "version")]
}

func (m *machine) remember() {
	n := pick(m, m.names, "name")
	prev, _ := m.twin.Current(m.ctx, n) //nolint:errcheck // none: the first version
	log, err := m.twin.Log(m.ctx)
	if err != nil {
		m.Fatal(err)
	}
	v := testigo.Version{
		Seq: m.seq(), Name: n, Number: prev.Number + 1, Value: json.RawMessage(fmt.Sprintf("%q", m.some(m.terms, 3, "value"))),
		Confidence: m.confidence(), Author: pick(m, m.agents, "author"), Session: pick(m, m.sessions, "session"),
		CreatedAt: m.tx.Now(), Salt: []byte("0123456789abcdef"), PrevHash: prev.Hash, Leaf: log.Size,
	}
	if rapid.IntRange(0, 7).Draw(m.T, "skips a number") == 0 {
		v.Number++
	}
	if tag := m.some(m.terms, 1, "tag"); tag != "" {
		v.Tags, v.Sources = []string{tag}, []testigo.Source{{Path: tag + ".go", SHA256: "ab", Size: 3, ModTime: v.CreatedAt}}
	}
	v.BodyHash = sha256.Sum256(fmt.Append(nil, v.Seq))
	v.Hash = testigo.LinkHash(v.PrevHash, v.BodyHash)
	text := m.text()
	m.both("PutVersion", func(tx testigo.Tx) error { return tx.PutVersion(m.ctx, v, text) })
	if v.Number == prev.Number+1 {
		m.both("SetLog", func(tx testigo.Tx) error { return appendLog(m.ctx, tx, v.Hash) })
	}
}

func (m *machine) opinion() {
	v, c := m.version(), m.confidence()
	moved := testigo.OutcomeCounts{Success: rapid.IntRange(0, 9).Draw(m.T, "successes"), Failure: 1}
	m.both("SetOpinion", func(tx testigo.Tx) error { return tx.SetOpinion(m.ctx, v.Seq, c, moved) })
}

func (m *machine) confirm() {
	v, by := m.version(), pick(m, m.agents, "by")
	m.both("SetConfirmed", func(tx testigo.Tx) error { return tx.SetConfirmed(m.ctx, v.Seq, by, tx.Now()) })
}

// outcome leaves out what no use case does: a second row under the same reference.
func (m *machine) outcome() {
	v, kind := m.version(), pick(m, append(testigo.OutcomeKinds(), ""), "kind")
	agent, ref := pick(m, m.agents, "agent"), pick(m, m.keys, "reference")
	if _, err := m.twin.OutcomeBy(m.ctx, v.Seq, agent, ref); err == nil || v.Number == 99 {
		return
	}
	o := testigo.Outcome{Seq: m.seq(), VersionSeq: v.Seq, Pin: testigo.Pin{Name: v.Name, Version: v.Number}, Kind: kind, OutcomeRef: ref,
		Note: "note", Agent: agent, Session: "noon", At: m.tx.Now(), Before: v.Confidence, After: kind.Move(v.Confidence)}
	if kind == "" {
		o.OutcomeRef = ""
	}
	m.both("PutOutcome", func(tx testigo.Tx) error { return tx.PutOutcome(m.ctx, o) })
}

func (m *machine) indexText() {
	v, text := m.version(), m.text()
	m.both("PutIndexText", func(tx testigo.Tx) error { return tx.PutIndexText(m.ctx, v.Seq, text) })
}

func (m *machine) erase() {
	v := m.version()
	if v.Erased() {
		return
	}
	log, err := m.twin.Log(m.ctx)
	if err != nil {
		m.Fatal(err)
	}
	e := testigo.Erasure{Leaf: log.Size, VersionSeq: v.Seq, Name: v.Name, Number: v.Number, Target: v.Hash, By: "person:keeper",
		At: m.tx.Now(), Hash: sha256.Sum256(fmt.Append(nil, "erased ", v.Seq))}
	m.both("Erase", func(tx testigo.Tx) error { return tx.Erase(m.ctx, e) })
	if v.Number != 99 {
		m.both("SetLog", func(tx testigo.Tx) error { return appendLog(m.ctx, tx, e.Hash) })
	}
}

func (m *machine) touch() {
	agent, session := pick(m, m.agents, "agent"), pick(m, m.sessions, "session")
	var list []testigo.Touch
	for _, n := range rapid.SliceOfN(rapid.SampledFrom(m.names), 1, 3).Draw(m.T, "touched") {
		list = append(list, testigo.Touch{Pin: testigo.Pin{Name: n, Version: 1 + len(list)}, At: m.tx.Now()})
	}
	m.both("PutTouched", func(tx testigo.Tx) error { return tx.PutTouched(m.ctx, agent, session, list) })
}

// request leaves out what no use case does: answering a key twice.
func (m *machine) request() {
	r := testigo.Request{Agent: pick(m, m.agents, "agent"), Key: pick(m, m.keys, "key"), Tool: "remember",
		Result: json.RawMessage(`{"ok":true}`), At: m.tx.Now()}
	if v := m.version(); v.Number != 99 && !v.Erased() {
		r.VersionSeq = v.Seq
	}
	if _, err := m.twin.Request(m.ctx, r.Agent, r.Key); err == nil {
		return
	}
	m.both("PutRequest", func(tx testigo.Tx) error { return tx.PutRequest(m.ctx, r) })
}

func (m *machine) event() {
	e := testigo.Event{Seq: m.seq(), Subject: pick(m, m.ids, "subject"), Kind: "kind", Actor: "scout", At: m.tx.Now(), Data: json.RawMessage(`{}`)}
	m.both("PutEvent", func(tx testigo.Tx) error { return tx.PutEvent(m.ctx, e) })
}
