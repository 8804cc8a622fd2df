package memstore

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/testigo/testigo"
)

// deliveryTables is what a state holds of the engine's work. The rows that an engine still looks at are kept apart from
// the finished ones, of which a long simulation has far more.
type deliveryTables struct {
	byID    table[string, *testigo.Delivery]
	queue   table[queueKey, *testigo.Delivery]  // live ones
	due     table[dueKey, *testigo.Delivery]    // live ones with a next check
	repeats table[repeatKey, *testigo.Delivery] // those with an original
	fresh   table[int64, *testigo.Handoff]      // handoffs that may still be enrolled, by Seq
	notices table[noticeKey, time.Time]
	lease   testigo.Lease // generation 0: nobody ever held it
}

func newDeliveryTables() deliveryTables {
	return deliveryTables{
		byID:    newTable[string, *testigo.Delivery](strings.Compare),
		queue:   newTable[queueKey, *testigo.Delivery](queueKey.compare),
		due:     newTable[dueKey, *testigo.Delivery](dueKey.compare),
		repeats: newTable[repeatKey, *testigo.Delivery](repeatKey.compare),
		fresh:   newTable[int64, *testigo.Handoff](cmp.Compare[int64]),
		notices: newTable[noticeKey, time.Time](noticeKey.compare),
	}
}

// live reports whether an engine still looks at a delivery by itself.
func live(d *testigo.Delivery) bool {
	return d.State.Pending() || d.State.Active() || d.State == testigo.Failed && !d.Receipt.Final
}

// liveOnly reports whether a filter selects live deliveries only.
func liveOnly(f testigo.DeliveryFilter) bool {
	return len(f.States) > 0 && !slices.ContainsFunc(f.States, func(s testigo.DeliveryState) bool {
		return !live(&testigo.Delivery{State: s}) || s == testigo.Failed && !f.NotFinal
	})
}

func (v *view) Delivery(ctx context.Context, id string) (testigo.Delivery, error) {
	if err := v.usable(ctx); err != nil {
		return testigo.Delivery{}, err
	}
	d, ok := v.state.deliveries.byID.get(id)
	if !ok {
		return testigo.Delivery{}, missing("no delivery of handoff %s", id)
	}
	return copyDelivery(d), nil
}

func (v *view) Deliveries(ctx context.Context, f testigo.DeliveryFilter) ([]testigo.Delivery, error) {
	if err := v.usable(ctx); err != nil {
		return nil, err
	}
	rows, ordered := v.deliveriesFor(f)
	var list []*testigo.Delivery
	rows(func(d *testigo.Delivery) bool {
		if selectsDelivery(f, d) {
			list = append(list, d)
		}
		return !ordered || f.Limit <= 0 || len(list) < f.Limit
	})
	if !ordered {
		slices.SortFunc(list, orderOf(f))
	}
	if f.Limit > 0 && len(list) > f.Limit {
		list = list[:f.Limit]
	}
	var out []testigo.Delivery
	for _, d := range list {
		out = append(out, copyDelivery(d))
	}
	return out, nil
}

// deliveriesFor walks over the fewest rows that hold all that f selects, and tells whether they come in f's order.
func (v *view) deliveriesFor(f testigo.DeliveryFilter) (rows func(yield func(*testigo.Delivery) bool), ordered bool) {
	t := v.state.deliveries
	switch {
	case f.DuplicateOf != "":
		return func(yield func(*testigo.Delivery) bool) {
			for key, d := range t.repeats.from(repeatKey{of: f.DuplicateOf}) {
				if key.of != f.DuplicateOf || !yield(d) {
					return
				}
			}
		}, false
	case !f.DueBy.IsZero() && liveOnly(f):
		return func(yield func(*testigo.Delivery) bool) {
			for key, d := range t.due.all() {
				if key.at.After(f.DueBy) || !yield(d) {
					return
				}
			}
		}, true
	case f.Recipient != "" && liveOnly(f):
		return func(yield func(*testigo.Delivery) bool) {
			for key, d := range t.queue.from(queueKey{recipient: f.Recipient, first: true}) {
				if key.recipient != f.Recipient || !yield(d) {
					return
				}
			}
		}, f.DueBy.IsZero()
	}
	return func(yield func(*testigo.Delivery) bool) {
		for _, d := range t.byID.all() {
			if !yield(d) {
				return
			}
		}
	}, false
}

func selectsDelivery(f testigo.DeliveryFilter, d *testigo.Delivery) bool {
	unset := func(want, have string) bool { return want == "" || want == have }
	return (len(f.States) == 0 || slices.Contains(f.States, d.State)) &&
		unset(f.Recipient, d.Recipient) && unset(f.Sender, d.Sender) && unset(f.DuplicateOf, d.DuplicateOf) &&
		(f.DueBy.IsZero() || !d.NextCheck.IsZero() && !d.NextCheck.After(f.DueBy)) &&
		(!f.NotFinal || d.State != testigo.Failed || !d.Receipt.Final)
}

func orderOf(f testigo.DeliveryFilter) func(a, b *testigo.Delivery) int {
	if !f.DueBy.IsZero() {
		return func(a, b *testigo.Delivery) int { return dueOf(a).compare(dueOf(b)) }
	}
	return func(a, b *testigo.Delivery) int {
		x, y := queueOf(a), queueOf(b)
		x.recipient, y.recipient = "", "" // one queue after the other would be another order
		return x.compare(y)
	}
}

func (v *view) CountDeliveries(ctx context.Context) (map[testigo.DeliveryState]int, error) {
	if err := v.usable(ctx); err != nil {
		return nil, err
	}
	counts := map[testigo.DeliveryState]int{}
	for _, d := range v.state.deliveries.byID.all() {
		counts[d.State]++
	}
	return counts, nil
}

func (v *view) NextDue(ctx context.Context) (time.Time, error) {
	if err := v.usable(ctx); err != nil {
		return time.Time{}, err
	}
	for key := range v.state.deliveries.due.all() {
		return key.at, nil
	}
	return time.Time{}, nil
}

func (v *view) Unenrolled(ctx context.Context, now time.Time, limit int) ([]testigo.Handoff, error) {
	if err := v.usable(ctx); err != nil {
		return nil, err
	}
	var list []testigo.Handoff
	for _, h := range v.state.deliveries.fresh.all() {
		if len(list) >= limit {
			break
		}
		a, known := v.state.agents.get(h.To)
		if !known || a.Provider == "" || a.Provider == testigo.ProviderInbox || a.AddressedAt.IsZero() ||
			a.AddressedAt.After(h.CreatedAt) {
			continue
		}
		if h.ExpiresAt.IsZero() || h.ExpiresAt.After(stamp(now)) {
			list = append(list, copyHandoff(h))
		}
	}
	return list, nil
}

// noteFresh keeps the handoffs that an engine may still take up.
func (s *state) noteFresh(h *testigo.Handoff) {
	if h.State == testigo.Open && h.ReadAt.IsZero() && h.To != "" && h.Kind != testigo.KindNotification && !s.deliveries.byID.has(h.ID) {
		s.deliveries.fresh.set(h.Seq, h)
	} else {
		s.deliveries.fresh.remove(h.Seq)
	}
}

func (t *tx) PutDelivery(ctx context.Context, d testigo.Delivery) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	if t.state.deliveries.byID.has(d.ID) {
		return testigo.Errorf(testigo.CodeConflict, "handoff %s has a delivery", d.ID)
	}
	t.setDelivery(keepDelivery(d))
	if seq, ok := t.state.ids.get(d.ID); ok {
		t.state.deliveries.fresh.remove(seq)
	}
	return nil
}

func (t *tx) setDelivery(d *testigo.Delivery) {
	s := &t.state.deliveries
	s.byID.set(d.ID, d)
	if d.DuplicateOf != "" {
		s.repeats.set(repeatKey{d.DuplicateOf, d.ID}, d)
	}
	if !live(d) {
		return
	}
	s.queue.set(queueOf(d), d)
	if !d.NextCheck.IsZero() {
		s.due.set(dueOf(d), d)
	}
}

func (t *tx) dropDelivery(d *testigo.Delivery) {
	s := &t.state.deliveries
	s.queue.remove(queueOf(d))
	s.due.remove(dueOf(d))
	s.repeats.remove(repeatKey{d.DuplicateOf, d.ID})
}

func (t *tx) MoveDelivery(ctx context.Context, d testigo.Delivery, from testigo.DeliveryState, newRequestID string) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	if !testigo.CanDeliver(from, d.State) {
		return testigo.Errorf(testigo.CodeInternal, "no delivery goes from %s to %s", from, d.State)
	}
	old, ok := t.state.deliveries.byID.get(d.ID)
	if !ok {
		return testigo.Errorf(testigo.CodeGone, "handoff %s has no delivery to move", d.ID)
	}
	if old.State != from || old.RequestID != d.RequestID || old.Version != d.Version {
		return testigo.Errorf(testigo.CodeGone, "the delivery of %s is %s in version %d under request %s, not %s in version %d under %s",
			d.ID, old.State, old.Version, old.RequestID, from, d.Version, d.RequestID)
	}
	row := *old
	row.State, row.Priority, row.RequestID = d.State, d.Priority, cmp.Or(newRequestID, d.RequestID)
	row.Attempts, row.Version, row.Lease = d.Attempts, old.Version+1, d.Lease
	row.UpdatedAt, row.NextCheck, row.NotBefore = d.UpdatedAt, d.NextCheck, d.NotBefore
	row.Detail, row.Receipt, row.DuplicateOf = d.Detail, d.Receipt, d.DuplicateOf
	t.dropDelivery(old)
	t.setDelivery(keepDelivery(row))
	return nil
}

func (v *view) EngineLease(ctx context.Context) (testigo.Lease, error) {
	if err := v.usable(ctx); err != nil {
		return testigo.Lease{}, err
	}
	if v.state.deliveries.lease.Generation == 0 {
		return testigo.Lease{}, missing("no engine ever ran on this store")
	}
	return v.state.deliveries.lease, nil
}

func (t *tx) PutLease(ctx context.Context, l testigo.Lease) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	have := t.state.deliveries.lease.Generation
	if l.Generation < 1 || l.Generation != have && l.Generation != have+1 {
		return testigo.Errorf(testigo.CodeGone, "the engine lease is in generation %d; generation %d cannot follow", have, l.Generation)
	}
	l.TakenAt, l.RenewedAt, l.Until = stamp(l.TakenAt), stamp(l.RenewedAt), stamp(l.Until)
	t.state.deliveries.lease = l
	return nil
}

func (v *view) Noticed(ctx context.Context, handoff string, kind testigo.NoticeKind) (bool, error) {
	if err := v.usable(ctx); err != nil {
		return false, err
	}
	return v.state.deliveries.notices.has(noticeKey{handoff, kind}), nil
}

func (t *tx) PutNotice(ctx context.Context, handoff string, kind testigo.NoticeKind, at time.Time) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	key := noticeKey{handoff, kind}
	if t.state.deliveries.notices.has(key) {
		return testigo.Errorf(testigo.CodeConflict, "the %s notice for handoff %s was written before", kind, handoff)
	}
	t.state.deliveries.notices.set(key, stamp(at))
	return nil
}

// queueKey orders a recipient's queue: the most urgent first, then by place. The id makes places that are equal two.
type queueKey struct {
	recipient string
	first     bool // before all priorities, to start a walk at
	priority  int
	place     int64
	id        string
}

func queueOf(d *testigo.Delivery) queueKey {
	return queueKey{recipient: d.Recipient, priority: d.Priority, place: d.Place, id: d.ID}
}

func (a queueKey) compare(b queueKey) int {
	if c := strings.Compare(a.recipient, b.recipient); c != 0 || a.first || b.first {
		return cmp.Or(c, compareBools(b.first, a.first))
	}
	return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.place, b.place), strings.Compare(a.id, b.id))
}

func compareBools(a, b bool) int {
	number := map[bool]int{true: 1}
	return cmp.Compare(number[a], number[b])
}

type dueKey struct {
	at    time.Time
	place int64
	id    string
}

func dueOf(d *testigo.Delivery) dueKey { return dueKey{d.NextCheck, d.Place, d.ID} }

func (a dueKey) compare(b dueKey) int {
	return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.place, b.place), strings.Compare(a.id, b.id))
}

type repeatKey struct{ of, id string }

func (a repeatKey) compare(b repeatKey) int {
	return cmp.Or(strings.Compare(a.of, b.of), strings.Compare(a.id, b.id))
}

type noticeKey struct {
	handoff string
	kind    testigo.NoticeKind
}

func (a noticeKey) compare(b noticeKey) int {
	return cmp.Or(strings.Compare(a.handoff, b.handoff), cmp.Compare(a.kind, b.kind))
}

func copyDelivery(d *testigo.Delivery) testigo.Delivery {
	c := *d
	c.Target.Settings = bytes.Clone(d.Target.Settings)
	r := &c.Receipt
	r.Previous, r.Provider = slices.Clone(r.Previous), bytes.Clone(r.Provider)
	for _, at := range []**time.Time{&r.AcceptedAt, &r.FirstAbsentAt, &r.UnobservedSince, &r.ReleasedAt} {
		if *at != nil {
			own := stamp(**at)
			*at = &own
		}
	}
	return c
}

func keepDelivery(d testigo.Delivery) *testigo.Delivery {
	c := copyDelivery(&d)
	c.CreatedAt, c.UpdatedAt = stamp(c.CreatedAt), stamp(c.UpdatedAt)
	c.NextCheck, c.NotBefore = stamp(c.NextCheck), stamp(c.NotBefore)
	return &c
}
