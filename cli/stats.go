package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

type statsOptions struct{ Verify bool }

func newStatsCmd(a *app, run func(context.Context, statsOptions) error) *cobra.Command {
	var o statsOptions
	run = orRun(a, run, runStats)
	cmd := &cobra.Command{
		Use:     "stats",
		GroupID: groupStore,
		Short:   "What the store holds",
		Long:    `Count what the store holds: facts and versions per agent and scope, handoffs by state, size, schema and log.`,
		Example: `  testigo stats
  testigo stats --verify --json`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), o) },
	}
	cmd.Flags().BoolVar(&o.Verify, "verify", false, "check every row too; exit code 3 when one is damaged")
	return cmd
}

func runStats(ctx context.Context, a *app, o statsOptions) error {
	return a.at(ctx, func(d *desk) error {
		res, err := d.mem.Stats(ctx, d.caller, memory.StatsParams{Verify: o.Verify})
		if err != nil {
			return err
		}
		if err := a.print(res, func(p *page) { p.stats(res) }); err != nil {
			return err
		}
		a.notes(res.Notes)
		if res.Verification != nil {
			return damageFound(*res.Verification)
		}
		return nil
	})
}

func (p *page) stats(res memory.StatsResult) {
	entries := "entries"
	if res.LogSize == 1 {
		entries = "entry"
	}
	p.rows("", [][]string{
		{p.bold("facts"), fmt.Sprint(res.Facts), p.dim(fmt.Sprintf("%s, %d erased", memory.Count(res.Versions, "version", "versions"), res.Erased))},
		{p.bold("confidence"), fmt.Sprintf("%.2f", res.AvgConfidence), p.dim("average of current versions; " + memory.Count(res.Outcomes, "outcome", "outcomes"))},
		{p.bold("agents"), fmt.Sprint(res.Agents)},
		{p.bold("log"), fmt.Sprint(res.LogSize), p.dim(entries + ", root " + shortHash(res.LogRoot))},
		{p.bold("size"), bytesWords(res.Store.Bytes), p.dim(fmt.Sprintf("%s, schema %d, %s", res.Store.Backend, res.Store.Schema, res.Store.Location))},
	})
	var states [][]string
	for _, s := range testigo.HandoffStates() {
		if n := res.Handoffs[s]; n > 0 {
			states = append(states, []string{string(s), fmt.Sprint(n)})
		}
	}
	p.section("handoffs", states)
	var agents, scopes [][]string
	for _, g := range res.ByAgent {
		agents = append(agents, []string{visibleLine(g.Agent), memory.Count(g.Versions, "version", "versions"), p.confidence(g.AvgConfidence)})
	}
	for _, g := range res.ByScope {
		where := "shared"
		if g.Project != testigo.NoProject {
			where = g.Project
		}
		scopes = append(scopes, []string{visibleLine(g.Scope), memory.Count(g.Facts, "fact", "facts"), p.confidence(g.AvgConfidence), p.dim(visibleLine(where))})
	}
	p.section("by agent", agents)
	p.section("by scope", scopes)
	if res.Verification != nil {
		p.line("")
		p.verification(*res.Verification)
	}
}

// section writes rows under a heading; nothing for none.
func (p *page) section(heading string, rows [][]string) {
	if len(rows) > 0 {
		p.line("%s", p.bold(heading))
		p.rows("  ", rows)
	}
}

// bytesWords is a size as people read it.
func bytesWords(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
