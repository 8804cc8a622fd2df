package cli

import (
	"context"

	"github.com/spf13/cobra"
)

type ruleOptions struct{ Sender, Recipient string }

// ruled is the answer of allow and block.
type ruled struct {
	Sender    string `json:"sender"`
	Recipient string `json:"recipient"`
	Allow     bool   `json:"allow"`
}

func newAllowCmd(a *app, run func(context.Context, ruleOptions) error) *cobra.Command {
	var o ruleOptions
	run = orRun(a, run, func(ctx context.Context, a *app, o ruleOptions) error { return runRule(ctx, a, o, true) })
	return &cobra.Command{
		Use:     "allow SENDER RECIPIENT",
		GroupID: groupMessages,
		Short:   "Let one agent send to another",
		Long: `Store the rule that SENDER may send to RECIPIENT. Both must have been seen, or be parts of Testigo (service:…). A rule
wins over the setting "connections".`,
		Example: `  testigo allow scout executor`,
		Args:    arguments(2, 2, "SENDER or RECIPIENT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Sender, o.Recipient = args[0], args[1]
			return run(cmd.Context(), o)
		},
	}
}

func runRule(ctx context.Context, a *app, o ruleOptions, allow bool) error {
	return a.at(ctx, func(d *desk) error {
		rule, err := d.hand.Allow(ctx, d.caller, o.Sender, o.Recipient, allow)
		if err != nil {
			return err
		}
		may := "may send to"
		if !rule.Allow {
			may = "may not send to"
		}
		return a.print(ruled{rule.Sender, rule.Recipient, rule.Allow}, func(p *page) {
			p.line("%s %s %s", visibleLine(rule.Sender), may, visibleLine(rule.Recipient))
		})
	})
}
