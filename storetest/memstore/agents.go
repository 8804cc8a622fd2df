package memstore

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/testigo/testigo"
)

func (v *view) Agent(ctx context.Context, name string) (testigo.Agent, error) {
	if err := v.usable(ctx); err != nil {
		return testigo.Agent{}, err
	}
	a, ok := v.state.agents.get(name)
	if !ok {
		return testigo.Agent{}, noAgent(name)
	}
	return copyAgent(a), nil
}

func noAgent(name string) error { return missing("no agent %s", name) }

func (v *view) Agents(ctx context.Context) ([]testigo.Agent, error) {
	if err := v.usable(ctx); err != nil {
		return nil, err
	}
	list := make([]testigo.Agent, 0, v.state.agents.len())
	for _, a := range v.state.agents.all() {
		list = append(list, copyAgent(a))
	}
	return list, nil
}

func (t *tx) PutAgent(ctx context.Context, a testigo.Agent) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	a = copyAgent(a)
	a.AddressedAt, a.FirstSeen, a.LastSeen = stamp(a.AddressedAt), stamp(a.FirstSeen), stamp(a.LastSeen)
	t.state.agents.set(a.Name, a)
	return nil
}

func (t *tx) RemoveAgent(ctx context.Context, name string) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	if !t.state.agents.has(name) {
		return noAgent(name)
	}
	t.state.agents.remove(name)
	return nil
}

func (v *view) Connection(ctx context.Context, sender, recipient string) (testigo.Connection, error) {
	if err := v.usable(ctx); err != nil {
		return testigo.Connection{}, err
	}
	c, ok := v.state.connections.get(connectionKey{sender, recipient})
	if !ok {
		return testigo.Connection{}, missing("no rule for what %s sends to %s", sender, recipient)
	}
	return c, nil
}

func (v *view) Connections(ctx context.Context) ([]testigo.Connection, error) {
	if err := v.usable(ctx); err != nil {
		return nil, err
	}
	list := make([]testigo.Connection, 0, v.state.connections.len())
	for _, c := range v.state.connections.all() {
		list = append(list, c)
	}
	return list, nil
}

func (t *tx) PutConnection(ctx context.Context, c testigo.Connection) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	c.UpdatedAt = stamp(c.UpdatedAt)
	t.state.connections.set(connectionKey{c.Sender, c.Recipient}, c)
	return nil
}

func (v *view) Setting(ctx context.Context, name string) (json.RawMessage, error) {
	if err := v.usable(ctx); err != nil {
		return nil, err
	}
	value, ok := v.state.settings.get(name)
	if !ok {
		return nil, missing("setting %s was never made", name)
	}
	return bytes.Clone(value), nil
}

func (t *tx) PutSetting(ctx context.Context, name string, value json.RawMessage) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	t.state.settings.set(name, bytes.Clone(value))
	return nil
}
