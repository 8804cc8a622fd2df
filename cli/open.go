package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
	"github.com/testigo/testigo/sqlite"
	"github.com/testigo/testigo/workspace"
)

// desk is what a command works at: an open store, the use cases on it, and who is asking.
type desk struct {
	store  testigo.Store
	mem    *memory.Service
	hand   *handoff.Service
	caller memory.Caller
	place  place
	agent  decided
}

// at opens the store, runs fn and closes the store again. A new store is made where neither a store nor one of its side
// files is.
func (a *app) at(ctx context.Context, fn func(*desk) error) (err error) {
	d, err := a.desk(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.store.Close()) }()
	if err := fn(d); err != nil {
		return err
	}
	a.checkIn(ctx, d)
	return nil
}

func (a *app) desk(ctx context.Context) (*desk, error) {
	agent, err := a.agent()
	if err != nil {
		return nil, err
	}
	p, err := a.store()
	if err != nil {
		return nil, err
	}
	_, statErr := os.Lstat(p.Value)
	store, err := a.openStore(ctx, p, sqlite.OneShot)
	if err != nil {
		return nil, err
	}
	if errors.Is(statErr, fs.ErrNotExist) {
		a.say("made a new store: %s", p.Value)
	}
	mem := memory.New(store)
	return &desk{store: store, mem: mem, hand: handoff.New(mem), place: p, agent: agent, caller: memory.Caller{
		Agent: agent.Value, Session: a.session().Value, Dir: a.env.workDir, Where: a.where(), Seen: &memory.Seen{},
	}}, nil
}

// openStore opens the store at a place for a command or a server.
func (a *app) openStore(ctx context.Context, p place, role sqlite.Role) (testigo.Store, error) {
	s, err := sqlite.Open(ctx, p.Value, sqlite.Options{Create: !a.global.ReadOnly, ReadOnly: a.global.ReadOnly, Flat: p.Flat, Role: role})
	if err != nil {
		return nil, err
	}
	if p.Flat {
		return flatStore{s}, nil
	}
	return s, nil
}

// flatStore is a store that was named by MEMORY_DB: whatever it was made as, it is used without projects.
type flatStore struct{ testigo.Store }

func (s flatStore) Info(ctx context.Context) (testigo.StoreInfo, error) {
	info, err := s.Store.Info(ctx)
	info.Flat = true
	return info, err
}

// where is what finding a project needs beside the directory. A project given to the command stands in the place of the
// variable, for the use cases and servers that take none with each call.
func (a *app) where() workspace.Options {
	if p := a.global.Project; p != "" && p != everyProject {
		return workspace.Options{EnvProject: p}
	}
	return workspace.Options{EnvProject: a.env.Getenv("TESTIGO_PROJECT")}
}

// everyProject is how a search says that it means all of them.
const everyProject = "*"

// lookAs makes a command show what an agent named by an argument would see, without making that agent known.
func (a *app) lookAs(agent string) {
	if agent != "" {
		a.acting, a.looking = decided{Value: agent, From: "AGENT"}, true
	}
}

// seen refuses to look for an agent that nobody has seen: an empty list would hide a mistyped name.
func (a *app) seen(ctx context.Context, d *desk) error {
	if !a.looking {
		return nil
	}
	return d.store.Read(ctx, func(r testigo.Reader) error {
		_, err := r.Agent(ctx, d.caller.Agent)
		if testigo.CodeOf(err) != testigo.CodeNotFound {
			return err
		}
		e := testigo.Errorf(testigo.CodeNotFound, "no agent named %q has been seen", d.caller.Agent).WithNext("testigo agent list")
		e.Field = d.agent.From
		return e
	})
}

// checkIn makes an agent known that was named explicitly, and keeps what its session has read. A person who only looks
// leaves no trace. Reading succeeded before, so a failure here is told and no more.
func (a *app) checkIn(ctx context.Context, d *desk) {
	if a.looking {
		return
	}
	if d.agent.From == byLogin && d.caller.Session == "" {
		return
	}
	info, err := d.store.Info(ctx)
	switch {
	case err == nil && info.ReadOnly:
		a.say("the store is open read-only: that %s has seen this is not kept", d.caller.Agent)
		return
	case err == nil:
		err = d.mem.Register(ctx, d.caller)
	}
	if err != nil {
		a.say("that %s has seen this could not be kept: %s", d.caller.Agent, testigo.AsError(err).Msg)
	}
}
