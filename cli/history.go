package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo/memory"
)

type historyOptions struct {
	Name   string
	Limit  int
	Cursor string
}

func newHistoryCmd(a *app, run func(context.Context, historyOptions) error) *cobra.Command {
	var o historyOptions
	run = orRun(a, run, runHistory)
	cmd := &cobra.Command{
		Use:     "history NAME",
		GroupID: groupFacts,
		Short:   "Every version of a fact, and what moved its confidence",
		Long: `List every version of the fact NAME, oldest first, with its hash, its author and what moved its confidence.

A handoff's own history is "testigo log ID".`,
		Example: `  testigo history boards/example/rate-limit
  testigo history boards/example/rate-limit --json`,
		Args: arguments(1, 1, "NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name = args[0]
			if err := notZero(cmd, "limit"); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().IntVar(&o.Limit, "limit", 0, "show at most `N` versions, 1 to 100 (default 20)")
	cmd.Flags().StringVar(&o.Cursor, "cursor", "", "go on where an answer stopped")
	a.projectFlag(cmd)
	return cmd
}

func runHistory(ctx context.Context, a *app, o historyOptions) error {
	return a.at(ctx, func(d *desk) error {
		res, err := d.mem.History(ctx, d.caller, memory.HistoryParams{Project: a.global.Project, Key: o.Name, Limit: o.Limit, Cursor: o.Cursor})
		if err != nil {
			return err
		}
		if err := a.print(res, func(p *page) { p.history(res) }); err != nil {
			return err
		}
		a.say("%s", a.typed(res.Summary))
		if res.Cursor != "" {
			a.next(a.again(res.Cursor))
		}
		return nil
	})
}

func (p *page) history(res memory.HistoryResult) {
	p.line("%s %s", p.bold(visibleLine(res.Name)), p.dim("in "+visibleLine(projectWords(res.Project))))
	for _, v := range res.Versions {
		state := ""
		if v.Current {
			state = p.good("current")
		}
		p.line("")
		p.line("v%d  %s  %s  %s  %s  %s", v.Version, p.confidence(v.Confidence), p.stamp(v.CreatedAt), visibleLine(v.Author), p.dim(shortHash(v.Hash)), state)
		p.valueBelow(v.Fact)
		if v.ConfirmedAt != nil {
			p.line("    %s", p.dim("confirmed "+p.stamp(*v.ConfirmedAt)+" by "+visibleLine(v.ConfirmedBy)))
		}
		for _, m := range v.Moves {
			p.line("    %s", p.moved(m))
		}
		if v.MovesShown != "" {
			p.line("    %s", p.dim(v.MovesShown))
		}
	}
}

// moved tells what moved a confidence, on one line.
func (p *page) moved(m memory.OutcomeView) string {
	what := string(m.Outcome)
	if what == "" {
		what = "opinion"
	}
	text := fmt.Sprintf("%.2f → %.2f  %s  %s  by %s  %s", m.Before, m.After, what, visibleLine(m.OutcomeRef), visibleLine(m.Agent), p.stamp(m.At))
	if m.Note != "" {
		text += "  " + visibleLine(m.Note)
	}
	return text
}

// shownHash is how many hex digits of a hash a person is shown; --json has all of them.
const shownHash = 12

func shortHash(h string) string { return h[:min(len(h), shownHash)] }
