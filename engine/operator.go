package engine

import (
	"context"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

// maxNote is the most characters of an operator's note.
const maxNote = 300

// ReleaseParams name a delivery that a person ends by hand.
type ReleaseParams struct {
	ID   string `json:"id"`
	Note string `json:"note,omitempty"`
}

// ReleaseResult says what was ended.
type ReleaseResult struct {
	MessageID string                `json:"messageId"`
	From      testigo.DeliveryState `json:"releasedFrom"`
	// Warning: a write was reserved, so it may have arrived all the same.
	Warning string `json:"warning,omitempty"`
}

// Release ends a delivery for good, frees its recipient, and sends and interrupts nothing. It needs no lease: an engine
// that is at work on the row finds that it was moved. Errors: not_found for an unknown id, gone for one that is over.
func (e *Engine) Release(ctx context.Context, c memory.Caller, p ReleaseParams) (ReleaseResult, error) {
	if p.Note != "" {
		var err error
		if p.Note, err = memory.OneLine("note", p.Note, maxNote); err != nil {
			return ReleaseResult{}, err
		}
	}
	var res ReleaseResult
	err := e.store.Write(ctx, func(tx testigo.Tx) error {
		d, err := tx.Delivery(ctx, p.ID)
		if err != nil {
			return err
		}
		h, err := tx.Handoff(ctx, p.ID)
		if err != nil {
			return err
		}
		res = ReleaseResult{MessageID: d.ID, From: d.State}
		was, now := d, tx.Now()
		d.State = testigo.Cancelled
		switch {
		case was.State.Active():
			res.Warning = "it may already have arrived; its turn was not interrupted"
		case was.State.Pending():
		case was.State == testigo.Failed && !was.Receipt.Final:
			d.State = testigo.Failed // what failed stays failed; it is only not tried again
		default:
			return testigo.Errorf(testigo.CodeGone, "the delivery of %s is over (%s); there is nothing to release", d.ID, d.State).
				WithNext("testigo log %s tells its history", d.ID)
		}
		d.Detail = "released by " + c.Agent
		if p.Note != "" {
			d.Detail += ": " + p.Note
		}
		d.Receipt.ReleasedFrom, d.Receipt.ReleasedAt, d.Receipt.Final = was.State, &now, true
		d.Receipt.NotDelivered = was.State.Pending()
		return e.end(ctx, tx, h, was, d)
	})
	return res, err
}
