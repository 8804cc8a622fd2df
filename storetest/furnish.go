package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/testigo/testigo"
)

// furnish puts something into every corner of the store, in a project of its own, so that a test can do it twice.
func (f *fixture) furnish() *world {
	f.Helper()
	f.rooms++
	room := fmt.Sprint("room", f.rooms)
	w := &world{
		agents: []string{"scout", "executor", room, room + " leaving"}, sessions: []string{"morning", "noon"}, keys: []string{room + "a", room + "b"},
		ids: []string{"h_" + room + "a", "h_" + room + "b", "h_" + room + "c"}, terms: []string{"red", "green", "blue", room},
		filters: []string{"p" + room, "tred"}, settings: []string{room + "a", room + "b"},
	}
	for _, key := range []string{"a", "b", "c", "d"} {
		w.names = append(w.names, fact(room, "things", room+key))
	}
	w.times = append(w.times, f.clock.Now())
	f.write(func(tx testigo.Tx) error { return w.begin(f.ctx, tx) })
	f.clock.Advance(1e9)
	w.times = append(w.times, f.clock.Now())
	return w
}

// begin writes three facts, of which the second has two versions and the third an erased one, and one of everything else.
func (w *world) begin(ctx context.Context, tx testigo.Tx) error {
	room, scope := w.agents[2], w.filters[0]
	a, err1 := remember(ctx, tx, w.names[0], body("red "+room), filter(scope+" tred"))
	_, err2 := remember(ctx, tx, w.names[1], body("green"), filter(scope), by("executor", "noon"))
	_, err3 := remember(ctx, tx, w.names[1], body("green red"), around("blue"), filter(scope), confidence(0.3))
	c, err4 := remember(ctx, tx, w.names[2], body("blue secret"), filter(scope))
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	_, err := forget(ctx, tx, c)
	return errors.Join(err,
		tx.PutOutcome(ctx, outcome(tx, a, testigo.Success, "executor", "run 1")),
		tx.PutTouched(ctx, "scout", "morning", []testigo.Touch{{Pin: testigo.Pin{Name: a.Name, Version: 1}, At: tx.Now()}}),
		tx.PutAgent(ctx, testigo.Agent{Name: room, Provider: "inbox", FirstSeen: tx.Now(), LastSeen: tx.Now()}),
		tx.PutAgent(ctx, testigo.Agent{Name: w.agents[3], Provider: "codex", Endpoint: "thread", Settings: json.RawMessage(`{}`), AddressedAt: tx.Now()}),
		tx.PutConnection(ctx, testigo.Connection{Sender: "scout", Recipient: room, Allow: true, UpdatedAt: tx.Now()}),
		tx.PutSetting(ctx, w.settings[0], json.RawMessage(`{"n":1}`)),
		tx.PutRequest(ctx, testigo.Request{Agent: "scout", Key: w.keys[0], Tool: "remember", Result: json.RawMessage(`{"n":1}`), VersionSeq: a.Seq, At: tx.Now()}),
		tx.PutHandoff(ctx, packet(tx, w.ids[0])),
		tx.PutHandoff(ctx, packet(tx, w.ids[1], func(h *testigo.Handoff) { h.To = "" })),
		tx.PutEvent(ctx, testigo.Event{Seq: tx.NextSeq(), Subject: w.ids[0], Kind: "written", Actor: "scout", At: tx.Now()}),
		tx.PutDelivery(ctx, delivery(tx, w.ids[0])),
		takeOver(ctx, tx, "beginning"),
		tx.PutNotice(ctx, w.ids[0], testigo.NoticeStuck, tx.Now()),
	)
}

// change does once whatever a transaction can do.
func (w *world) change(ctx context.Context, tx testigo.Tx) error {
	a, err := tx.Current(ctx, w.names[0])
	if err != nil {
		return err
	}
	old, err := tx.VersionOf(ctx, w.names[1], 1)
	if err != nil {
		return err
	}
	h, err := tx.Handoff(ctx, w.ids[0])
	if err != nil {
		return err
	}
	room, scope := w.agents[2], w.filters[0]
	taken := claimed(h, "executor", 1)
	taken.ReadAt, taken.AcceptedAt, taken.Return, taken.Closure = tx.Now(), tx.Now(), fullReturn(tx.Now()), fullClosure(tx.Now())
	due, err := tx.Delivery(ctx, w.ids[0])
	if err != nil {
		return err
	}
	due.State, due.Attempts, due.UpdatedAt, due.Receipt = testigo.Sending, 1, tx.Now(), fullReceipt(tx.Now())
	d, err1 := remember(ctx, tx, w.names[3], body("red green"), filter(scope))
	b, err2 := remember(ctx, tx, w.names[1], body("blue"), filter(scope+" tred"))
	_, err3 := forget(ctx, tx, old)
	return errors.Join(err1, err2, err3,
		tx.SetOpinion(ctx, a.Seq, 0.9, testigo.OutcomeCounts{Success: 1}),
		tx.SetConfirmed(ctx, b.Seq, "executor", tx.Now()),
		tx.PutOutcome(ctx, outcome(tx, a, testigo.Failure, "executor", "run 2")),
		tx.PutIndexText(ctx, d.Seq, testigo.IndexText{Body: "green", Context: "blue", Filter: scope}),
		tx.PutTouched(ctx, "scout", "morning", []testigo.Touch{{Pin: testigo.Pin{Name: b.Name, Version: b.Number}, At: tx.Now()}, {Pin: testigo.Pin{Name: a.Name, Version: 1}, At: tx.Now()}}),
		tx.PutAgent(ctx, testigo.Agent{Name: room, Provider: "codex", Title: "Room", Endpoint: "thread", Cwd: "/w", Settings: json.RawMessage(`{"a":1}`),
			Paused: true, AddressedAt: tx.Now(), FirstSeen: tx.Now(), LastSeen: tx.Now()}),
		tx.RemoveAgent(ctx, w.agents[3]),
		tx.PutConnection(ctx, testigo.Connection{Sender: "scout", Recipient: room, UpdatedAt: tx.Now()}),
		tx.PutConnection(ctx, testigo.Connection{Sender: room, Recipient: "scout", Allow: true, UpdatedAt: tx.Now()}),
		tx.PutSetting(ctx, w.settings[0], json.RawMessage(`{"n":2}`)),
		tx.PutSetting(ctx, w.settings[1], json.RawMessage(`false`)),
		tx.PutRequest(ctx, testigo.Request{Agent: "scout", Key: w.keys[1], Tool: "remember", Result: json.RawMessage(`[]`), At: tx.Now()}),
		tx.PutHandoff(ctx, packet(tx, w.ids[2])),
		tx.MoveHandoff(ctx, taken, testigo.Open, 0),
		tx.PutEvent(ctx, testigo.Event{Seq: tx.NextSeq(), Subject: w.ids[0], Kind: "claimed", Actor: "executor", At: tx.Now()}),
		tx.MoveDelivery(ctx, due, testigo.Waiting, "r-new"),
		tx.PutDelivery(ctx, delivery(tx, w.ids[2])),
		takeOver(ctx, tx, "change"),
		tx.PutNotice(ctx, w.ids[0], testigo.NoticeEnded, tx.Now()),
	)
}

// takeOver takes the engine's lease, whoever has it.
func takeOver(ctx context.Context, tx testigo.Tx, name string) error {
	l, err := tx.EngineLease(ctx)
	if err != nil && testigo.CodeOf(err) != testigo.CodeNotFound {
		return err
	}
	return tx.PutLease(ctx, testigo.Lease{Generation: l.Generation + 1, Name: name, TakenAt: tx.Now(), Until: tx.Now().Add(time.Minute)})
}
