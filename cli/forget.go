package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

type forgetOptions struct {
	Name     string
	Versions []int
}

func newForgetCmd(a *app, run func(context.Context, forgetOptions) error) *cobra.Command {
	var o forgetOptions
	var yes bool
	run = orRun(a, run, runForget)
	cmd := &cobra.Command{
		Use:     "forget NAME",
		GroupID: groupFacts,
		Short:   "Erase what a fact says, for good (a person on a terminal only)",
		Long: `Erase value, tags, sources and salt of a fact's versions everywhere the store keeps them. The hashes stay, so the chain
still verifies, and the log records who erased what and when.

It first prints what would go and what it cannot reach, then asks you to type the name. It works on a terminal only: no
script and no agent can answer for you, and no flag does.`,
		Example: `  testigo forget listing/480/contact
  testigo forget listing/480/contact --version 1 --version 2`,
		Args: arguments(1, 1, "NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name = args[0]
			for _, v := range o.Versions {
				if v < 1 {
					return usageField("--version", "versions are numbers from 1")
				}
			}
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().IntSliceVar(&o.Versions, "version", nil, "only version `N`; repeat for more (default: all)")
	cmd.Flags().BoolVar(&yes, "yes", false, "changes nothing: this question is never skipped")
	cmd.Flags().MarkHidden("yes") //nolint:errcheck // it exists: it was defined in the line above
	a.projectFlag(cmd)
	return cmd
}

func runForget(ctx context.Context, a *app, o forgetOptions) error {
	if !a.env.InTTY || !a.env.OutTTY {
		return testigo.Errorf(testigo.CodeRefused, "erasing is a person's decision: it asks on a terminal, and this is none; nothing was changed").
			WithNext("testigo history %s shows what there is", o.Name)
	}
	if agent, err := a.agent(); err != nil {
		return err
	} else if !testigo.IsPerson(agent.Value) {
		return testigo.Errorf(testigo.CodeForbidden, "erasing is a person's decision, and %s says that %q is acting; nothing was changed", agent.From, agent.Value).
			WithNext("leave %s out to act as yourself", agent.From)
	}
	return a.at(ctx, func(d *desk) error {
		p := memory.ForgetParams{Project: a.global.Project, Key: o.Name, Versions: o.Versions}
		plan, err := d.mem.PlanForget(ctx, d.caller, p)
		if err != nil {
			return err
		}
		if len(plan.Versions) == 0 {
			return a.forgetAgain(ctx, d, p)
		}
		// The question goes to stderr: with --json stdout holds one object, the result.
		fmt.Fprint(a.env.Err, a.planText(plan))
		if err := a.typedName(ctx, plan.Name); err != nil {
			return err
		}
		// What is erased is what was shown: versions written while the person was reading stay.
		p.Versions = plan.Versions
		done, err := d.mem.Forget(ctx, d.caller, p)
		if err != nil {
			return err
		}
		if err := a.print(done, func(p *page) { p.forgotten(done) }); err != nil {
			return err
		}
		return leftBehind(done)
	})
}

// forgetAgain answers who asks for what is erased already. An earlier run may have been kept from cleaning the files, so
// that is tried again; nothing more can go, and there is nothing to ask.
func (a *app) forgetAgain(ctx context.Context, d *desk, p memory.ForgetParams) error {
	done, err := d.mem.Forget(ctx, d.caller, p)
	if err != nil {
		return err
	}
	err = a.print(done, func(p *page) {
		p.line("nothing to do: those versions of %s are erased already", visibleLine(done.Name))
		p.traces(done)
	})
	return errors.Join(err, leftBehind(done))
}

// planText shows what would go and what stays out of reach.
func (a *app) planText(plan memory.ForgetResult) string {
	p := a.newPage()
	p.line("%s", p.bold(visibleLine(plan.Describe())))
	for _, v := range plan.Preview() {
		f := memory.View(v, v.CreatedAt)
		p.line("  v%d by %s, %s", v.Number, visibleLine(v.Author), p.stamp(v.CreatedAt))
		p.valueBelow(f)
	}
	p.items("this cannot reach", plan.Outside)
	return p.String()
}

// typedName asks a person to type the name. No transaction is open meanwhile: others read and write as they like (fault C09).
func (a *app) typedName(ctx context.Context, name string) error {
	fmt.Fprintf(a.env.Err, "This cannot be undone. Type %s to erase it: ", visibleLine(name))
	answer, err := untilDone(ctx, func() (string, error) {
		line, err := bufio.NewReader(a.env.In).ReadString('\n')
		if err != nil && line != "" {
			err = nil // the last line of an input may lack its end
		}
		return line, err
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || strings.TrimSpace(answer) != name {
		return testigo.Errorf(testigo.CodeRefused, "that is not the name; nothing was changed")
	}
	return nil
}

func (p *page) forgotten(res memory.ForgetResult) {
	versions := "versions"
	if len(res.Versions) == 1 {
		versions = "version"
	}
	p.line("erased: %s, %s %s", visibleLine(res.Name), versions, numbers(res.Versions))
	p.traces(res)
}

// traces tells what the search of the store's files found.
func (p *page) traces(res memory.ForgetResult) {
	if res.Scrub == nil {
		return
	}
	switch {
	case res.Scrub.Clean && res.Searched == 0: // too short to be told from chance, or erased before
		p.line("the store's files were cleaned; there was no word to search them for")
	case res.Scrub.Clean:
		p.line("the store's files were searched afterwards: none of its words is left")
	case res.Scrub.Blocked != "":
		p.line("%s", p.warn("traces may be left in the files: "+visibleLine(res.Scrub.Blocked)))
	}
	for _, f := range res.Scrub.Found {
		p.line("%s", p.warn("still found in "+visibleLine(f)))
	}
}

// leftBehind makes an erasure that could not be finished a failure: success is told only after reading back (fault Z07).
func leftBehind(res memory.ForgetResult) error {
	if res.Scrub == nil || res.Scrub.Clean {
		return nil
	}
	e := testigo.Errorf(testigo.CodeRefused, "the rows are erased, and traces may be left in the store's files")
	if res.Scrub.Blocked != "" {
		return e.WithNext("%s", res.Scrub.Blocked)
	}
	return e.WithNext("testigo doctor")
}

func numbers(list []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]")
}
