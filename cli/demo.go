package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/demo"
	"github.com/testigo/testigo/sqlite"
)

type demoOptions struct {
	// Part is "" for the whole story, or the half to play.
	Part string
}

func newDemoCmd(a *app, run func(context.Context, demoOptions) error) *cobra.Command {
	run = orRun(a, run, runDemo)
	cmd := &cobra.Command{
		Use:     "demo",
		GroupID: groupStore,
		Short:   "The whole story in two processes, without any set-up",
		Long: `Play a story with two processes over one database file: a scout looks through a job board, remembers what it finds and
hands over; an executor that knows nothing else picks up, is told what changed meanwhile, acts and reports.

The whole story runs on a file of its own that is gone afterwards, unless --db names one. The halves run on the store
that --db or the environment names, and never on the one that you use without naming it.`,
		Example: `  testigo demo
  MEMORY_DB=shared.db testigo demo scout
  MEMORY_DB=shared.db testigo demo executor`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), demoOptions{}) },
	}
	for _, part := range []struct{ name, short string }{
		{"scout", "The first half: look, remember, hand over"},
		{"executor", "The second half: pick up, act, report"},
	} {
		cmd.AddCommand(&cobra.Command{
			Use: part.name, Short: part.short, Args: arguments(0, 0, ""),
			Example: "  testigo demo " + part.name + " --db shared.db",
			RunE:    func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), demoOptions{Part: part.name}) },
		})
	}
	return cmd
}

func runDemo(ctx context.Context, a *app, o demoOptions) error {
	if a.global.JSON {
		return usageField("--json", "has no meaning here: the demo is a story for people")
	}
	colour := a.env.colour(a.global.NoColor)
	if o.Part == "" {
		return demo.Run(ctx, demo.Options{Out: a.env.Out, Exe: a.env.Exe, DB: a.global.DB, Color: colour})
	}
	play := map[string]func(context.Context, testigo.Store, io.Writer, bool) error{"scout": demo.Scout, "executor": demo.Executor}[o.Part]
	p, err := a.store()
	if err != nil {
		return err
	}
	if p.From == byDefault {
		return testigo.Errorf(testigo.CodeInvalid, "half of the story needs a store of its own: name one with --db; nothing was written").
			WithNext("testigo demo %s --db shared.db", o.Part)
	}
	store, err := a.openStore(ctx, p, sqlite.OneShot)
	if err != nil {
		return err
	}
	defer store.Close() //nolint:errcheck // everything the story did is on disk when play returns
	// The whole story gives each half a pipe to write to and says itself whether a terminal is behind it.
	return play(ctx, store, a.env.Out, colour || a.env.Getenv("TESTIGO_DEMO_COLOR") != "" && !a.global.NoColor)
}
