package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
)

type outcomeOptions struct {
	Outcome string
	Ref     string
	Names   []string
	Note    string
	Handoff string
}

// outcomeKinds are the words that outcome takes.
func outcomeKinds() []string {
	kinds := make([]string, 0, len(testigo.OutcomeKinds()))
	for _, k := range testigo.OutcomeKinds() {
		kinds = append(kinds, string(k))
	}
	return kinds
}

func newOutcomeCmd(a *app, run func(context.Context, outcomeOptions) error) *cobra.Command {
	var o outcomeOptions
	run = orRun(a, run, runOutcome)
	cmd := &cobra.Command{
		Use:     "outcome OUTCOME REF [NAME...]",
		GroupID: groupHandoffs,
		Short:   "Report what actually happened",
		Long: `Report how it went when somebody acted on facts, and move their confidence.

OUTCOME is ` + strings.Join(outcomeKinds(), ", ") + `. REF says what happened: a test run, a commit, a
ticket. The same outcome under the same REF counts once. NAME... are the versions acted on, as NAME or NAME@version;
without any, the pins of the packet you hold. --handoff closes that packet.`,
		Example: `  testigo outcome success 'ci run 4711' boards/example/rate-limit@2
  testigo outcome failure TICKET-12 listing/480/assessment --note 'position was filled'
  testigo outcome success 'application sent' --handoff h_1a2b3c4d --as executor`,
		Args: arguments(2, -1, "OUTCOME or REF"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Outcome, o.Ref, o.Names = strings.ReplaceAll(args[0], "-", "_"), args[1], append(args[2:], o.Names...)
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringArrayVar(&o.Names, "ref", nil, "the same as NAME")
	f.StringVar(&o.Handoff, "handoff", "", "close the packet `ID` (or ID#generation) that you hold")
	f.StringVar(&o.Note, "note", "", "what else is worth knowing")
	a.projectFlag(cmd)
	return cmd
}

func runOutcome(ctx context.Context, a *app, o outcomeOptions) error {
	named, err := refs(o.Names)
	if err != nil {
		return err
	}
	return a.at(ctx, func(d *desk) error {
		res, err := d.hand.RecordOutcome(ctx, d.caller, handoff.OutcomeParams{Outcome: testigo.OutcomeKind(o.Outcome), OutcomeRef: o.Ref,
			Refs: named, Note: o.Note, HandoffID: handoffID(o.Handoff), Project: a.global.Project})
		if err != nil {
			return err
		}
		if err := a.print(res, func(p *page) { p.outcome(res) }); err != nil {
			return err
		}
		a.say("%s", a.typed(res.Summary))
		a.notes(res.Notes)
		return nil
	})
}

func (p *page) outcome(res handoff.OutcomeResult) {
	rows := make([][]string, len(res.Moved))
	for i, m := range res.Moved {
		extra := ""
		if m.AlreadyRecorded {
			extra = p.dim("already recorded")
		}
		rows[i] = []string{p.bold(fmt.Sprintf("%s@%d", visibleLine(m.Name), m.Version)), fmt.Sprintf("%.2f → %s", m.Before, p.confidence(m.After)), extra}
	}
	p.rows("", rows)
}
