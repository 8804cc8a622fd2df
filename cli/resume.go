package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
)

type resumeOptions struct {
	// Dir is the directory whose work is meant, "" for the current one; ID a packet.
	Dir      string
	ID       string
	Claim    bool
	PutBack  bool
	From     string
	MaxChars int
	Cursor   string
}

func newResumeCmd(a *app, run func(context.Context, resumeOptions) error) *cobra.Command {
	var o resumeOptions
	run = orRun(a, run, runResume)
	cmd := &cobra.Command{
		Use:     "resume [DIR | ID]",
		GroupID: groupHandoffs,
		Short:   "Show what waits to be picked up, or pick it up",
		Long: `Show the packet that waits for this directory and the queue behind it. Showing takes nothing: the packet stays open.

--claim picks up the oldest packet that waits for you, or the one named ID, and says which of its pinned versions are no
longer current. --put-back gives a claimed packet back. An ID may be shortened to six characters behind "h_".`,
		Example: `  testigo resume
  testigo resume ../other-repository
  testigo resume h_1a2b3c4d
  testigo resume --claim --as executor
  testigo resume --claim h_1a2b3c4d --as executor
  testigo resume --put-back h_1a2b3c4d --as executor`,
		Args: arguments(0, 1, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := notZero(cmd, "max-chars"); err != nil {
				return err
			}
			if o.Claim && o.PutBack {
				return usage(cmd.CommandPath(), "--claim and --put-back are opposites; give one of them")
			}
			if len(args) == 1 {
				o.take(a.env, args[0], cmd.Flags().Changed("dir"))
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVar(&o.Claim, "claim", false, "pick it up")
	f.BoolVar(&o.PutBack, "put-back", false, "give a claimed packet back")
	f.StringVar(&o.Dir, "dir", "", "the directory whose work is meant (`DIR`, default: the current one)")
	f.StringVar(&o.From, "from", "", "only packets from this `AGENT`")
	f.IntVar(&o.MaxChars, "max-chars", 0, "show at most `N` characters")
	f.StringVar(&o.Cursor, "cursor", "", "go on where an answer stopped")
	a.projectFlag(cmd)
	return cmd
}

// take decides whether an argument names a directory or a packet. Acting takes a packet; showing takes a directory where
// the argument looks like a path or is one.
func (o *resumeOptions) take(env Env, arg string, dirGiven bool) {
	if o.Claim || o.PutBack || dirGiven {
		o.ID = arg
		return
	}
	if arg == "." || arg == ".." || strings.ContainsAny(arg, `/\`) {
		o.Dir = arg
		return
	}
	if info, err := os.Stat(filepath.Join(env.workDir(), arg)); err == nil && info.IsDir() {
		o.Dir = arg
		return
	}
	o.ID = arg
}

func runResume(ctx context.Context, a *app, o resumeOptions) error {
	dir, err := a.directory(o.Dir)
	if err != nil {
		return err
	}
	p := handoff.ResumeParams{HandoffID: handoffID(o.ID), Peek: !o.Claim && !o.PutBack, Cwd: dir, Project: a.global.Project, FromAgent: o.From,
		PutBack: o.PutBack, MaxChars: o.MaxChars, Cursor: o.Cursor}
	return a.at(ctx, func(d *desk) error {
		res, err := d.hand.Resume(ctx, d.caller, p)
		if err == nil && p.Peek && p.HandoffID == "" && p.Cursor == "" {
			res, err = a.withPick(ctx, d, p, res)
		}
		if err != nil {
			return err
		}
		ended := ""
		if res.Packet != nil && res.Packet.State.Final() && !a.global.JSON {
			ended = a.howItEnded(ctx, d, res.Packet.ID)
		}
		if err := a.print(res, func(p *page) { p.resumed(res, ended) }); err != nil {
			return err
		}
		a.say("%s", a.typed(res.Summary))
		if res.Cursor != "" {
			a.next(a.again(res.Cursor))
		}
		if res.Claim != "" {
			a.say("claim %s; when it is done, report how it went", res.Claim)
			a.next(a.reportCommand(*res.Packet, res.Claim))
		}
		a.notes(res.Notes)
		return nil
	})
}

// howItEnded reads the outcome that closed a packet. A packet that cannot be told about is shown all the same.
func (a *app) howItEnded(ctx context.Context, d *desk, id string) string {
	log, err := d.hand.Log(ctx, d.caller, id)
	if err != nil {
		return ""
	}
	return log.Outcome
}

// reportCommand is what a holder types when it is done: work is returned, everything else is reported on.
func (a *app) reportCommand(p handoff.Packet, claim string) string {
	if p.Kind == testigo.KindWork {
		return a.command("return", claim, "--summary", "TEXT")
	}
	return a.command("outcome", "success", "REF", "--handoff", claim)
}

// directory makes an absolute path of a directory argument; "" stays, and means the caller's own.
func (a *app) directory(arg string) (string, error) {
	if arg == "" {
		return "", nil
	}
	dir := arg
	if !filepath.IsAbs(dir) {
		wd, err := a.env.Dir()
		if err != nil {
			return "", testigo.Invalid("dir", "is relative, and the current directory cannot be read")
		}
		dir = filepath.Join(wd, dir)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", testigo.Invalid("dir", "there is no directory %q", arg).WithNext("testigo resume ID shows one packet")
	}
	return dir, nil
}

// withPick adds to the queue the packet that this directory's next session would get. It is shown, not taken.
func (a *app) withPick(ctx context.Context, d *desk, p handoff.ResumeParams, queue handoff.ResumeResult) (handoff.ResumeResult, error) {
	id := pick(queue, d.caller.Agent)
	if id == "" {
		return queue, nil
	}
	p.HandoffID = id
	shown, err := d.hand.Resume(ctx, d.caller, p)
	if code := testigo.CodeOf(err); code == testigo.CodeNotFound || code == testigo.CodeGone {
		return queue, nil // it was taken between the two looks
	}
	if err != nil {
		return queue, err
	}
	queue.Packet = shown.Packet
	if shown.Cursor != "" {
		queue.Notes = append(queue.Notes, "the packet is longer: "+a.command("resume", id, "--cursor", shown.Cursor))
	}
	return queue, nil
}

// pick is the packet of a queue that an agent would get here: one addressed to it, else one for whoever comes next in
// this project. A person is shown what waits in this project, whoever it is for.
func pick(queue handoff.ResumeResult, agent string) string {
	here := func(q handoff.QueueItem) bool {
		if q.Project == nil || queue.Project == nil {
			return q.Project == queue.Project
		}
		return *q.Project == *queue.Project
	}
	for _, want := range []func(handoff.QueueItem) bool{
		func(q handoff.QueueItem) bool { return q.To == agent },
		func(q handoff.QueueItem) bool { return q.To == "" && here(q) },
		func(q handoff.QueueItem) bool { return testigo.IsPerson(agent) && here(q) },
	} {
		for _, q := range queue.Queue {
			if want(q) {
				return q.ID
			}
		}
	}
	return ""
}
