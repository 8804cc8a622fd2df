package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo/handoff"
)

type inboxOptions struct {
	Agent  string
	All    bool
	Limit  int
	Cursor string
}

func newInboxCmd(a *app, run func(context.Context, inboxOptions) error) *cobra.Command {
	var o inboxOptions
	run = orRun(a, run, runInbox)
	cmd := &cobra.Command{
		Use:     "inbox [AGENT]",
		GroupID: groupMessages,
		Short:   "List what was sent to an agent",
		Long: `List the messages, work and notifications that were sent to you, or to AGENT, and that are unread: the oldest first.
Listing marks nothing; "testigo read ID" opens one. Packets are not here: "testigo resume" shows what waits.`,
		Example: `  testigo inbox --as executor
  testigo inbox executor --all --limit 50`,
		Args: arguments(0, 1, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.Agent = args[0]
			}
			if err := notZero(cmd, "limit"); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVar(&o.All, "all", false, "what was read too, the newest first")
	f.IntVar(&o.Limit, "limit", 0, "show at most `N`, 1 to 100 (default 20)")
	f.StringVar(&o.Cursor, "cursor", "", "go on where an answer stopped")
	return cmd
}

func runInbox(ctx context.Context, a *app, o inboxOptions) error {
	a.lookAs(o.Agent)
	return a.at(ctx, func(d *desk) error {
		if err := a.seen(ctx, d); err != nil {
			return err
		}
		res, err := d.hand.Inbox(ctx, d.caller, handoff.InboxParams{All: o.All, Limit: o.Limit, Cursor: o.Cursor})
		if err != nil {
			return err
		}
		if err := a.print(res, func(p *page) { p.messages(res.Messages, d.mem.Now(), sender) }); err != nil {
			return err
		}
		switch {
		case len(res.Messages) > 0 || res.Cursor != "":
			a.say("%s for %s", res.Summary, res.Agent)
		case o.All:
			a.say("nothing was sent to %s", res.Agent)
		default:
			a.say("nothing unread for %s", res.Agent)
		}
		switch {
		case res.Cursor != "":
			a.next(a.again(res.Cursor))
		case len(res.Messages) > 0:
			line := a.command("read", res.Messages[0].ID)
			if a.looking { // only its recipient's reading marks a message
				line += " --as " + res.Agent
			}
			a.next(line)
		}
		return nil
	})
}
