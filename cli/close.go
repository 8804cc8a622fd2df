package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
)

type closeOptions struct {
	ID       string
	Decision string
	Note     string
}

// decisions are the words that close takes.
func decisions() []string {
	words := make([]string, 0, len(testigo.CloseOutcomes()))
	for _, o := range testigo.CloseOutcomes() {
		words = append(words, string(o))
	}
	return words
}

func newCloseCmd(a *app, run func(context.Context, closeOptions) error) *cobra.Command {
	var o closeOptions
	run = orRun(a, run, runClose)
	cmd := &cobra.Command{
		Use:     "close ID DECISION",
		GroupID: groupMessages,
		Short:   "Decide about work that you ordered",
		Long: `Decide about the work ID, once. ID may also be the message that returned it. DECISION is ` + strings.Join(decisions(), ", ") + `.

A revision opens the next round of the same work in the same step: same recipient, title, time and pins, with --note
as what is to be done. Its id is printed.`,
		Example: `  testigo close h_1a2b3c4d accepted --as scout
  testigo close h_1a2b3c4d revision --note 'Name the rate, please.' --as scout`,
		Args: arguments(2, 2, "ID or DECISION"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.ID, o.Decision = handoffID(args[0]), args[1]
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.Note, "note", "", "why, or with a revision what is to be done, as a `TEXT`")
	return cmd
}

func runClose(ctx context.Context, a *app, o closeOptions) error {
	return a.at(ctx, func(d *desk) error {
		res, err := d.hand.CloseWork(ctx, d.caller, handoff.CloseParams{ID: o.ID, Outcome: testigo.CloseOutcome(o.Decision), Note: o.Note})
		if err != nil {
			return err
		}
		a.say("%s is closed as %s", res.MessageID, res.Outcome)
		a.redacted(res.Redacted)
		a.notes(res.Notes)
		id := res.MessageID
		if res.Successor != "" {
			id = res.Successor
		}
		return a.print(res, func(p *page) { p.line("%s", visibleLine(id)) })
	})
}
