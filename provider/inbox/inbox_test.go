package inbox_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/provider/inbox"
)

// Nothing is ever written to an agent without an address, and everybody is told so.
func TestInbox(t *testing.T) {
	t.Parallel()
	var p inbox.Provider
	var target testigo.Target
	if a, err := p.Activity(t.Context(), target); err != nil || a.State != testigo.TurnUnknown || a.State.Idle() {
		t.Error(a, err)
	}
	_, started := p.Start(t.Context(), target, testigo.Turn{RequestID: "r"})
	for _, err := range []error{p.Prepare(t.Context(), target), started} {
		var r *testigo.Refusal
		if !errors.As(err, &r) || r.Kind != testigo.Refused || !strings.Contains(r.Why, "picks up by itself") {
			t.Error(err)
		}
	}
	if o, err := p.Observe(t.Context(), target, "r", testigo.Receipt{}); err != nil || o.State != "" || !o.Absent {
		t.Error(o, err)
	}
}
