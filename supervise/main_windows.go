package supervise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// errWindows names what is missing.
var errWindows = errors.New("turns of commands cannot run on Windows yet: process groups, signals and the gate that records a command before it runs are missing")

// Main says so.
func Main([]string, io.Reader) int {
	fmt.Fprintln(os.Stderr, errWindows)
	return 1
}

// Kill says so.
func Kill(context.Context, string) (State, error) { return State{}, errWindows }

// Sweep does nothing here.
func Sweep(string, State) {}

func detached(ctx context.Context, argv []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Err = errWindows
	return cmd
}
