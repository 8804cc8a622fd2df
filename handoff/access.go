package handoff

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/search"
)

// SettingConnections is the store-wide setting that decides who may write to whom when no rule says so: "open" (anybody)
// or "explicit" (nobody).
const SettingConnections = "connections"

// Allowed reports whether one agent may send to another: never to itself; else as the rule between them says; else
// parts of Testigo may, and everybody in an open store.
func Allowed(ctx context.Context, r testigo.Reader, sender, recipient string) (bool, error) {
	if sender == recipient {
		return false, nil
	}
	rule, err := r.Connection(ctx, sender, recipient)
	switch {
	case err == nil:
		return rule.Allow, nil
	case testigo.CodeOf(err) != testigo.CodeNotFound:
		return false, err
	case testigo.IsService(sender):
		return true, nil
	}
	mode, err := connections(ctx, r)
	return mode == "open", err
}

func connections(ctx context.Context, r testigo.Reader) (string, error) {
	raw, err := r.Setting(ctx, SettingConnections)
	if testigo.CodeOf(err) == testigo.CodeNotFound {
		return "open", nil
	}
	if err != nil {
		return "", err
	}
	var mode string
	if json.Unmarshal(raw, &mode) != nil {
		mode = "explicit" // a damaged setting opens nothing
	}
	return mode, nil
}

// Allow stores the rule that one agent may, or may not, send to another. Both must be known, or parts of Testigo.
func (s *Service) Allow(ctx context.Context, c Caller, sender, recipient string, allow bool) (testigo.Connection, error) {
	if err := personOnly(c); err != nil {
		return testigo.Connection{}, err
	}
	if sender == recipient {
		return testigo.Connection{}, testigo.Invalid("recipient", "is the sender; nobody sends to itself")
	}
	rule := testigo.Connection{Sender: sender, Recipient: recipient, Allow: allow}
	err := s.store.Write(ctx, func(tx testigo.Tx) error {
		if err := known(ctx, tx, "sender", sender); err != nil {
			return err
		}
		if err := known(ctx, tx, "recipient", recipient); err != nil {
			return err
		}
		rule.UpdatedAt = tx.Now()
		if err := tx.PutConnection(ctx, rule); err != nil {
			return err
		}
		kind := "blocked"
		if allow {
			kind = "allowed"
		}
		return event(ctx, tx, c, "connection:"+sender+">"+recipient, kind, nil)
	})
	return rule, err
}

// personOnly refuses an agent that would change who may write to whom.
func personOnly(c Caller) error {
	if testigo.IsPerson(c.Agent) {
		return nil
	}
	return testigo.Errorf(testigo.CodeForbidden, "who may write to whom is for a person to decide, not for %s", c.Agent).
		WithNext("ask the person at the terminal")
}

// mayReach refuses a handoff that a rule between two agents forbids.
func mayReach(ctx context.Context, r testigo.Reader, sender, recipient string) error {
	ok, err := Allowed(ctx, r, sender, recipient)
	if err != nil || ok {
		return err
	}
	return testigo.Errorf(testigo.CodeForbidden, "%s may not send to %s; nothing was written", sender, recipient).
		WithNext("a person decides with `testigo allow %s %s`", sender, recipient)
}

// known checks that a name is an agent somebody has seen, or a part of Testigo.
func known(ctx context.Context, r testigo.Reader, field, name string) error {
	if err := testigo.CheckAgentName(field, name); err != nil {
		return err
	}
	if testigo.IsService(name) || testigo.IsPerson(name) {
		return nil
	}
	_, err := r.Agent(ctx, name)
	if testigo.CodeOf(err) == testigo.CodeNotFound {
		return unknownAgent(ctx, r, field, name)
	}
	return err
}

// unknownAgent makes the error for a name nobody has seen, with the nearest that somebody has.
func unknownAgent(ctx context.Context, r testigo.Reader, field, name string) error {
	agents, err := r.Agents(ctx)
	if err != nil {
		return err
	}
	names := make([]string, len(agents))
	for i, a := range agents {
		names[i] = a.Name
	}
	e := testigo.Errorf(testigo.CodeNotFound, "no agent named %q has been seen; nothing was written", name)
	e.Field = field
	near := search.NearestNames(name, names, 3)
	if len(near) == 0 {
		return e.WithNext("list_agents shows who is known")
	}
	return e.WithData(map[string]any{"nearest": near}).WithNext("did you mean %s?", strings.Join(near, ", "))
}

// SetConnections stores who may write to whom when no rule says so.
func (s *Service) SetConnections(ctx context.Context, c Caller, mode string) error {
	if err := personOnly(c); err != nil {
		return err
	}
	if mode != "open" && mode != "explicit" {
		return testigo.Invalid(SettingConnections, "must be open or explicit")
	}
	raw, err := json.Marshal(mode)
	if err != nil {
		return err
	}
	return s.store.Write(ctx, func(tx testigo.Tx) error {
		if err := tx.PutSetting(ctx, SettingConnections, raw); err != nil {
			return err
		}
		return event(ctx, tx, c, "setting:"+SettingConnections, "set", map[string]any{"to": mode})
	})
}

// Connections returns who may write to whom when no rule says so, and all rules.
func (s *Service) Connections(ctx context.Context) (mode string, rules []testigo.Connection, err error) {
	err = s.store.Read(ctx, func(r testigo.Reader) (err error) {
		if mode, err = connections(ctx, r); err != nil {
			return err
		}
		rules, err = r.Connections(ctx)
		return err
	})
	return mode, rules, err
}
