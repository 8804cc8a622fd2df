package storetest

import (
	"testing"
	"time"

	"github.com/testigo/testigo"
)

// Options say what store a test wants.
type Options struct {
	// Place is an empty directory that belongs to one store. Opening a place again, whether or not the first handle was
	// closed, gives another handle on the same store. A store without files takes it as a name.
	Place string
	// Clock tells the store's time; it may step backwards.
	Clock func() time.Time
	// Flat asks for a flat store when the store is made; a later opening does not change it.
	Flat bool
}

// Opener opens a handle on the store at o.Place, making the store when it is not there. It ends the test when it cannot. The
// suite closes the handle. It is called from the test's own goroutine.
type Opener func(t *testing.T, o Options) testigo.Store

// Run runs the whole suite.
func Run(t *testing.T, open func(t *testing.T, o Options) testigo.Store) {
	topics := []struct {
		name string
		run  func(suite)
	}{
		{"facts", facts},
		{"names", names},
		{"history", history},
		{"search", search},
		{"counts", counts},
		{"opinions", opinions},
		{"erase", erase},
		{"log", logs},
		{"touched", touched},
		{"handoffs", handoffs},
		{"filters", filters},
		{"inbox", inbox},
		{"work", work},
		{"claims", claims},
		{"deliveries", deliveries},
		{"moves", moves},
		{"queues", queues},
		{"leases", leases},
		{"notices", notices},
		{"unenrolled", unenrolled},
		{"agents", agents},
		{"connections", connections},
		{"settings", settings},
		{"records", records},
		{"stats", stats},
		{"transactions", transactions},
		{"contexts", contexts},
		{"order", order},
		{"concurrency", concurrency},
		{"handles", handles},
		{"upkeep", upkeep},
		{"model", model},
	}
	for _, topic := range topics {
		t.Run(topic.name, func(t *testing.T) {
			t.Parallel()
			topic.run(suite{t: t, open: open})
		})
	}
}

// suite runs the tests of one topic.
type suite struct {
	t    *testing.T
	open Opener
}

// test runs one test on a store of its own.
func (s suite) test(name string, body func(*fixture)) {
	s.t.Run(name, func(t *testing.T) {
		t.Parallel()
		body(newFixture(t, s.open, Options{}))
	})
}
