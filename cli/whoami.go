package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

type whoamiOptions struct{}

// identity is who a command acts as and where, with what decided it.
type identity struct {
	Agent   decided         `json:"agent"`
	Session decided         `json:"session"`
	Project testigo.Project `json:"project"`
	Dir     string          `json:"dir"`
	Store   place           `json:"store"`
	StoreID string          `json:"store_id"`
	Flat    bool            `json:"flat"`
	// Warning says what cannot be seen from here.
	Warning string `json:"warning,omitempty"`
}

func newWhoamiCmd(a *app, run func(context.Context, whoamiOptions) error) *cobra.Command {
	run = orRun(a, run, runWhoami)
	cmd := &cobra.Command{
		Use:     "whoami",
		GroupID: groupStore,
		Short:   "Who you act as, in which project and store, and why",
		Long:    `Print the agent, the session, the project and the store that commands use from here, and what decided each of them.`,
		Example: `  testigo whoami
  testigo whoami --as executor --json`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), whoamiOptions{}) },
	}
	a.projectFlag(cmd)
	return cmd
}

func runWhoami(ctx context.Context, a *app, _ whoamiOptions) error {
	return a.at(ctx, func(d *desk) error {
		info, err := d.store.Info(ctx)
		if err != nil {
			return err
		}
		project, err := d.mem.Project(ctx, d.caller, a.global.Project)
		if err != nil {
			return err
		}
		id := identity{Agent: d.agent, Session: a.session(), Project: project, Dir: d.caller.WorkDir(), Store: d.place, StoreID: info.ID, Flat: info.Flat}
		if id.Warning, err = hiddenProjects(ctx, d); err != nil {
			return err
		}
		if err := a.print(id, func(p *page) { p.identity(id) }); err != nil {
			return err
		}
		if id.Warning != "" {
			a.say("warning: %s", id.Warning)
		}
		return nil
	})
}

// hiddenProjects warns when a store that has projects is used as one that has none, which is what MEMORY_DB means: their
// facts are then nowhere to be found.
func hiddenProjects(ctx context.Context, d *desk) (string, error) {
	if !d.place.Flat {
		return "", nil
	}
	n := 0
	err := d.store.Read(ctx, func(r testigo.Reader) error {
		projects, err := r.Projects(ctx)
		for _, p := range projects {
			if p != testigo.NoProject {
				n++
			}
		}
		return err
	})
	if err != nil || n == 0 {
		return "", err
	}
	return fmt.Sprintf("%s opens this store as one without projects, and it holds facts of %s that are not seen so; name it with TESTIGO_DB instead",
		flatVar, memory.Count(n, "project", "projects")), nil
}

func (p *page) identity(id identity) {
	project := id.Project.ID
	if project == testigo.NoProject {
		project = "none"
	}
	session := id.Session.Value
	if session == "" {
		session = "none"
	}
	store := id.Store.Value
	if id.Flat {
		store += " (flat: it knows no projects)"
	}
	p.rows("", [][]string{
		{p.bold("agent"), visibleLine(id.Agent.Value), p.dim(from(id.Agent))},
		{p.bold("session"), visibleLine(session), p.dim(from(id.Session))},
		{p.bold("project"), visibleLine(project), p.dim(visibleLine(id.Project.Why))},
		{p.bold("store"), visibleLine(store), p.dim(from(id.Store.decided))},
	})
}

// from says what decided a setting and what else was set and lost.
func from(d decided) string {
	text := "from " + d.From
	if d.Value == "" {
		text = strings.TrimPrefix(d.From, "none: ")
	}
	for _, i := range d.Ignored {
		text += "; " + i + " is set too and was not used"
	}
	return text
}
