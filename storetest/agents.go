package storetest

import (
	"encoding/json"
	"time"

	"github.com/testigo/testigo"
)

func agents(s suite) {
	s.test("agents are stored, replaced and listed by name", func(f *fixture) {
		put := func(a testigo.Agent) {
			f.write(func(tx testigo.Tx) error { return tx.PutAgent(f.ctx, a) })
		}
		list := func() []testigo.Agent {
			return read(f, func(r testigo.Reader) ([]testigo.Agent, error) { return r.Agents(f.ctx) })
		}
		equal(f, "agents of a new store", list(), nil)
		scout := testigo.Agent{Name: "scout", Provider: testigo.ProviderInbox, FirstSeen: f.clock.Now(), LastSeen: f.clock.Now()}
		ana := testigo.Agent{Name: "person:keeper", Provider: "hook", FirstSeen: f.clock.Now(), LastSeen: f.clock.Now()}
		put(scout)
		put(ana)
		f.clock.Advance(time.Hour)
		scout.LastSeen, scout.Provider = f.clock.Now(), "codex"
		put(scout)
		equal(f, "agents", list(), []testigo.Agent{ana, scout})
		equal(f, "one agent", read(f, func(r testigo.Reader) (testigo.Agent, error) { return r.Agent(f.ctx, "scout") }), scout)
		f.refused(testigo.CodeNotFound, func(r testigo.Reader) error { _, err := r.Agent(f.ctx, "Scout"); return err })
	})

	s.test("an agent's address comes back as it was given, and goes when it is replaced by none", func(f *fixture) {
		far := time.FixedZone("far", 9*3600)
		a := testigo.Agent{Name: "scout", Provider: "codex", Title: "Scout — it 🙂", Endpoint: "thread/1", Cwd: "/w/p",
			Settings: json.RawMessage(`{"model":"x","n":1.50}`), Paused: true,
			AddressedAt: f.clock.Now().Add(time.Minute).In(far), FirstSeen: f.clock.Now(), LastSeen: f.clock.Now()}
		f.putAgent(a)
		equal(f, "the agent", f.agent("scout"), a)
		if got := f.agent("scout").AddressedAt; got.Location() != time.UTC {
			f.Errorf("addressed at %v, want UTC", got)
		}
		a.Settings, a.Paused, a.AddressedAt = nil, false, a.AddressedAt.Add(time.Second+time.Microsecond)
		f.putAgent(a)
		a.AddressedAt = a.AddressedAt.Truncate(time.Millisecond)
		equal(f, "the agent with another address", f.agent("scout"), a)
		bare := testigo.Agent{Name: "scout", Provider: testigo.ProviderInbox}
		f.putAgent(bare)
		equal(f, "the agent without", f.agent("scout"), bare)
		if got := f.agent("scout"); got.Settings != nil || !got.AddressedAt.IsZero() || !got.FirstSeen.IsZero() {
			f.Errorf("%+v, want nothing set", got)
		}
	})

	s.test("a removed agent is unknown, its handoffs and rules stay", func(f *fixture) {
		f.putAgent(testigo.Agent{Name: "executor", Provider: "codex", Endpoint: "thread/1"})
		h := f.sent("h_1")
		rule := testigo.Connection{Sender: "scout", Recipient: "executor", Allow: true, UpdatedAt: f.clock.Now()}
		f.write(func(tx testigo.Tx) error { return tx.PutConnection(f.ctx, rule) })
		f.write(func(tx testigo.Tx) error {
			f.want(testigo.CodeNotFound, tx.RemoveAgent(f.ctx, "Executor"))
			return tx.RemoveAgent(f.ctx, "executor") // after a refusal the transaction goes on
		})
		f.refused(testigo.CodeNotFound, func(r testigo.Reader) error { _, err := r.Agent(f.ctx, "executor"); return err })
		equal(f, "agents", f.stats().Agents, 0)
		equal(f, "the handoff", f.handoff("h_1"), h)
		equal(f, "rules", f.connections(), []testigo.Connection{rule})
		f.want(testigo.CodeNotFound, f.store.Write(f.ctx, func(tx testigo.Tx) error { return tx.RemoveAgent(f.ctx, "executor") }))

		back := testigo.Agent{Name: "executor", Provider: testigo.ProviderInbox, FirstSeen: f.clock.Now(), LastSeen: f.clock.Now()}
		f.putAgent(back)
		equal(f, "the agent seen again", f.agent("executor"), back)
	})
}

func connections(s suite) {
	s.test("rules are stored, replaced and listed by sender, then recipient", func(f *fixture) {
		equal(f, "rules of a new store", f.connections(), nil)
		rule := func(sender, recipient string, allow bool) testigo.Connection {
			c := testigo.Connection{Sender: sender, Recipient: recipient, Allow: allow, UpdatedAt: f.clock.Now()}
			f.write(func(tx testigo.Tx) error { return tx.PutConnection(f.ctx, c) })
			return c
		}
		rule("b", "a", true)
		ab, aB, aa := rule("a", "b", false), rule("a", "B", true), rule("a", "a", false)
		f.clock.Advance(-time.Hour)
		ba := rule("b", "a", false)
		equal(f, "rules", f.connections(), []testigo.Connection{aB, aa, ab, ba})
		get := func(sender, recipient string) testigo.Connection {
			return read(f, func(r testigo.Reader) (testigo.Connection, error) { return r.Connection(f.ctx, sender, recipient) })
		}
		equal(f, "one", get("a", "b"), ab)
		equal(f, "the other way", get("b", "a"), ba)
		for _, pair := range [][2]string{{"A", "b"}, {"b", "b"}, {"a", ""}, {"", ""}} {
			f.refused(testigo.CodeNotFound, func(r testigo.Reader) error { _, err := r.Connection(f.ctx, pair[0], pair[1]); return err })
		}
	})

	s.test("a rule needs no time", func(f *fixture) {
		c := testigo.Connection{Sender: "a", Recipient: "b", Allow: true}
		f.write(func(tx testigo.Tx) error { return tx.PutConnection(f.ctx, c) })
		equal(f, "rules", f.connections(), []testigo.Connection{c})
	})
}

func settings(s suite) {
	s.test("a setting keeps its JSON as it was written", func(f *fixture) {
		get := func(name string) json.RawMessage {
			return read(f, func(r testigo.Reader) (json.RawMessage, error) { return r.Setting(f.ctx, name) })
		}
		put := func(name, value string) {
			f.write(func(tx testigo.Tx) error { return tx.PutSetting(f.ctx, name, json.RawMessage(value)) })
		}
		f.refused(testigo.CodeNotFound, func(r testigo.Reader) error { _, err := r.Setting(f.ctx, "paused"); return err })
		put("paused", `true`)
		put("Paused", ` {"b": 1.0, "a": [null, "it 🙂"]} `)
		equal(f, "one", string(get("paused")), `true`)
		equal(f, "another", string(get("Paused")), ` {"b": 1.0, "a": [null, "it 🙂"]} `)
		put("paused", `null`)
		equal(f, "replaced", string(get("paused")), `null`)
		f.refused(testigo.CodeNotFound, func(r testigo.Reader) error { _, err := r.Setting(f.ctx, "pause"); return err })
	})

	s.test("what was given and what came back is the caller's own", func(f *fixture) {
		value := json.RawMessage(`[1]`)
		a := testigo.Agent{Name: "scout", Provider: "codex", Settings: json.RawMessage(`{"a":1}`)}
		f.write(func(tx testigo.Tx) error {
			if err := tx.PutAgent(f.ctx, a); err != nil {
				return err
			}
			return tx.PutSetting(f.ctx, "list", value)
		})
		value[1], a.Settings[2] = '2', 'b'
		for range 2 {
			got := read(f, func(r testigo.Reader) (json.RawMessage, error) { return r.Setting(f.ctx, "list") })
			equal(f, "the setting", string(got), `[1]`)
			address := f.agent("scout").Settings
			equal(f, "the agent's", string(address), `{"a":1}`)
			got[1], address[2] = '3', 'c'
		}
	})
}

func (f *fixture) putAgent(a testigo.Agent) {
	f.Helper()
	f.write(func(tx testigo.Tx) error { return tx.PutAgent(f.ctx, a) })
}

func (f *fixture) agent(name string) testigo.Agent {
	f.Helper()
	return read(f, func(r testigo.Reader) (testigo.Agent, error) { return r.Agent(f.ctx, name) })
}

func (f *fixture) connections() []testigo.Connection {
	f.Helper()
	return read(f, func(r testigo.Reader) ([]testigo.Connection, error) { return r.Connections(f.ctx) })
}
