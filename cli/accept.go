package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo/handoff"
)

type acceptOptions struct{ ID string }

func newAcceptCmd(a *app, run func(context.Context, acceptOptions) error) *cobra.Command {
	var o acceptOptions
	run = orRun(a, run, runAccept)
	return &cobra.Command{
		Use:     "accept ID",
		GroupID: groupMessages,
		Short:   "Take work that was sent to you",
		Long: `Take the work ID, which only its recipient can, and print the claim. Accepting twice changes nothing and says so. A
packet is taken with "testigo resume --claim ID".`,
		Example: `  testigo accept h_1a2b3c4d --as executor`,
		Args:    arguments(1, 1, "ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.ID = handoffID(args[0])
			return run(cmd.Context(), o)
		},
	}
}

func runAccept(ctx context.Context, a *app, o acceptOptions) error {
	return a.at(ctx, func(d *desk) error {
		res, err := d.hand.AcceptWork(ctx, d.caller, handoff.AcceptParams{ID: o.ID})
		if err != nil {
			return err
		}
		claim := res.Claim
		if claim == "" {
			claim = res.MessageID
		}
		if err := a.print(res, func(p *page) { p.line("%s", visibleLine(claim)) }); err != nil {
			return err
		}
		switch {
		case res.Note != "":
			a.say("%s", a.typed(res.Note))
		case res.AlreadyDone:
			a.say("already accepted by %s", d.caller.Agent)
		default:
			a.say("accepted by %s", d.caller.Agent)
		}
		if res.Claim != "" {
			a.next(a.command("return", res.Claim, "--summary", "TEXT"))
		}
		return nil
	})
}
