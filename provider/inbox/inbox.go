package inbox

import (
	"context"

	"github.com/testigo/testigo"
)

// Why is what a sender reads about a handoff that only waits.
const Why = "stored; this agent picks up by itself"

// Provider is ready to use and knows nothing.
type Provider struct{}

var _ testigo.Provider = Provider{}

// Activity is unknown: whoever picks up by itself tells nobody what it does.
func (Provider) Activity(context.Context, testigo.Target) (testigo.Activity, error) {
	return testigo.Activity{State: testigo.TurnUnknown}, nil
}

// Prepare refuses.
func (Provider) Prepare(context.Context, testigo.Target) error { return refusal() }

// Start refuses; it is reached only by an engine that did not ask first.
func (Provider) Start(context.Context, testigo.Target, testigo.Turn) (testigo.Started, error) {
	return testigo.Started{}, refusal()
}

// Observe has searched everything there is: no turn was ever started.
func (Provider) Observe(context.Context, testigo.Target, string, testigo.Receipt) (testigo.Observation, error) {
	return testigo.Observation{Absent: true, Detail: Why}, nil
}

func refusal() error {
	return &testigo.Refusal{Kind: testigo.Refused, Why: "this agent picks up by itself"}
}
