package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/testigo/testigo"
)

// isLive reports whether an engine still looks at a delivery by itself.
func isLive(d testigo.Delivery) bool {
	return d.State.Pending() || d.State.Active() || d.State == testigo.Failed && !d.Receipt.Final
}

// liveOnly reports whether a filter selects live deliveries only, so that the indexes that hold no others serve it.
func liveOnly(f testigo.DeliveryFilter) bool {
	return len(f.States) > 0 && !slices.ContainsFunc(f.States, func(s testigo.DeliveryState) bool {
		return !s.Pending() && !s.Active() && (s != testigo.Failed || !f.NotFinal)
	})
}

// deliveryWay is the narrowest list for a filter.
func deliveryWay(f testigo.DeliveryFilter) string {
	switch {
	case f.DuplicateOf != "":
		return "deliveries_repeats"
	case !f.DueBy.IsZero() && liveOnly(f):
		return "deliveries_due"
	case !f.DueBy.IsZero():
		return "deliveries_late"
	case f.Recipient != "" && liveOnly(f):
		return "deliveries_queue"
	case f.Recipient != "" && len(f.States) > 0:
		return "deliveries_waiting"
	case f.Recipient != "":
		return "deliveries_to"
	case f.Sender != "":
		return "deliveries_sent"
	case len(f.States) > 0:
		return "deliveries_in"
	}
	return "deliveries_any"
}

func (v *view) Delivery(ctx context.Context, id string) (testigo.Delivery, error) {
	if err := v.ask(ctx); err != nil {
		return testigo.Delivery{}, err
	}
	defer v.answer()
	list, err := v.deliveries(ctx, "delivery_get", id)
	if err != nil {
		return testigo.Delivery{}, err
	}
	if len(list) == 0 {
		return testigo.Delivery{}, missing("no delivery of handoff %s", id)
	}
	return list[0], nil
}

func (v *view) Deliveries(ctx context.Context, f testigo.DeliveryFilter) ([]testigo.Delivery, error) {
	if err := v.ask(ctx); err != nil {
		return nil, err
	}
	defer v.answer()
	states, err := listOrEmpty(f.States)
	if err != nil {
		return nil, v.fail(err)
	}
	limit := int64(math.MaxInt64)
	if f.Limit > 0 {
		limit = int64(f.Limit)
	}
	return v.deliveries(ctx, deliveryWay(f), states, f.Recipient, f.Sender, f.DuplicateOf, millis(f.DueBy), f.NotFinal, limit)
}

func (v *view) deliveries(ctx context.Context, name string, args ...any) ([]testigo.Delivery, error) {
	var list []testigo.Delivery
	err := v.k.each(ctx, name, args, func(rows *sql.Rows) error {
		d, err := scanDelivery(rows)
		list = append(list, d)
		return err
	})
	return list, v.fail(err)
}

func scanDelivery(rows *sql.Rows) (testigo.Delivery, error) {
	var d testigo.Delivery
	var body, settings, receipt []byte
	err := scan(rows, &d.ID, &d.Sender, &d.Recipient, &d.Place, &d.Priority, &d.RequestID, &body, &d.Target.Provider,
		&d.Target.Endpoint, &d.Target.Cwd, &settings, &d.State, &d.Attempts, &d.Version, (*stamp)(&d.CreatedAt),
		(*stamp)(&d.UpdatedAt), (*stamp)(&d.NextCheck), (*stamp)(&d.NotBefore), &d.Detail, &receipt, &d.DuplicateOf, &d.Lease)
	if err != nil {
		return d, err
	}
	copyHash(&d.BodyHash, body)
	// Neither part is left out when it cannot be read: what is not known of an attempt would be tried again.
	row := "the delivery of " + d.ID
	if err := json.Unmarshal(receipt, &d.Receipt); err != nil {
		return d, unreadableRow(row, "receipt", err)
	}
	d.Target.Settings = settings
	if err := checkJSON(row, "settings", settings); err != nil {
		return d, err
	}
	return d, nil
}

func (v *view) CountDeliveries(ctx context.Context) (map[testigo.DeliveryState]int, error) {
	if err := v.ask(ctx); err != nil {
		return nil, err
	}
	defer v.answer()
	counts := map[testigo.DeliveryState]int{}
	err := v.k.each(ctx, "deliveries_count", nil, func(rows *sql.Rows) error {
		var state testigo.DeliveryState
		var n int
		err := scan(rows, &state, &n)
		counts[state] = n
		return err
	})
	return counts, v.fail(err)
}

func (v *view) NextDue(ctx context.Context) (time.Time, error) {
	if err := v.ask(ctx); err != nil {
		return time.Time{}, err
	}
	defer v.answer()
	var at time.Time
	err := v.k.row("delivery_next", nil, (*stamp)(&at))
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return at, v.fail(err)
}

func (v *view) Unenrolled(ctx context.Context, now time.Time, limit int) ([]testigo.Handoff, error) {
	if err := v.ask(ctx); err != nil {
		return nil, err
	}
	defer v.answer()
	return v.handoffRows(ctx, "handoffs_unenrolled", []any{testigo.ProviderInbox, now.UnixMilli(), max(limit, 0)})
}

// receiptText is a receipt as it is stored, with times as every column keeps them. The provider's part keeps its signs.
func receiptText(r testigo.Receipt) (string, error) {
	for _, at := range []**time.Time{&r.AcceptedAt, &r.FirstAbsentAt, &r.UnobservedSince, &r.ReleasedAt} {
		if *at != nil {
			own := toMillis(**at)
			*at = &own
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(r)
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), err
}

func (t *tx) PutDelivery(ctx context.Context, d testigo.Delivery) error {
	if err := t.ask(ctx); err != nil {
		return err
	}
	defer t.answer()
	receipt, err := receiptText(d.Receipt)
	if err != nil {
		return t.fail(err)
	}
	to := d.Target
	_, err = t.k.exec("delivery_insert", d.ID, d.Sender, d.Recipient, d.Place, d.Priority, d.RequestID, d.BodyHash[:],
		to.Provider, to.Endpoint, to.Cwd, jsonText(to.Settings), string(d.State), isLive(d), d.Attempts, d.Version,
		millis(d.CreatedAt), millis(d.UpdatedAt), millis(d.NextCheck), millis(d.NotBefore), d.Detail, receipt,
		d.Receipt.Final, d.DuplicateOf, d.Lease)
	if taken(err) {
		return testigo.Errorf(testigo.CodeConflict, "handoff %s has a delivery", d.ID)
	}
	t.ring = true
	return t.fail(err)
}

func (t *tx) MoveDelivery(ctx context.Context, d testigo.Delivery, from testigo.DeliveryState, newRequestID string) error {
	if err := t.ask(ctx); err != nil {
		return err
	}
	defer t.answer()
	if !testigo.CanDeliver(from, d.State) {
		return testigo.Errorf(testigo.CodeInternal, "no delivery goes from %s to %s", from, d.State)
	}
	receipt, err := receiptText(d.Receipt)
	if err != nil {
		return t.fail(err)
	}
	n, err := t.exec("delivery_move", d.ID, string(from), d.RequestID, d.Version, string(d.State), isLive(d), d.Priority,
		cmp.Or(newRequestID, d.RequestID), d.Attempts, millis(d.UpdatedAt), millis(d.NextCheck), millis(d.NotBefore), d.Detail,
		receipt, d.Receipt.Final, d.DuplicateOf, d.Lease)
	if err != nil {
		return err
	}
	if n > 0 {
		t.ring = true
		return nil
	}
	var state, request string
	var version int64
	err = t.k.row("delivery_state", []any{d.ID}, &state, &request, &version)
	if errors.Is(err, sql.ErrNoRows) {
		return testigo.Errorf(testigo.CodeGone, "handoff %s has no delivery to move", d.ID)
	}
	if err != nil {
		return t.fail(err)
	}
	return testigo.Errorf(testigo.CodeGone, "the delivery of %s is %s in version %d under request %s, not %s in version %d under %s",
		d.ID, state, version, request, from, d.Version, d.RequestID)
}
