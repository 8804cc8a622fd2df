package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/testigo/testigo"
)

// app is one run of the program: its surroundings and the flags that every command has.
type app struct {
	env    Env
	global globalOptions
	// cmd is the command that runs; nil before it is known.
	cmd *cobra.Command
	// acting is the agent that an argument named; looking means only to see what that agent would.
	acting  decided
	looking bool
}

// globalOptions are the flags of every command.
type globalOptions struct {
	DB       string
	As       string
	Project  string
	JSON     bool
	NoColor  bool
	ReadOnly bool
}

// Run parses the arguments, runs one command and returns the exit code. Cancelling ctx is an interruption.
func Run(ctx context.Context, env Env) (code int) {
	if len(env.Args) > 0 && env.Args[0] == scanCommand {
		return runScanFiles(env)
	}
	a := &app{env: env}
	defer func() {
		if v := recover(); v != nil {
			a.report(ctx, a.panicked(v))
			code = testigo.ExitFailed
		}
	}()
	root := newRootCmd(a)
	addCompletion(root)
	root.SetArgs(append([]string{}, env.Args...)) // nil would mean the arguments of the process
	root.SetIn(env.In)
	root.SetOut(env.Out)
	root.SetErr(env.Err)
	cmd, err := root.ExecuteContextC(ctx)
	a.cmd = cmd
	if err == nil {
		return testigo.ExitOK
	}
	err = asUsage(err)
	// A mistake in the arguments may have stopped the parser before it came to --json.
	a.global.JSON = a.global.JSON || slices.Contains(env.Args, "--json")
	a.report(ctx, err)
	return exitCode(ctx, err)
}

// asUsage gives cobra's own complaints the form of ours. Whatever a command returned is left as it is.
func asUsage(err error) error {
	var ours *testigo.Error
	var wrong *flagError
	switch {
	case errors.As(err, &ours):
		return err
	case errors.As(err, &wrong):
		e := testigo.Errorf(testigo.CodeInvalid, "%s", wrong.err)
		var value *pflag.InvalidValueError
		if errors.As(wrong.err, &value) {
			e = testigo.Invalid("--"+value.GetFlag().Name, "%q is no %s", visibleLine(value.GetValue()), kindOfValue(value.GetFlag()))
		}
		return e.WithNext("%s --help; an argument that starts with a dash goes behind --", wrong.command)
	}
	return err
}

// flagError is cobra's complaint about a flag with the command it was given to.
type flagError struct {
	command string
	err     error
}

func (e *flagError) Error() string { return e.err.Error() }
func (e *flagError) Unwrap() error { return e.err }

// kindOfValue says what a flag takes.
func kindOfValue(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int", "intSlice":
		return "whole number"
	case "float64":
		return "number"
	case "bool":
		return "true or false"
	}
	return f.Value.Type()
}

// panicked turns a fault of ours into an error. The stack helps only who asked for it.
func (a *app) panicked(v any) error {
	if a.env.Getenv("TESTIGO_DEBUG") != "" {
		fmt.Fprintf(a.env.Err, "%v\n%s\n", v, debug.Stack())
	}
	return testigo.Errorf(testigo.CodeInternal, "internal error").WithNext("testigo doctor; TESTIGO_DEBUG=1 shows where it happened")
}

// orRun returns the replacement of a command's run function when a test gave one.
func orRun[O any](a *app, replacement func(context.Context, O) error, run func(context.Context, *app, O) error) func(context.Context, O) error {
	if replacement != nil {
		return replacement
	}
	return func(ctx context.Context, o O) error { return run(ctx, a, o) }
}

// notZero refuses a zero that was given: as a limit or a version it can only be a mistake, and left out it means the default.
func notZero(cmd *cobra.Command, flags ...string) error {
	for _, name := range flags {
		if f := cmd.Flag(name); f != nil && f.Changed && f.Value.String() == "0" {
			return usageField("--"+name, "must be 1 or more").WithNext("%s --help", cmd.CommandPath())
		}
	}
	return nil
}

// arguments checks how many arguments a command was given, in words that name the unused one.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usage(cmd.CommandPath(), "%s is missing; usage: %s", what, cmd.UseLine())
		case most >= 0 && len(args) > most:
			return usage(cmd.CommandPath(), "unused argument %q", visibleLine(args[most]))
		}
		return nil
	}
}
