package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/testigo/testigo"
)

// enrol takes up what was sent since, and returns how many.
func (e *Engine) enrol(ctx context.Context) (n int, err error) {
	for {
		some := 0
		err := e.store.Read(ctx, func(r testigo.Reader) error {
			list, err := r.Unenrolled(ctx, e.o.Clock(), 1)
			some = len(list)
			return err
		})
		if err != nil || some == 0 {
			return n, err
		}
		err = e.write(ctx, func(tx testigo.Tx) error {
			some, err = e.enrolIn(ctx, tx, "")
			return err
		})
		if err != nil {
			return n, err
		}
		if n += some; some < enrolBatch {
			return n, nil
		}
	}
}

// enrolIn enrols in a transaction what one agent sent, or everybody.
func (e *Engine) enrolIn(ctx context.Context, tx testigo.Tx, from string) (int, error) {
	list, err := tx.Unenrolled(ctx, tx.Now(), enrolBatch)
	if err != nil {
		return 0, err
	}
	for _, h := range list {
		if from != "" && h.From != from {
			continue
		}
		if err := e.enrolOne(ctx, tx, h); err != nil {
			return 0, err
		}
	}
	return len(list), nil
}

func (e *Engine) enrolOne(ctx context.Context, tx testigo.Tx, h testigo.Handoff) error {
	a, err := tx.Agent(ctx, h.To)
	if err != nil {
		return err
	}
	hop, err := e.hop(ctx, tx, h)
	if err != nil {
		return err
	}
	d := testigo.Delivery{ID: h.ID, Sender: h.From, Recipient: h.To, Place: h.Seq, RequestID: e.newRequestID(), BodyHash: bodyHash(h),
		Target: target(a), State: testigo.Waiting, CreatedAt: tx.Now(), UpdatedAt: tx.Now(), NextCheck: tx.Now(), Version: 1, Detail: "waiting for its turn"}
	original, err := e.original(ctx, tx, h, d)
	switch {
	case err != nil:
		return err
	case h.From == h.To:
		d.State, d.NextCheck, d.Detail = testigo.Cancelled, d.NotBefore, "stored for the next session of its own writer; nobody is pushed by itself"
	case hop > testigo.MaxHops:
		d.State, d.NextCheck = testigo.Cancelled, d.NotBefore
		d.Detail = fmt.Sprintf("stored, not delivered: it is hop %d of a chain of turns, and %d are allowed", hop, testigo.MaxHops)
		d.Receipt.Final, d.Receipt.Rejection = true, "hops"
		if err := e.notice(ctx, tx, h, testigo.NoticeHops, d.Detail); err != nil {
			return err
		}
	case original != "":
		d.State, d.NextCheck, d.DuplicateOf = testigo.Duplicate, d.NotBefore, original
		d.Detail = "the same message is under way as " + original + "; it goes by itself if that one is not delivered"
	}
	if err := tx.PutDelivery(ctx, d); err != nil {
		return err
	}
	return e.event(ctx, tx, h.ID, EventDelivery, delivered{State: d.State, Detail: d.Detail, RequestID: d.RequestID, Hop: hop})
}

// original finds the row that a plain message repeats: same sender, recipient and content, and still under way. A failure
// that may be sent again is under way too.
func (e *Engine) original(ctx context.Context, r testigo.Reader, h testigo.Handoff, d testigo.Delivery) (string, error) {
	if !plain(h) {
		return "", nil
	}
	states := append(append(testigo.PendingStates(), testigo.ActiveStates()...), testigo.Failed)
	rows, err := r.Deliveries(ctx, testigo.DeliveryFilter{States: states, Recipient: h.To, Sender: h.From, NotFinal: true})
	if err != nil {
		return "", err
	}
	for _, o := range rows { // the hash covers the kind and what it answers
		if o.BodyHash == d.BodyHash {
			return o.ID, nil
		}
	}
	return "", nil
}

// hop counts how many turns in a row, each started by a delivery, led to a handoff. Sent inside a turn it is that
// delivery's hop and one more, whatever it says that it answers. The turn is the one whose claim the sender named (the
// first event's "inside"), else the one that holds the sender's slot now: what a turn sends is enrolled before its end is
// written. A prompt that a person types is no delivery, so it starts from 0.
func (e *Engine) hop(ctx context.Context, r testigo.Reader, h testigo.Handoff) (int, error) {
	first, err := r.Events(ctx, h.ID, 0, 1)
	if err != nil {
		return 0, err
	}
	for _, ev := range first {
		var data struct{ Inside string }
		if json.Unmarshal(ev.Data, &data) == nil && data.Inside != "" {
			id, _, _ := strings.Cut(data.Inside, "#")
			n, err := hopOf(ctx, r, id)
			return n + 1, err
		}
	}
	rows, err := r.Deliveries(ctx, testigo.DeliveryFilter{States: testigo.ActiveStates(), Recipient: h.From, Limit: 1})
	if err != nil || len(rows) == 0 || h.CreatedAt.Before(rows[0].CreatedAt) {
		return 0, err
	}
	n, err := hopOf(ctx, r, rows[0].ID)
	return n + 1, err
}

// hopOf reads what was told of a delivery's hop at its enrolment.
func hopOf(ctx context.Context, r testigo.Reader, id string) (int, error) {
	events, err := r.Events(ctx, id, 0, 10)
	for _, ev := range events {
		var data delivered
		if ev.Kind == EventDelivery && json.Unmarshal(ev.Data, &data) == nil {
			return data.Hop, nil // the first one is the enrolment's
		}
	}
	return 0, err
}
