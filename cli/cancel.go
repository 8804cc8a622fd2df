package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo/handoff"
)

type cancelOptions struct{ ID string }

func newCancelCmd(a *app, run func(context.Context, cancelOptions) error) *cobra.Command {
	var o cancelOptions
	run = orRun(a, run, runCancel)
	return &cobra.Command{
		Use:     "cancel ID",
		GroupID: groupMessages,
		Short:   "Take back what you sent",
		Long: `Take back a packet, message or work that is no longer wanted. Whoever holds it is told. What was returned or closed
cannot be taken back. A person may take back for anybody.`,
		Example: `  testigo cancel h_1a2b3c4d --as scout`,
		Args:    arguments(1, 1, "ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.ID = handoffID(args[0])
			return run(cmd.Context(), o)
		},
	}
}

func runCancel(ctx context.Context, a *app, o cancelOptions) error {
	return a.at(ctx, func(d *desk) error {
		res, err := d.hand.Withdraw(ctx, d.caller, handoff.WithdrawParams{ID: o.ID})
		if err != nil {
			return err
		}
		a.say("taken back: %s", res.Title)
		if res.HeldBy != "" && res.HeldBy != d.caller.Agent {
			a.say("%s held it and is told", res.HeldBy)
		}
		return a.print(res, func(p *page) { p.line("%s", visibleLine(res.MessageID)) })
	})
}
