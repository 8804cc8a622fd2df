package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
	"github.com/testigo/testigo/sqlite"
)

// What a shell offers is read from the store, which is opened for reading only and never made. Whatever goes wrong ends
// in an offer of nothing: a shell in the middle of a line is no place for an error.

// offered bounds how much is offered.
const offered = 50

// completer offers words that begin like the one being typed.
type completer = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective)

// offer makes a completer of a function that reads the store.
func (a *app) offer(fn func(ctx context.Context, d *desk, begun string) ([]string, error)) completer {
	return func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		ctx := cmd.Context()
		if ctx == nil {
			ctx = context.Background()
		}
		list, err := a.readOnly(ctx, begun, fn)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return list[:min(offered, len(list))], cobra.ShellCompDirectiveNoFileComp
	}
}

func (a *app) readOnly(ctx context.Context, begun string, fn func(context.Context, *desk, string) ([]string, error)) ([]string, error) {
	agent, err := a.agent()
	if err != nil {
		return nil, err
	}
	p, err := a.store()
	if err != nil {
		return nil, err
	}
	s, err := sqlite.Open(ctx, p.Value, sqlite.Options{ReadOnly: true, Flat: p.Flat, Role: sqlite.OneShot})
	if err != nil {
		return nil, err
	}
	var store testigo.Store = s
	if p.Flat {
		store = flatStore{s}
	}
	defer store.Close() //nolint:errcheck // nothing was written
	mem := memory.New(store)
	return fn(ctx, &desk{store: store, mem: mem, place: p, agent: agent, caller: memory.Caller{Agent: agent.Value, Dir: a.env.workDir, Where: a.where()}}, begun)
}

// first makes a completer offer for the first argument only.
func first(c completer) completer { return nth(0, c) }

// nth makes a completer offer for one argument only.
func nth(place int, c completer) completer {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) != place {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return c(cmd, args, begun)
	}
}

// behind makes a completer offer from one argument on.
func behind(place int, c completer) completer {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) < place {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return c(cmd, args, begun)
	}
}

// factNames offers the names of facts, in the project and in what all share.
func (a *app) factNames() completer {
	return a.offer(func(ctx context.Context, d *desk, begun string) ([]string, error) {
		project, err := d.mem.Project(ctx, d.caller, a.global.Project)
		if err != nil {
			return nil, err
		}
		projects := []string{project.ID}
		if project.ID != testigo.NoProject {
			projects = append(projects, testigo.NoProject)
		}
		var out []string
		err = d.store.Read(ctx, func(r testigo.Reader) error {
			for _, p := range projects {
				for _, start := range startsOf(p, begun) {
					if out, err = namesFrom(ctx, r, start, begun, out); err != nil {
						return err
					}
				}
			}
			return nil
		})
		slices.Sort(out)
		return slices.Compact(out), err
	})
}

// startsOf says where names that begin with a text can stand in the order of names: behind each scope that the text
// spells out whole, and where scopes begin like it.
func startsOf(project, begun string) []testigo.Name {
	starts := []testigo.Name{{Project: project, Scope: begun}}
	for i := range len(begun) {
		if begun[i] == '/' && i > 0 {
			starts = append(starts, testigo.Name{Project: project, Scope: begun[:i], Key: begun[i+1:]})
		}
	}
	return starts
}

// namesFrom adds the names that follow a place in the order of names, as long as they begin as they should.
func namesFrom(ctx context.Context, r testigo.FactReader, start testigo.Name, begun string, out []string) ([]string, error) {
	heads, err := r.Heads(ctx, start, offered)
	for _, h := range heads {
		if h.Name.Project != start.Project || !strings.HasPrefix(h.Name.String(), begun) {
			break
		}
		out = append(out, h.Name.String())
	}
	return out, err
}

// agentNames offers the agents that are known.
func (a *app) agentNames() completer {
	return a.offer(func(ctx context.Context, d *desk, begun string) ([]string, error) {
		var out []string
		err := d.store.Read(ctx, func(r testigo.Reader) error {
			agents, err := r.Agents(ctx)
			for _, g := range agents {
				if strings.HasPrefix(g.Name, begun) {
					out = append(out, g.Name)
				}
			}
			return err
		})
		return out, err
	})
}

// tagNames offers the tags of the newest facts here.
func (a *app) tagNames() completer {
	return a.offer(func(ctx context.Context, d *desk, begun string) ([]string, error) {
		const looked = 100
		res, err := d.mem.Recall(ctx, d.caller, memory.RecallParams{Project: a.global.Project, Limit: looked})
		var out []string
		for _, f := range res.Facts {
			for _, t := range f.Tags {
				if strings.HasPrefix(t, begun) {
					out = append(out, t)
				}
			}
		}
		slices.Sort(out)
		return slices.Compact(out), err
	})
}

// handoffIDs offers the ids of handoffs that a filter selects for the agent, each with its title, the newest first.
func (a *app) handoffIDs(filters ...func(agent string) testigo.HandoffFilter) completer {
	return a.offer(func(ctx context.Context, d *desk, begun string) ([]string, error) {
		var out []string
		err := d.store.Read(ctx, func(r testigo.Reader) error {
			for _, filter := range filters {
				f := filter(d.caller.Agent)
				f.Newest, f.Limit = true, 4*offered
				list, err := r.Handoffs(ctx, f)
				if err != nil {
					return err
				}
				for _, h := range list {
					offer := h.ID + "\t" + visibleLine(h.From+": "+titleOf(h.Title+"\n"+h.Summary))
					if strings.HasPrefix(h.ID, begun) && !slices.Contains(out, offer) {
						out = append(out, offer)
					}
				}
			}
			return nil
		})
		return out, err
	})
}
