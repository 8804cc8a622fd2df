package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/testigo/testigo"
)

func (v *view) Agent(ctx context.Context, name string) (testigo.Agent, error) {
	if err := v.ask(ctx); err != nil {
		return testigo.Agent{}, err
	}
	defer v.answer()
	list, err := v.agents(ctx, "agent_get", name)
	if err != nil {
		return testigo.Agent{}, err
	}
	if len(list) == 0 {
		return testigo.Agent{}, noAgent(name)
	}
	return list[0], nil
}

func noAgent(name string) error { return missing("no agent %s", name) }

func (v *view) Agents(ctx context.Context) ([]testigo.Agent, error) {
	if err := v.ask(ctx); err != nil {
		return nil, err
	}
	defer v.answer()
	return v.agents(ctx, "agents_list")
}

// agents reads agents. Settings that cannot be read are left out of a list and fail the question for that agent: a list
// of all must not end at one of them.
func (v *view) agents(ctx context.Context, name string, args ...any) ([]testigo.Agent, error) {
	var list []testigo.Agent
	err := v.k.each(ctx, name, args, func(rows *sql.Rows) error {
		var a testigo.Agent
		var settings []byte
		err := scan(rows, &a.Name, &a.Provider, &a.Title, &a.Endpoint, &a.Cwd, &settings, &a.Paused, (*stamp)(&a.AddressedAt),
			(*stamp)(&a.FirstSeen), (*stamp)(&a.LastSeen))
		if err != nil {
			return err
		}
		var bad parts
		a.Settings = bad.raw("settings", settings)
		list = append(list, a)
		if len(bad) > 0 && name == "agent_get" {
			return unreadableRow("agent "+a.Name, bad.String(), nil)
		}
		return nil
	})
	return list, v.fail(err)
}

func (t *tx) PutAgent(ctx context.Context, a testigo.Agent) error {
	if err := t.ask(ctx); err != nil {
		return err
	}
	defer t.answer()
	_, err := t.exec("agent_put", a.Name, a.Provider, a.Title, a.Endpoint, a.Cwd, jsonText(a.Settings), a.Paused,
		millis(a.AddressedAt), millis(a.FirstSeen), millis(a.LastSeen))
	return err
}

func (t *tx) RemoveAgent(ctx context.Context, name string) error {
	if err := t.ask(ctx); err != nil {
		return err
	}
	defer t.answer()
	n, err := t.exec("agent_delete", name)
	if err == nil && n == 0 {
		return noAgent(name)
	}
	return err
}

func (v *view) Connection(ctx context.Context, sender, recipient string) (testigo.Connection, error) {
	if err := v.ask(ctx); err != nil {
		return testigo.Connection{}, err
	}
	defer v.answer()
	list, err := v.connections(ctx, "connection_get", sender, recipient)
	if err != nil {
		return testigo.Connection{}, err
	}
	if len(list) == 0 {
		return testigo.Connection{}, missing("no rule for what %s sends to %s", sender, recipient)
	}
	return list[0], nil
}

func (v *view) Connections(ctx context.Context) ([]testigo.Connection, error) {
	if err := v.ask(ctx); err != nil {
		return nil, err
	}
	defer v.answer()
	return v.connections(ctx, "connections_list")
}

func (v *view) connections(ctx context.Context, name string, args ...any) ([]testigo.Connection, error) {
	var list []testigo.Connection
	err := v.k.each(ctx, name, args, func(rows *sql.Rows) error {
		var c testigo.Connection
		err := scan(rows, &c.Sender, &c.Recipient, &c.Allow, (*stamp)(&c.UpdatedAt))
		list = append(list, c)
		return err
	})
	return list, v.fail(err)
}

func (t *tx) PutConnection(ctx context.Context, c testigo.Connection) error {
	if err := t.ask(ctx); err != nil {
		return err
	}
	defer t.answer()
	_, err := t.exec("connection_put", c.Sender, c.Recipient, c.Allow, millis(c.UpdatedAt))
	return err
}

func (v *view) Setting(ctx context.Context, name string) (json.RawMessage, error) {
	if err := v.ask(ctx); err != nil {
		return nil, err
	}
	defer v.answer()
	var value []byte
	err := v.k.row("setting_get", []any{name}, &value)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, missing("setting %s was never made", name)
	}
	if err == nil {
		err = checkJSON("the store", "setting "+name, value)
	}
	return value, v.fail(err)
}

func (t *tx) PutSetting(ctx context.Context, name string, value json.RawMessage) error {
	if err := t.ask(ctx); err != nil {
		return err
	}
	defer t.answer()
	_, err := t.exec("setting_put", name, string(value))
	return err
}
