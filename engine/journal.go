package engine

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
)

// ServiceDeadline tells senders that work is overdue.
const ServiceDeadline = testigo.ServicePrefix + "deadline"

// EventDelivery is the kind of the events that tell a delivery's history.
const EventDelivery = "delivery"

// delivered is the data of such an event.
type delivered struct {
	State     testigo.DeliveryState `json:"state"`
	Detail    string                `json:"detail,omitempty"`
	RequestID string                `json:"requestId,omitempty"`
	// Hop is told once, at the enrolment.
	Hop int `json:"hop,omitempty"`
}

func (e *Engine) event(ctx context.Context, tx testigo.Tx, id, kind string, data any) error {
	b, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return tx.PutEvent(ctx, testigo.Event{Seq: tx.NextSeq(), Subject: id, Kind: kind, Actor: handoff.ServiceDelivery, At: tx.Now(), Data: b})
}

// move replaces a row that is as it was seen. An event tells what differs from before; a row that only waits on is moved
// in silence. UpdatedAt is when the row got its state, so it stays with the state.
func (e *Engine) move(ctx context.Context, tx testigo.Tx, was, d testigo.Delivery) error {
	return e.moveAs(ctx, tx, was, d, "")
}

// moveAs is move with a new request id.
func (e *Engine) moveAs(ctx context.Context, tx testigo.Tx, was, d testigo.Delivery, requestID string) error {
	d.RequestID, d.Version, d.UpdatedAt = was.RequestID, was.Version, was.UpdatedAt
	if d.State != was.State {
		d.UpdatedAt = tx.Now()
	}
	if err := tx.MoveDelivery(ctx, d, was.State, requestID); err != nil {
		return err
	}
	if d.State == was.State && d.Detail == was.Detail && requestID == "" {
		return nil
	}
	if requestID == "" {
		requestID = d.RequestID
	}
	return e.event(ctx, tx, d.ID, EventDelivery, delivered{State: d.State, Detail: d.Detail, RequestID: requestID})
}

// newID makes a free handoff id.
func (e *Engine) newID(ctx context.Context, tx testigo.Tx) (string, error) {
	for range 10 {
		id := fmt.Sprintf("h_%08x", uint32(e.random()))
		if _, err := tx.Handoff(ctx, id); testigo.CodeOf(err) == testigo.CodeNotFound {
			return id, nil
		} else if err != nil {
			return "", err
		}
	}
	return "", testigo.Errorf(testigo.CodeInternal, "no free handoff id was found")
}

// newRequestID makes a name for one series of attempts, in the form of a random UUID.
func (e *Engine) newRequestID() string {
	a, b := e.random(), e.random()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", a>>32, a>>16&0xffff, a&0xfff, 0x8000|b>>48&0x3fff, b&0xffffffffffff)
}
