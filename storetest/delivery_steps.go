package storetest

import (
	"encoding/json"
	"time"

	"pgregory.net/rapid"

	"github.com/testigo/testigo"
)

func (m *machine) deliverySteps() []step {
	return []step{{"enrol", m.enrol}, {"enrol again", m.enrol}, {"deliver", m.deliver}, {"deliver rightly", m.deliverRightly},
		{"deliver rightly again", m.deliverRightly}, {"lease", m.takeLease}, {"notice", m.notice}}
}

// deliveryRow leaves places equal now and then: the order is one all the same.
func (m *machine) deliveryRow(id string) testigo.Delivery {
	d := testigo.Delivery{ID: id, Sender: pick(m, m.agents, "sender"), Recipient: pick(m, m.agents, "recipient"),
		Place: int64(rapid.IntRange(0, 2).Draw(m.T, "place")), Priority: rapid.IntRange(-1, 1).Draw(m.T, "priority"),
		RequestID: pick(m, m.keys, "request"), BodyHash: testigo.Hash{3}, State: pick(m, testigo.DeliveryStates(), "state"),
		Attempts: rapid.IntRange(0, 2).Draw(m.T, "attempts"), Version: int64(rapid.IntRange(0, 1).Draw(m.T, "version")),
		CreatedAt: m.tx.Now(), UpdatedAt: m.tx.Now(), NextCheck: m.perhaps("next check"), NotBefore: m.perhaps("not before"),
		Detail: m.some(m.terms, 2, "detail"), Lease: int64(rapid.IntRange(0, 2).Draw(m.T, "lease"))}
	if m.chance("has a target") {
		d.Target = testigo.Target{Provider: "codex", Endpoint: "t1", Cwd: "/w", Settings: json.RawMessage(`{"a":1}`)}
	}
	if m.chance("has a receipt") {
		d.Receipt = fullReceipt(m.tx.Now())
		d.Receipt.Final = m.chance("final")
	}
	if m.chance("repeats another") {
		d.DuplicateOf = pick(m, m.ids, "original")
	}
	return d
}

// enrol does not ask whether there is such a handoff: stores keep what they are given.
func (m *machine) enrol() {
	d := m.deliveryRow(pick(m, m.ids, "id"))
	m.both("PutDelivery", func(tx testigo.Tx) error { return tx.PutDelivery(m.ctx, d) })
}

// deliver often guesses wrong about where a delivery stands.
func (m *machine) deliver() {
	d, from := m.deliveryRow(pick(m, m.ids, "id")), pick(m, testigo.DeliveryStates(), "from")
	request := pick(m, append([]string{""}, m.keys...), "new request")
	m.both("MoveDelivery", func(tx testigo.Tx) error { return tx.MoveDelivery(m.ctx, d, from, request) })
}

// deliverRightly looks first, and makes moves that are legal mostly.
func (m *machine) deliverRightly() {
	old, err := m.twin.Delivery(m.ctx, pick(m, m.ids, "id"))
	if err != nil {
		return
	}
	d := m.deliveryRow(old.ID)
	d.RequestID, d.Version = old.RequestID, old.Version
	request := pick(m, append([]string{""}, m.keys...), "new request")
	m.both("MoveDelivery", func(tx testigo.Tx) error { return tx.MoveDelivery(m.ctx, d, old.State, request) })
}

func (m *machine) takeLease() {
	l := testigo.Lease{Generation: int64(rapid.IntRange(0, 3).Draw(m.T, "generation")), Name: pick(m, m.agents, "holder"),
		Holder: testigo.Process{PID: 7, Started: "s", Boot: "b"}, TakenAt: m.tx.Now(), RenewedAt: m.perhaps("renewed"), Until: m.tx.Now().Add(time.Minute)}
	m.both("PutLease", func(tx testigo.Tx) error { return tx.PutLease(m.ctx, l) })
}

func (m *machine) notice() {
	id, kind := pick(m, m.ids, "id"), pick(m, noticeKinds, "kind")
	m.both("PutNotice", func(tx testigo.Tx) error { return tx.PutNotice(m.ctx, id, kind, tx.Now()) })
}

var noticeKinds = []testigo.NoticeKind{testigo.NoticeOverdue, testigo.NoticeStuck, testigo.NoticeEnded, testigo.NoticeHops}

// deliveries asks about everything that an engine keeps.
func (o *observer) deliveries() {
	for _, id := range o.ids {
		d, err := o.r.Delivery(o.ctx, id)
		see(o, d, err, "delivery of %s", id)
		for _, kind := range noticeKinds {
			noticed, err := o.r.Noticed(o.ctx, id, kind)
			see(o, noticed, err, "%s noticed about %s", kind, id)
		}
	}
	for _, f := range o.deliveryFilters() {
		list, err := o.r.Deliveries(o.ctx, f)
		see(o, list, err, "deliveries %+v", f)
		f.Limit = 1
		list, err = o.r.Deliveries(o.ctx, f)
		see(o, list, err, "deliveries %+v", f)
	}
	counts, err := o.r.CountDeliveries(o.ctx)
	see(o, counts, err, "counts of deliveries")
	due, err := o.r.NextDue(o.ctx)
	see(o, due, err, "next due")
	lease, err := o.r.EngineLease(o.ctx)
	see(o, lease, err, "the engine's lease")
	for _, at := range o.times {
		list, err := o.r.Unenrolled(o.ctx, at, 2)
		see(o, list, err, "unenrolled at %v", at)
	}
}

func (o *observer) deliveryFilters() []testigo.DeliveryFilter {
	filters := []testigo.DeliveryFilter{{}, {NotFinal: true}, {States: alive(), NotFinal: true}}
	for _, state := range testigo.DeliveryStates() {
		filters = append(filters, testigo.DeliveryFilter{States: []testigo.DeliveryState{state}})
	}
	for _, agent := range o.agents {
		filters = append(filters, testigo.DeliveryFilter{Recipient: agent}, testigo.DeliveryFilter{Sender: agent},
			testigo.DeliveryFilter{Recipient: agent, States: alive(), NotFinal: true},
			testigo.DeliveryFilter{Recipient: agent, States: testigo.ActiveStates()}, testigo.DeliveryFilter{Recipient: agent, States: alive()})
	}
	for _, id := range o.ids {
		filters = append(filters, testigo.DeliveryFilter{DuplicateOf: id})
	}
	for _, at := range o.times {
		filters = append(filters, testigo.DeliveryFilter{DueBy: at}, testigo.DeliveryFilter{DueBy: at, States: alive(), NotFinal: true},
			testigo.DeliveryFilter{DueBy: at, Recipient: o.agents[0], States: testigo.PendingStates()})
	}
	return filters
}
