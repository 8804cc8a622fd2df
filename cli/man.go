package cli

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
)

type manOptions struct{ Dir string }

func newManCmd(a *app, run func(context.Context, manOptions) error) *cobra.Command {
	var o manOptions
	run = orRun(a, run, runMan)
	return &cobra.Command{
		Use:     "man DIR",
		GroupID: groupStore,
		Hidden:  true, // for whoever packages the program
		Short:   "Write the manual pages into a folder",
		Long:    `Write one manual page for each command into the folder DIR, which is made when it is not there.`,
		Example: `  testigo man share/man/man1`,
		Args:    arguments(1, 1, "DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Dir = args[0]
			return run(cmd.Context(), o)
		},
	}
}

func runMan(_ context.Context, a *app, o manOptions) error {
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return cannotWrite(o.Dir, err)
	}
	root := newRootCmd(&app{env: a.env})
	addCompletion(root)
	if err := writePages(o.Dir, root); err != nil {
		return cannotWrite(o.Dir, err)
	}
	return a.print(map[string]string{"dir": o.Dir}, func(p *page) { p.line("%s", visibleLine(o.Dir)) })
}

func cannotWrite(dir string, err error) error {
	return &testigo.Error{Code: testigo.CodeUnreachable, Msg: "the pages cannot be written to " + dir, Next: "give a folder that you may write to", Err: err}
}
