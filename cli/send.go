package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo/handoff"
)

type sendOptions struct {
	// From is set by the form with three arguments.
	From          string
	To            string
	Message       string
	Title         string
	Due           string
	Key           string
	ReplyTo       string
	Refs          []string
	NextSteps     []string
	OpenQuestions []string
	Expires       string
	Notification  bool
}

func newSendCmd(a *app, run func(context.Context, sendOptions) error) *cobra.Command {
	var o sendOptions
	run = orRun(a, run, runSend)
	cmd := &cobra.Command{
		Use:     "send [FROM] TO MESSAGE",
		GroupID: groupMessages,
		Short:   "Send a message, or work that is owed an answer",
		Long: `Send MESSAGE to the agent TO and print its id. "-" reads it from the standard input.

With --title it is work: the recipient accepts it, returns it, and you close it. Without, it is a message that asks for
nothing. --key makes repeating this very call harmless: the second time nothing is stored.

FROM is who sends, as --as says too; without either it is you. An agent that nobody has seen is refused with the nearest
names. To leave a packet with pinned facts for whoever comes next use "testigo handoff".`,
		Example: `  testigo send executor 'The board was rate limited at noon.' --as scout
  testigo send scout executor 'Draft the application for listing/482.' --title 'Application' --due 2h
  testigo send executor - --title 'Read this report' < report.md
  testigo send executor 'And the second one, please.' --reply-to h_1a2b3c4d --ref boards/example/rate-limit`,
		Args: arguments(1, 3, "TO or MESSAGE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.take(cmd, args); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.To, "to", "", "the `AGENT` it is for, in the place of TO")
	f.StringVar(&o.Title, "title", "", "one line that says what is to be done: makes it work")
	f.StringVar(&o.Due, "due", "", "when the work should be done: `TIME` from now, such as 90m, 2h, 3d")
	f.StringVar(&o.Key, "key", "", "a `KEY` that makes repeating this very call harmless")
	f.StringVar(&o.ReplyTo, "reply-to", "", "the `ID` that this answers")
	f.StringArrayVar(&o.Refs, "ref", nil, "a fact to pin, as `NAME` or NAME@version; repeat for more")
	f.StringArrayVar(&o.NextSteps, "next", nil, "a `STEP` to take next; repeat for more")
	f.StringArrayVar(&o.OpenQuestions, "open", nil, "an open `QUESTION`; repeat for more")
	f.StringVar(&o.Expires, "expires", "", "when it is no longer of use: `WHEN` is 2h, 3d or an RFC 3339 time")
	f.BoolVar(&o.Notification, "notification", false, "it only informs, and wakes nobody")
	a.projectFlag(cmd)
	return cmd
}

// take gives the arguments their meaning: the last is the message, the one before it the recipient.
func (o *sendOptions) take(cmd *cobra.Command, args []string) error {
	o.Message, args = args[len(args)-1], args[:len(args)-1]
	if o.To == "" {
		if len(args) == 0 {
			return usage(cmd.CommandPath(), "MESSAGE is missing; usage: %s", cmd.UseLine())
		}
		o.To, args = args[len(args)-1], args[:len(args)-1]
	}
	switch len(args) {
	case 0:
	case 1:
		o.From = args[0]
	default:
		return usage(cmd.CommandPath(), "unused argument %q: --to says already who it is for", visibleLine(args[1]))
	}
	return nil
}

func runSend(ctx context.Context, a *app, o sendOptions) error {
	if o.From != "" {
		a.acting = decided{Value: o.From, From: "FROM"}
	}
	if o.Message == "-" {
		var err error
		if o.Message, err = a.readInput(ctx, "message"); err != nil {
			return err
		}
	}
	named, err := refs(o.Refs)
	if err != nil {
		return err
	}
	return a.at(ctx, func(d *desk) error {
		p := handoff.SendParams{To: o.To, Message: o.Message, Title: o.Title, Key: o.Key, ReplyTo: handoffID(o.ReplyTo), Refs: named,
			NextSteps: o.NextSteps, OpenQuestions: o.OpenQuestions, Notification: o.Notification, Project: a.global.Project}
		if p.DueMinutes, err = dueMinutes(o.Due); err != nil {
			return err
		}
		if p.ExpiresAt, err = expiry(o.Expires, d.mem.Now()); err != nil {
			return err
		}
		res, err := d.hand.Send(ctx, d.caller, p)
		if err != nil {
			return err
		}
		a.saidOfSend(d, res)
		return a.print(res, func(p *page) { p.line("%s", visibleLine(res.MessageID)) })
	})
}

func (a *app) saidOfSend(d *desk, res handoff.SendResult) {
	what := "sent"
	if res.AlreadySent {
		what = "already sent with this key"
	}
	a.say("%s · %s → %s", what, d.caller.Agent, res.ToName)
	if res.Work {
		due := "no due time"
		if res.DueAt != nil {
			due = "due " + res.DueAt.UTC().Format("2006-01-02 15:04 UTC")
		}
		a.say("%s", dots(`work "`+res.Title+`"`, due))
	}
	for _, pin := range res.Pins {
		a.say("pinned %s@%d", pin.Name, pin.Version)
	}
	a.redacted(res.Redacted)
	a.notes(res.Notes)
	a.next(a.command("status", res.MessageID))
}

func number(n int) string { return strconv.Itoa(n) }
