package cli

import (
	"context"

	"github.com/spf13/cobra"
)

func newBlockCmd(a *app, run func(context.Context, ruleOptions) error) *cobra.Command {
	var o ruleOptions
	run = orRun(a, run, func(ctx context.Context, a *app, o ruleOptions) error { return runRule(ctx, a, o, false) })
	return &cobra.Command{
		Use:     "block SENDER RECIPIENT",
		GroupID: groupMessages,
		Short:   "Keep one agent from sending to another",
		Long: `Store the rule that SENDER may not send to RECIPIENT. What was sent before stays, and the return of work always reaches
its sender. "testigo block service:delivery AGENT" mutes the notices of Testigo itself.`,
		Example: `  testigo block scout executor`,
		Args:    arguments(2, 2, "SENDER or RECIPIENT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Sender, o.Recipient = args[0], args[1]
			return run(cmd.Context(), o)
		},
	}
}
