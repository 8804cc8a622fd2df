package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/sqlite"
)

type initOptions struct{ Flat bool }

func newInitCmd(a *app, run func(context.Context, initOptions) error) *cobra.Command {
	var o initOptions
	run = orRun(a, run, runInit)
	cmd := &cobra.Command{
		Use:     "init",
		GroupID: groupStore,
		Short:   "Make a new, empty store",
		Long: `Make a new, empty store at the place that --db or the environment names. Other commands make one when they need it, so
this is for a store of another kind, or at a place to be prepared.

It never touches what is there: where a store or one of its side files exists, it refuses.`,
		Example: `  testigo init
  testigo init --db team.db
  testigo init --flat --db shared.db`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), o) },
	}
	cmd.Flags().BoolVar(&o.Flat, "flat", false, "a store that knows no projects: every fact is shared")
	return cmd
}

func runInit(ctx context.Context, a *app, o initOptions) error {
	p, err := a.store()
	if err != nil {
		return err
	}
	if a.global.ReadOnly {
		return usageField("--read-only", "makes no sense for a new store")
	}
	if _, err := os.Lstat(p.Value); !errors.Is(err, fs.ErrNotExist) {
		return testigo.Errorf(testigo.CodeRefused, "there is something at %s already; it was not touched", p.Value).
			WithNext("testigo stats shows what a store holds; --db names another place")
	}
	store, err := sqlite.Open(ctx, p.Value, sqlite.Options{Create: true, Flat: o.Flat || p.Flat})
	if err != nil {
		return err
	}
	info, err := store.Info(ctx)
	if err := errors.Join(err, store.Close()); err != nil {
		return err
	}
	if info.Warning != "" {
		a.say("note: %s", info.Warning)
	}
	return a.print(info, func(p *page) { p.line("%s", visibleLine(info.Location)) })
}
