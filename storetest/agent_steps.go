package storetest

import (
	"encoding/json"

	"github.com/testigo/testigo"
)

func (m *machine) agent() {
	a := testigo.Agent{Name: pick(m, m.agents, "agent"), Provider: pick(m, []string{"inbox", "codex"}, "provider"),
		FirstSeen: m.tx.Now(), LastSeen: m.tx.Now()}
	if m.chance("has an address") {
		a.Title, a.Endpoint, a.Cwd = pick(m, []string{"", "title"}, "title"), pick(m, []string{"", "t1", "t2"}, "endpoint"), "/w"
		a.Settings = json.RawMessage(pick(m, []string{`{}`, `{"a":1}`}, "settings"))
		a.Paused, a.AddressedAt = m.chance("paused"), m.perhaps("addressed")
	}
	m.both("PutAgent", func(tx testigo.Tx) error { return tx.PutAgent(m.ctx, a) })
}

func (m *machine) removeAgent() {
	name := pick(m, append([]string{"never seen"}, m.agents...), "agent")
	m.both("RemoveAgent", func(tx testigo.Tx) error { return tx.RemoveAgent(m.ctx, name) })
}

func (m *machine) connection() {
	c := testigo.Connection{Sender: pick(m, m.agents, "sender"), Recipient: pick(m, m.agents, "recipient"), Allow: m.chance("allow"), UpdatedAt: m.tx.Now()}
	m.both("PutConnection", func(tx testigo.Tx) error { return tx.PutConnection(m.ctx, c) })
}

func (m *machine) setting() {
	name, value := pick(m, m.settings, "setting"), json.RawMessage(pick(m, []string{`true`, `{"n": 1.0}`, `null`}, "value"))
	m.both("PutSetting", func(tx testigo.Tx) error { return tx.PutSetting(m.ctx, name, value) })
}
