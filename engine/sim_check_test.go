package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/engine"
)

// checkStart judges a write at the moment at which it is asked for: it was reserved, under this claim, alone for its
// recipient, and nothing that could have gone before it waits.
func (w *sim) checkStart(t testigo.Target, tn testigo.Turn) {
	w.must(w.store.Read(w.ctx, func(r testigo.Reader) error {
		d, err := r.Delivery(w.ctx, tn.HandoffID)
		if err != nil {
			return err
		}
		if d.State != testigo.Sending || d.RequestID != tn.RequestID || d.Attempts < 1 || d.Target.Hash() != t.Hash() {
			w.fail("a write for %s without a reservation: it is %s", d.ID, d.State)
		}
		h, err := r.Handoff(w.ctx, d.ID)
		if err != nil {
			return err
		}
		if claim := fmt.Sprintf("%s#%d", h.ID, h.Claim.Generation); claim != tn.Claim || h.State != testigo.Claimed || h.Claim.Session != engine.TurnSession(tn.RequestID) {
			w.fail("a write for %s without its claim: %s, %+v", d.ID, h.State, h.Claim)
		}
		if !engine.Marker(tn.Text, tn.RequestID) || len(tn.Text) > 6<<10 {
			w.fail("the card of %s is not its own", d.ID)
		}
		active, err := r.Deliveries(w.ctx, testigo.DeliveryFilter{States: testigo.ActiveStates(), Recipient: d.Recipient})
		if len(active) != 1 {
			w.fail("%d rows hold the slot of %s", len(active), d.Recipient)
		}
		if err != nil || w.disturbed {
			return err
		}
		return w.checkOrder(r, d)
	}))
}

func (w *sim) checkOrder(r testigo.Reader, d testigo.Delivery) error {
	rows, err := r.Deliveries(w.ctx, testigo.DeliveryFilter{States: testigo.PendingStates(), Recipient: d.Recipient})
	if err != nil {
		return err
	}
	a, err := r.Agent(w.ctx, d.Recipient)
	if err != nil {
		return err
	}
	for _, o := range rows {
		if o.Priority < d.Priority || o.Priority == d.Priority && o.Place > d.Place || o.NotBefore.After(w.clock.Now()) || o.Target.Cwd != a.Cwd {
			continue
		}
		h, err := r.Handoff(w.ctx, o.ID)
		if err != nil {
			return err
		}
		rule, err := r.Connection(w.ctx, o.Sender, o.Recipient)
		blocked := err == nil && !rule.Allow && h.ReturnFor == ""
		expired := !h.ExpiresAt.IsZero() && !h.ExpiresAt.After(w.clock.Now())
		if h.State == testigo.Open && !blocked && !expired {
			w.fail("%s went before %s, which could have gone", d.ID, o.ID)
		}
	}
	return nil
}

// checkTurn is asked when a turn begins: there is no other live one for its handoff, and not too many were.
func (w *sim) checkTurn(n *simTurn) {
	count := 1
	for _, turns := range w.p.turns {
		for _, t := range turns {
			if t.handoff != n.handoff {
				continue
			}
			if count++; t.state == testigo.TurnOpen {
				w.fail("two live turns for %s", n.handoff)
			}
		}
	}
	if count > 3 {
		w.fail("%d turns for %s", count, n.handoff)
	}
}

// checkEnd judges what is left when everything came to rest.
func (w *sim) checkEnd() {
	notices := map[string]int{}
	w.must(w.store.Read(w.ctx, func(r testigo.Reader) error {
		list, err := r.Handoffs(w.ctx, testigo.HandoffFilter{})
		if err != nil {
			return err
		}
		for _, h := range list {
			events, err := r.Events(w.ctx, h.ID, 0, 1000)
			if err != nil {
				return err
			}
			w.checkEvents(h, events, notices)
			d, err := r.Delivery(w.ctx, h.ID)
			switch {
			case testigo.CodeOf(err) == testigo.CodeNotFound:
				continue // read, expired or withdrawn before anybody took it up
			case err != nil:
				return err
			}
			w.checkRest(h, d)
			if d.State == testigo.Duplicate {
				if err := w.checkDuplicate(r, d); err != nil {
					return err
				}
			}
		}
		return nil
	}))
	for key, n := range notices {
		if n > 1 {
			w.fail("%d notices of %s", n, key)
		}
	}
}

// checkRest: a delivery at rest is over, or waits for an address; and no claim of an ended turn is left.
func (w *sim) checkRest(h testigo.Handoff, d testigo.Delivery) {
	waits := d.State == testigo.Unavailable && d.Target.Cwd != "0"
	if (d.State.Pending() || d.State.Active()) && !waits || d.State == testigo.Failed && !d.Receipt.Final {
		w.fail("%s never ended: %s (%s)", d.ID, d.State, d.Detail)
	}
	if h.State == testigo.Claimed && strings.HasPrefix(h.Claim.Session, "turn:") {
		w.fail("%s is still held by a turn although its delivery is %s", h.ID, d.State)
	}
	if d.State == testigo.TurnEnded && d.Receipt.NotDelivered {
		w.fail("%s arrived and was not delivered", d.ID)
	}
	turns := 0
	for _, list := range w.p.turns {
		for _, t := range list {
			if t.handoff == d.ID {
				turns++
			}
		}
	}
	if d.State == testigo.Cancelled && turns > 0 && d.Receipt.ReleasedFrom == "" && d.Receipt.Resends == 0 && d.Receipt.NotDelivered && !d.Receipt.RejectedBefore {
		w.fail("%s is called never delivered, and had a turn", d.ID)
	}
	if turns == 0 && d.State == testigo.TurnEnded && h.Return == nil {
		w.fail("%s is called ended, and never had a turn", d.ID)
	}
}

// checkDuplicate: what repeats an original that did not arrive has taken its place.
func (w *sim) checkDuplicate(r testigo.Reader, d testigo.Delivery) error {
	o, err := r.Delivery(w.ctx, d.DuplicateOf)
	if err != nil {
		return err
	}
	h, err := r.Handoff(w.ctx, o.ID)
	if err != nil {
		return err
	}
	tookBack := h.State == testigo.Withdrawn || h.State == testigo.Closed
	if o.State == testigo.Failed || o.State == testigo.Cancelled && !tookBack {
		w.fail("%s still waits on %s, which ended undelivered (%s)", d.ID, o.ID, o.State)
	}
	return nil
}

func (w *sim) checkEvents(h testigo.Handoff, events []testigo.Event, notices map[string]int) {
	last := testigo.DeliveryState("")
	for _, ev := range events {
		switch ev.Kind {
		case engine.EventDelivery:
			var data struct{ State testigo.DeliveryState }
			w.must(json.Unmarshal(ev.Data, &data))
			if last != "" && !testigo.CanDeliver(last, data.State) {
				w.fail("%s went from %s to %s", h.ID, last, data.State)
			}
			last = data.State
		case "written":
			var data struct{ About, Notice string }
			w.must(json.Unmarshal(ev.Data, &data))
			if data.Notice != "" {
				notices[data.About+" "+data.Notice]++
			}
		}
	}
}
