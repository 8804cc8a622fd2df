package testigo_test

import (
	"slices"
	"testing"

	"github.com/testigo/testigo"
)

// E-rules of the reference that are the table's: over states go nowhere, but for a failure that is not final and a
// duplicate whose original ended; nothing active goes back to waiting unless it was proven that nothing was written.
func TestDeliveryTransitions(t *testing.T) {
	t.Parallel()
	over := []testigo.DeliveryState{testigo.TurnEnded, testigo.Acknowledged, testigo.Cancelled}
	back := map[testigo.DeliveryState]bool{testigo.Sending: true, testigo.Uncertain: true, testigo.Failed: true, testigo.Duplicate: true}
	for _, from := range testigo.DeliveryStates() {
		for _, to := range testigo.DeliveryStates() {
			ok := testigo.CanDeliver(from, to)
			switch {
			case from == to:
				if !ok {
					t.Errorf("%s cannot stay", from)
				}
			case slices.Contains(over, from) && ok:
				t.Errorf("%s → %s: it was over", from, to)
			case to == testigo.Waiting && from.Active() && ok && !back[from]:
				t.Errorf("%s → %s: a turn may be alive", from, to)
			case to == testigo.Duplicate && ok:
				t.Errorf("%s → %s: a duplicate is one from its enrolment", from, to)
			case to == testigo.Accepted && from.Pending() && ok, to == testigo.Running && from.Pending() && ok:
				t.Errorf("%s → %s: nothing was reserved", from, to)
			}
		}
	}
	if n := len(testigo.DeliveryStates()); n != 14 {
		t.Errorf("%d states", n)
	}
}

// "Offered" is never shown as seen: only what an end of the line said raises a receipt beyond it.
func TestReceiptStages(t *testing.T) {
	t.Parallel()
	for state, want := range map[testigo.DeliveryState]testigo.ReceiptStage{
		testigo.Waiting: testigo.StageStored, testigo.Busy: testigo.StageStored, testigo.Held: testigo.StageStored,
		testigo.Unavailable: testigo.StageStored, testigo.OwnerRejected: testigo.StageStored, testigo.Duplicate: testigo.StageStored,
		testigo.Sending: testigo.StageOffered, testigo.Uncertain: testigo.StageOffered, testigo.Accepted: testigo.StageAccepted,
		testigo.Acknowledged: testigo.StageAccepted, testigo.Running: testigo.StageRunning, testigo.TurnEnded: testigo.StageTurnEnded,
		testigo.Failed: testigo.StageBounced, testigo.Cancelled: testigo.StageBounced,
	} {
		if got := state.Stage(); got != want {
			t.Errorf("%s is %q, want %q", state, got, want)
		}
	}
}
