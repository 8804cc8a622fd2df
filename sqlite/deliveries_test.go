package sqlite

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/testigo/testigo"
)

// deliveryPlans says how the plan of each question of an engine has to begin. Those that it asks all the time are in order,
// and in indexes that hold no finished rows: they cost what they find, however many deliveries are over.
var deliveryPlans = map[string]struct {
	begin string
	sorts bool
}{
	"delivery_get":        {"SEARCH d USING INDEX sqlite_autoindex_deliveries_1 (id=?)", false},
	"delivery_next":       {"SEARCH deliveries USING COVERING INDEX deliveries_due (live=?", false},
	"deliveries_due":      {"SEARCH d USING INDEX deliveries_due (live=? AND next_check>? AND next_check<?)", false},
	"deliveries_late":     {"SEARCH d USING INDEX deliveries_due (live=? AND next_check>? AND next_check<?)", true},
	"deliveries_queue":    {"SEARCH d USING INDEX deliveries_queue (recipient=?)", false},
	"deliveries_repeats":  {"SEARCH d USING INDEX deliveries_repeats (duplicate_of=?)", true},
	"deliveries_waiting":  {"SEARCH d USING INDEX deliveries_recipient (recipient=? AND state=?)", true},
	"deliveries_to":       {"SEARCH d USING INDEX deliveries_recipient (recipient=?)", true},
	"deliveries_sent":     {"SEARCH d USING INDEX deliveries_sender (sender=?)", true},
	"deliveries_in":       {"SEARCH d USING INDEX deliveries_state (state=?)", true},
	"handoffs_unenrolled": {"SEARCH a USING PRIMARY KEY (name>?)", true},
}

func TestDeliveryListsUseTheirIndex(t *testing.T) {
	t.Parallel()
	s := newStore(t, Options{})
	for name, want := range deliveryPlans {
		rows, err := s.db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+queries()[name], make([]any, 32)...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var plan []string
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			plan = append(plan, detail)
		}
		rows.Close()
		if len(plan) == 0 || !strings.HasPrefix(plan[0], want.begin) {
			t.Errorf("%s begins with %q, want %s", name, plan, want.begin)
		}
		if sorts := strings.Contains(strings.Join(plan, "\n"), "TEMP B-TREE"); sorts != want.sorts {
			t.Errorf("%s sorts: %v, want %v", name, sorts, want.sorts)
		}
		if inner := "SEARCH h USING INDEX handoffs_unenrolled (recipient=? AND created_at>?)"; name == "handoffs_unenrolled" && !slices.Contains(plan, inner) {
			t.Errorf("%s: %q does not search %s", name, plan, inner)
		}
	}
}

// A filter comes in by the index of live rows only when all that it selects is live.
func TestDeliveryWays(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1)
	live := slices.Concat(testigo.PendingStates(), testigo.ActiveStates(), []testigo.DeliveryState{testigo.Failed})
	over := []testigo.DeliveryState{testigo.Waiting, testigo.Duplicate}
	for _, c := range []struct {
		filter testigo.DeliveryFilter
		want   string
	}{
		{testigo.DeliveryFilter{DueBy: now, States: live, NotFinal: true}, "deliveries_due"},
		{testigo.DeliveryFilter{DueBy: now, States: live}, "deliveries_late"},
		{testigo.DeliveryFilter{DueBy: now, States: over, NotFinal: true, Recipient: "x"}, "deliveries_late"},
		{testigo.DeliveryFilter{DueBy: now, NotFinal: true}, "deliveries_late"},
		{testigo.DeliveryFilter{Recipient: "x", States: testigo.PendingStates()}, "deliveries_queue"},
		{testigo.DeliveryFilter{Recipient: "x", States: live, NotFinal: true}, "deliveries_queue"},
		{testigo.DeliveryFilter{Recipient: "x", States: live}, "deliveries_waiting"},
		{testigo.DeliveryFilter{Recipient: "x", NotFinal: true}, "deliveries_to"},
		{testigo.DeliveryFilter{Recipient: "x", DuplicateOf: "y", DueBy: now}, "deliveries_repeats"},
		{testigo.DeliveryFilter{Sender: "x", States: live}, "deliveries_sent"},
		{testigo.DeliveryFilter{States: live}, "deliveries_in"},
		{testigo.DeliveryFilter{NotFinal: true}, "deliveries_any"},
	} {
		if got := deliveryWay(c.filter); got != c.want {
			t.Errorf("%+v comes in by %s, want %s", c.filter, got, c.want)
		}
	}
}

// What cannot be read of a delivery is told and not left out: an engine that knows nothing of an attempt would write again.
func TestDamagedDelivery(t *testing.T) {
	t.Parallel()
	for part, harm := range map[string]string{
		"receipt":  `UPDATE deliveries SET receipt = '{"turnId":'`,
		"settings": "UPDATE deliveries SET settings = '{'",
		"time":     "UPDATE deliveries SET next_check = 999999999999999",
	} {
		s := newStore(t, Options{})
		enrolNow(t, s, "h_1")
		if _, err := s.db.ExecContext(t.Context(), harm); err != nil {
			t.Fatal(err)
		}
		err := s.Read(t.Context(), func(r testigo.Reader) error {
			_, err := r.Delivery(t.Context(), "h_1")
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v", part, err)
			}
			want(t, testigo.CodeDamaged, err)
			_, err = r.Deliveries(t.Context(), testigo.DeliveryFilter{})
			return err
		})
		want(t, testigo.CodeDamaged, err)
	}
}
