package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

type verifyOptions struct{}

func newVerifyCmd(a *app, run func(context.Context, verifyOptions) error) *cobra.Command {
	run = orRun(a, run, runVerify)
	return &cobra.Command{
		Use:     "verify",
		GroupID: groupStore,
		Short:   "Recompute every hash and name each damaged row",
		Long: `Recompute every body hash, every link between versions and the store's log, and compare the search index with the rows.
Nothing is changed. Each damaged row is named on stdout, and the exit code is 3 when there is one.`,
		Example: `  testigo verify
  testigo verify --json`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), verifyOptions{}) },
	}
}

func runVerify(ctx context.Context, a *app, _ verifyOptions) error {
	return a.at(ctx, func(d *desk) error {
		step, end := a.progress("verifying")
		res, err := d.mem.Verify(ctx, step)
		end()
		if err != nil {
			return err
		}
		if err := a.print(res, func(p *page) { p.verification(res) }); err != nil {
			return err
		}
		return damageFound(res)
	})
}

// damageFound is the error that makes a run end with exit code 3.
func damageFound(res memory.Verification) error {
	if res.OK {
		return nil
	}
	return testigo.Errorf(testigo.CodeDamaged, "%s damaged", memory.Count(res.Found, "row is", "rows are")).
		WithNext("keep a copy of the store's files as they are; testigo history NAME shows what is left of a fact")
}

func (p *page) verification(res memory.Verification) {
	rows := make([][]string, len(res.Damage))
	for i, d := range res.Damage {
		what := ""
		if d.Name != "" {
			what = fmt.Sprintf("%s@%d", visibleLine(d.Name), d.Version)
		}
		rows[i] = []string{p.bad(string(d.Kind)), what, visibleLine(d.Detail)}
	}
	p.rows("", rows)
	if res.Found > len(res.Damage) {
		p.line("… the first %d of %d are listed", len(res.Damage), res.Found)
	}
	mark := p.good
	if !res.OK {
		mark = p.bad
	}
	p.line("%s", mark(p.typed(res.Summary)))
	p.line("%s", p.dim(fmt.Sprintf("log: %s, root %s", memory.Count(int(res.LogSize), "entry", "entries"), res.LogRoot)))
}
