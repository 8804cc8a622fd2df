package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
)

type statusOptions struct{ ID string }

func newStatusCmd(a *app, run func(context.Context, statusOptions) error) *cobra.Command {
	var o statusOptions
	run = orRun(a, run, runStatus)
	return &cobra.Command{
		Use:     "status [ID]",
		GroupID: groupMessages,
		Short:   "What is going on, or how one handoff stands",
		Long: `Without ID a person sees everybody: each agent with its open work and what it has not read, the packets that wait or are
held, and all open work with what is overdue first. An agent (--as) sees its own: work for it, work it ordered, and what
it sent last. With ID: how that handoff stands and what happened to it. Nothing is marked by looking.`,
		Example: `  testigo status
  testigo status --as scout
  testigo status h_1a2b3c4d --json`,
		Args: arguments(0, 1, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.ID = handoffID(args[0])
			}
			return run(cmd.Context(), o)
		},
	}
}

func runStatus(ctx context.Context, a *app, o statusOptions) error {
	return a.at(ctx, func(d *desk) error {
		switch {
		case o.ID != "":
			return a.statusOf(ctx, d, o.ID)
		case testigo.IsPerson(d.caller.Agent):
			return a.statusOfAll(ctx, d)
		}
		return a.statusOfMine(ctx, d)
	})
}

func (a *app) statusOf(ctx context.Context, d *desk, id string) error {
	res, err := d.hand.Status(ctx, d.caller, handoff.StatusParams{ID: id})
	if err != nil {
		return err
	}
	return a.print(res, func(p *page) {
		p.opened(*res.Message, d.mem.Now())
		p.soft("delivery: " + res.Reason)
		p.line("%s", p.bold("what happened"))
		p.events(res.History)
	})
}

// ownStatus is what an agent sees of itself.
type ownStatus struct {
	handoff.StatusResult
	Unread  int `json:"unread"`
	Waiting int `json:"packetsWaiting"`
}

func (a *app) statusOfMine(ctx context.Context, d *desk) error {
	res, err := d.hand.Status(ctx, d.caller, handoff.StatusParams{})
	if err != nil {
		return err
	}
	inbox, err := d.hand.Inbox(ctx, d.caller, handoff.InboxParams{Limit: 1})
	if err != nil {
		return err
	}
	queue, err := d.hand.Resume(ctx, d.caller, handoff.ResumeParams{Peek: true})
	if err != nil {
		return err
	}
	own := ownStatus{res, inbox.Unread, queue.Waiting}
	if err := a.print(own, func(p *page) { p.own(own, d) }); err != nil {
		return err
	}
	a.notes(res.Notes)
	switch {
	case own.Unread > 0:
		a.next(a.command("inbox"))
	case own.Waiting > 0:
		a.next(a.command("resume"))
	}
	return nil
}

func (p *page) own(s ownStatus, d *desk) {
	p.line("%s", visibleLine(dots(s.Agent, number(s.Unread)+" unread", number(s.Waiting)+" waiting to be resumed")))
	now := d.mem.Now()
	for _, l := range []struct {
		heading string
		list    []handoff.Message
		who     func(handoff.Message) string
	}{
		{"work for you", s.Mine, sender},
		{"work you ordered", s.Orders, receiver},
		{"sent last", s.Sent, receiver},
	} {
		if len(l.list) > 0 {
			p.line("%s", p.bold(l.heading))
			p.messages(l.list, now, l.who)
		}
	}
}

func receiver(m handoff.Message) string { return "to " + addressed(m.To) }
