package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo/handoff"
)

type agentListOptions struct{}

func newAgentCmd(a *app, run func(context.Context, agentListOptions) error) *cobra.Command {
	run = orRun(a, run, runAgentList)
	cmd := &cobra.Command{
		Use:     "agent",
		GroupID: groupMessages,
		Short:   "The agents that are known",
		Long:    `Show the agents that are known. An agent becomes known by its first call.`,
		Example: `  testigo agent list`,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(cmd.CommandPath(), "say what to do: testigo agent list")
			}
			return usage(cmd.CommandPath(), "there is no command %q below agent", visibleLine(args[0]))
		},
	}
	cmd.AddCommand(&cobra.Command{
		Use:     "list",
		Short:   "List the known agents",
		Long:    `List the known agents: who wakes them, when they were last seen, and whether you may send to them.`,
		Example: "  testigo agent list\n  testigo agent list --as scout --json",
		Args:    arguments(0, 0, ""),
		RunE:    func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), agentListOptions{}) },
	})
	return cmd
}

func runAgentList(ctx context.Context, a *app, _ agentListOptions) error {
	return a.at(ctx, func(d *desk) error {
		res, err := d.hand.Peers(ctx, d.caller)
		if err != nil {
			return err
		}
		if err := a.print(res, func(p *page) { p.peers(res) }); err != nil {
			return err
		}
		if len(res.Agents) == 0 {
			a.say("no agent has been seen yet: an agent becomes known by its first call")
		}
		a.notes(res.Notes)
		return nil
	})
}

func (p *page) peers(res handoff.PeersResult) {
	rows := make([][]string, len(res.Agents))
	for i, g := range res.Agents {
		state := ""
		switch {
		case g.You:
			state = "you"
		case g.Paused:
			state = p.warn("paused")
		case !g.CanSend:
			state = p.warn("you may not send to it")
		}
		name := ""
		if g.Name != g.ID {
			name = g.Name
		}
		rows[i] = []string{p.bold(visibleLine(g.ID)), visibleLine(name), visibleLine(g.Provider), "seen " + g.Age, state}
	}
	p.rows("", rows)
}
