package storetest

import (
	"pgregory.net/rapid"

	"github.com/testigo/testigo"
)

func (m *machine) send() {
	id := func(label string) string { return pick(m, append([]string{""}, m.ids...), label) }
	h := testigo.Handoff{Seq: m.seq(), ID: pick(m, m.ids, "id"), Kind: pick(m, []testigo.HandoffKind{testigo.KindPacket, testigo.KindMessage, testigo.KindWork, testigo.KindNotification}, "kind"),
		State: testigo.Open, Project: pick(m, []string{"", "p"}, "project"), From: pick(m, m.agents, "from"), FromSession: pick(m, m.sessions, "session"),
		To: pick(m, append([]string{""}, m.agents...), "to"), Title: "title", Summary: "summary",
		ContentHash: testigo.Hash{byte(rapid.IntRange(1, 2).Draw(m.T, "content"))}, CreatedAt: m.tx.Now(), DueAt: m.perhaps("due"), ExpiresAt: m.perhaps("expires"),
		ReplyTo: id("reply to"), Thread: id("thread"), ReturnFor: id("return for"), Round: rapid.IntRange(0, 2).Draw(m.T, "round")}
	m.both("PutHandoff", func(tx testigo.Tx) error { return tx.PutHandoff(m.ctx, h) })
}

// move often guesses wrong about where a handoff stands, as a late caller does.
func (m *machine) move() {
	h := testigo.Handoff{ID: pick(m, m.ids, "id"), State: pick(m, testigo.HandoffStates(), "to"), ReadAt: m.perhaps("read"), AcceptedAt: m.perhaps("accepted")}
	from := pick(m, testigo.HandoffStates()[:3], "from")
	gen := rapid.IntRange(0, 2).Draw(m.T, "generation")
	h.Claim.Generation = gen
	if h.State == testigo.Claimed {
		h.Claim = testigo.Claim{Agent: pick(m, m.agents, "holder"), Session: "noon", Generation: gen + 1, At: m.tx.Now(), RenewedAt: m.tx.Now()}
	}
	if m.chance("returned") {
		h.Return = fullReturn(m.tx.Now())
	}
	if h.State.Final() {
		h.ClosedAt, h.ClosedBy, h.Outcome, h.OutcomeRef = m.tx.Now(), "executor", testigo.Success, "run"
		if m.chance("decided") {
			h.Closure = fullClosure(m.tx.Now())
		}
	}
	m.both("MoveHandoff", func(tx testigo.Tx) error { return tx.MoveHandoff(m.ctx, h, from, gen) })
}

// readMark guesses right: it looks first, as the use case does in one transaction.
func (m *machine) readMark() {
	h, err := m.twin.Handoff(m.ctx, pick(m, m.ids, "id"))
	if err != nil {
		return
	}
	h.ReadAt = m.perhaps("read")
	m.both("MoveHandoff", func(tx testigo.Tx) error { return tx.MoveHandoff(m.ctx, h, h.State, h.Claim.Generation) })
}
