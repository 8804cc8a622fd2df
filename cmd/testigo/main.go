// Command testigo is shared, versioned memory and handoffs for AI coding agents; see `testigo --help`.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/testigo/testigo/cli"
)

func main() { os.Exit(run()) }

// run is apart from main so that its deferred calls happen before the process ends.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	return cli.Run(ctx, cli.FromOS())
}
