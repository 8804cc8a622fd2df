package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
)

type readOptions struct {
	ID       string
	MaxChars int
	Cursor   string
}

func newReadCmd(a *app, run func(context.Context, readOptions) error) *cobra.Command {
	var o readOptions
	run = orRun(a, run, runRead)
	cmd := &cobra.Command{
		Use:     "read ID",
		GroupID: groupMessages,
		Short:   "Open a message or work",
		Long: `Open what was sent, whole. Only its recipient's reading marks it as read: act as that agent with --as or with one of the
variables. A person who looks marks nothing, and the look is logged.

ID may be shortened to six characters behind "h_" when they are unique. A packet is opened with "testigo resume ID".`,
		Example: `  testigo read h_1a2b3c4d --as executor
  HANDOFFS_AGENT=executor testigo read h_1a2b3c`,
		Args: arguments(1, 1, "ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.ID = handoffID(args[0])
			if err := notZero(cmd, "max-chars"); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.IntVar(&o.MaxChars, "max-chars", 0, "show at most `N` characters of the body")
	f.StringVar(&o.Cursor, "cursor", "", "go on where an answer stopped")
	return cmd
}

func runRead(ctx context.Context, a *app, o readOptions) error {
	if o.MaxChars == 0 {
		o.MaxChars = memory.MaxMaxChars // a terminal scrolls
	}
	return a.at(ctx, func(d *desk) error {
		res, err := d.hand.ReadMessage(ctx, d.caller, handoff.ReadParams{ID: o.ID, MaxChars: o.MaxChars, Cursor: o.Cursor})
		if err != nil {
			return err
		}
		if err := a.print(res, func(p *page) { p.read(res, d.mem.Now()) }); err != nil {
			return err
		}
		switch {
		case res.MarkedRead:
			a.say("marked as read by %s", d.caller.Agent)
		case !res.Read:
			a.say("looked at by %s; it stays unread for %s", d.caller.Agent, addressed(res.To))
		}
		if res.Cursor != "" {
			a.next(a.again(res.Cursor))
			return nil
		}
		if res.NextStep != "" {
			a.nextFor(res.Message, d.caller.Agent)
		}
		return nil
	})
}

// nextFor tells an agent, whose turn it is, the command that moves a message on. It is a whole command, with what decides
// where and as whom, and so more than the use case can say.
func (a *app) nextFor(m handoff.Message, agent string) {
	switch w := m.Work; {
	case m.ReturnFor != "" && m.To == agent:
		a.next(a.command("close", m.ReturnFor, string(testigo.CloseAccepted)))
	case w == nil:
	case m.To == agent && w.State == string(testigo.Open):
		a.next(a.command("accept", m.ID))
	case m.To == agent && w.State == "accepted":
		a.next(a.command("return", m.ID, "--summary", "TEXT"))
	case m.From == agent && w.State == string(testigo.Returned):
		a.next(a.command("close", m.ID, string(testigo.CloseAccepted)))
	}
}
