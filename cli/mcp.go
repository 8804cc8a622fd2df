package cli

import (
	"context"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/mcp"
	"github.com/testigo/testigo/proc"
	"github.com/testigo/testigo/sqlite"
)

type mcpOptions struct{ Agent string }

func newMCPCmd(a *app, run func(context.Context, mcpOptions) error) *cobra.Command {
	var o mcpOptions
	run = orRun(a, run, runMCP)
	cmd := &cobra.Command{
		Use:     "mcp --agent NAME",
		GroupID: groupStore,
		Short:   "Serve the store to an agent (MCP over standard input and output)",
		Long: `Serve the store to one agent through the Model Context Protocol, over standard input and output. A host starts this; it
ends when its input ends or its parent has died.

The agent's name is who writes and who receives; every host gets its own. It is taken from --agent or --as, else from
TESTIGO_AGENT, HANDOFFS_AGENT or AGENT_ID.`,
		Example: `  testigo mcp --agent reviewer
  TESTIGO_AGENT=reviewer testigo mcp`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), o) },
	}
	cmd.Flags().StringVar(&o.Agent, "agent", "", "the agent to serve, as a `NAME`")
	a.projectFlag(cmd)
	return cmd
}

func runMCP(ctx context.Context, a *app, o mcpOptions) error {
	agent, err := a.serverAgent(o.Agent)
	if err != nil {
		return err
	}
	p, err := a.store()
	if err != nil {
		return err
	}
	level := slog.LevelWarn
	if a.env.Getenv("TESTIGO_DEBUG") != "" {
		level = slog.LevelDebug
	}
	watch, stop := context.WithCancel(ctx)
	defer stop()
	return mcp.Serve(ctx, mcp.Options{
		In: a.env.In, Out: a.env.Out, Agent: agent.Value, Version: thisBuild().Version,
		Open: func(ctx context.Context) (testigo.Store, error) { return a.openStore(ctx, p, sqlite.Server) },
		Dir:  a.env.workDir, Where: a.where(), Env: a.env.Getenv,
		Log:        slog.New(slog.NewTextHandler(a.env.Err, &slog.HandlerOptions{Level: level})),
		ParentDead: proc.WatchParent(watch),
	})
}
