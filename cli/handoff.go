package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
)

type handoffOptions struct {
	Title         string
	Summary       string
	FromInput     bool
	NextSteps     []string
	OpenQuestions []string
	Tried         []string
	Refs          []string
	To            string
	Expires       string
	Due           string
	ExpectsReturn bool
	Notify        string
	RequestKey    string
	AllowRepeat   bool
	AllowUnknown  bool
}

func newHandoffCmd(a *app, run func(context.Context, handoffOptions) error) *cobra.Command {
	var o handoffOptions
	run = orRun(a, run, runHandoff)
	cmd := &cobra.Command{
		Use:     "handoff [SUMMARY]",
		GroupID: groupHandoffs,
		Short:   "Write a packet for the next agent",
		Long: `Write a packet for the next agent and print its id. To pick up work use "testigo resume".

Nothing is required: without a title the first line of the summary is one, and without a summary the packet says that
there is none. The state of the repository is captured. Facts named with --ref are pinned in their exact version; inside
a host's session everything the session touched is pinned when no --ref is given. Without --to the packet waits for
whoever resumes next in this project.`,
		Example: `  testigo handoff --title 'Rate limit of the example board' -m 'Back-off works; the 60 s guess is unchecked.' \
      --next 'measure the real limit' --open 'is 60 s enough?' --ref boards/example/rate-limit
  git log -5 | testigo handoff --title 'Where I stopped' -
  testigo handoff --to executor --expires 2d 'Draft the application for listing/482.'`,
		Args: arguments(0, 1, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if cmd.Flags().Changed("summary") {
					return usage(cmd.CommandPath(), "unused argument %q: --summary gives the summary already", visibleLine(args[0]))
				}
				o.Summary = args[0]
			}
			o.FromInput = o.Summary == "-"
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.Title, "title", "", "one line that says what it is about")
	f.StringVarP(&o.Summary, "summary", "m", "", "what was done and how things stand (- reads the standard input)")
	f.StringArrayVar(&o.NextSteps, "next", nil, "a `STEP` to take next; repeat for more")
	f.StringArrayVar(&o.OpenQuestions, "open", nil, "an open `QUESTION`; repeat for more")
	f.StringArrayVar(&o.Tried, "tried", nil, "`WHAT` was tried and failed, and why; repeat for more")
	f.StringArrayVar(&o.Refs, "ref", nil, "a fact to pin, as `NAME` or NAME@version; repeat for more")
	f.StringVar(&o.To, "to", "", "the `AGENT` it is for")
	f.StringVar(&o.Expires, "expires", "", "when it is no longer of use: `WHEN` is 2h, 3d or an RFC 3339 time")
	f.StringVar(&o.Due, "due", "", "when it should be done: `TIME` from now, such as 90m, 2h, 3d")
	f.BoolVar(&o.ExpectsReturn, "expects-return", false, "it is work: the recipient owes an answer")
	f.StringVar(&o.Notify, "notify", "", "`HOW` to tell the recipient: none, quiet or wake (default quiet)")
	f.StringVar(&o.RequestKey, "request-key", "", "a `KEY` that makes repeating this very call harmless")
	f.BoolVar(&o.AllowRepeat, "allow-repeat", false, "write it even if an equal packet was just written")
	f.BoolVar(&o.AllowUnknown, "allow-unknown", false, "write it even if nobody has seen the recipient")
	a.projectFlag(cmd)
	return cmd
}

func runHandoff(ctx context.Context, a *app, o handoffOptions) error {
	if o.FromInput {
		var err error
		if o.Summary, err = a.readInput(ctx, "summary"); err != nil {
			return err
		}
	}
	return a.at(ctx, func(d *desk) error {
		p, err := a.packet(d, o)
		if err != nil {
			return err
		}
		ownTitle := p.Title != ""
		if err := a.fillIn(ctx, d, &p); err != nil {
			return err
		}
		res, err := d.hand.Handoff(ctx, d.caller, p)
		if e := testigo.AsError(err); err != nil && !ownTitle && e.Field == "title" {
			p.Title = plainTitle(d) // what the summary begins with cannot stand in a title
			res, err = d.hand.Handoff(ctx, d.caller, p)
		}
		if err != nil {
			return err
		}
		a.saidOfPacket(res)
		return a.print(res, func(p *page) { p.line("%s", visibleLine(res.ID)) })
	})
}

// packet turns flags into the use case's parameters.
func (a *app) packet(d *desk, o handoffOptions) (handoff.Params, error) {
	p := handoff.Params{Title: o.Title, Summary: o.Summary, NextSteps: o.NextSteps, OpenQuestions: o.OpenQuestions, Tried: o.Tried,
		ToAgent: o.To, Project: a.global.Project, ExpectsReturn: o.ExpectsReturn, Notify: o.Notify, RequestKey: o.RequestKey,
		AllowRepeat: o.AllowRepeat, AllowUnknown: o.AllowUnknown}
	var err error
	if p.Refs, err = refs(o.Refs); err != nil {
		return p, err
	}
	if p.ExpiresAt, err = expiry(o.Expires, d.mem.Now()); err != nil {
		return p, err
	}
	p.DueMinutes, err = dueMinutes(o.Due)
	return p, err
}

// refs reads what --ref named; nil when nothing was.
func refs(names []string) ([]testigo.Ref, error) {
	var out []testigo.Ref
	for _, n := range names {
		r, err := testigo.ParseRef(n)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

func (a *app) saidOfPacket(res handoff.Result) {
	to := "whoever resumes next in this project"
	if res.To != nil {
		to = res.To.Agent
	}
	switch {
	case res.Repeated:
		a.say("already written: this is the packet of the first call")
	default:
		a.say("written for %s: %s", to, res.Title)
	}
	if res.To != nil {
		a.say("%s", res.To.Note)
		if res.To.LastSeen != nil {
			a.say("%s was last seen %s", res.To.Agent, res.To.Age)
		}
	}
	for _, pin := range res.Pins {
		a.say("pinned %s@%d", pin.Name, pin.Version)
	}
	a.redacted(res.Redacted)
	a.notes(res.Notes)
}
