package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/testigo/testigo"
)

// usage makes the error of a call that cannot be parsed. It ends with exit code 2, as every CodeInvalid does.
func usage(command, format string, args ...any) error {
	return testigo.Errorf(testigo.CodeInvalid, format, args...).WithNext("%s --help", command)
}

// exitCode is the number a run ends with.
func exitCode(ctx context.Context, err error) int {
	switch {
	case err == nil:
		return testigo.ExitOK
	case interrupted(ctx, err):
		return testigo.ExitInterrupted
	}
	return testigo.CodeOf(err).Exit()
}

// interrupted reports whether err is the consequence of a signal rather than a fault of its own.
func interrupted(ctx context.Context, err error) bool {
	return errors.Is(err, context.Canceled) || ctx.Err() != nil
}

// jsonError is the contract of an error with --json: one object on stderr.
type jsonError struct {
	Error struct {
		Code    testigo.Code `json:"code"`
		Message string       `json:"message"`
		Field   string       `json:"field,omitempty"`
		Next    string       `json:"next,omitempty"`
		Data    any          `json:"data,omitempty"`
	} `json:"error"`
}

// report tells an error to whoever started the command, in the words of that command.
func (a *app) report(ctx context.Context, err error) {
	e := typedError(a.cmd, err)
	if interrupted(ctx, err) {
		e = testigo.Errorf("interrupted", "interrupted; what was acknowledged is kept")
	}
	if a.global.JSON {
		var out jsonError
		out.Error.Code, out.Error.Message, out.Error.Field, out.Error.Next, out.Error.Data = e.Code, e.Msg, e.Field, e.Next, e.Data
		b, merr := marshal(out)
		if merr != nil { // Data that does not marshal must not hide the error
			out.Error.Data = nil
			b, _ = marshal(out) //nolint:errcheck // strings always marshal
		}
		a.env.Err.Write(b) //nolint:errcheck // there is nobody left to tell
		return
	}
	a.writeError(e)
	if a.env.Getenv("TESTIGO_DEBUG") != "" && e.Err != nil {
		fmt.Fprintf(a.env.Err, "  cause: %s\n", visible(e.Err.Error()))
	}
}

func (a *app) writeError(e *testigo.Error) {
	msg := e.Msg
	if e.Field != "" {
		msg = e.Field + ": " + msg
	}
	a.tell("testigo: ", msg)
	if e.Next != "" {
		a.tell("  next: ", e.Next)
	}
}

// tell writes a text of possibly several lines to stderr, broken to the terminal's width and behind a head of ours, so that
// no line of it passes for one of ours.
func (a *app) tell(head, text string) {
	const margin = 4
	width := 0
	if a.env.ErrTTY {
		width = a.env.Width
	}
	for i, l := range strings.Split(visible(text), "\n") {
		if i > 0 {
			head = strings.Repeat(" ", margin)
		}
		fmt.Fprintln(a.env.Err, hanging(head+l, width, margin))
	}
}

// marshal writes v as one line of JSON as every command prints it.
func marshal(v any) ([]byte, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return escapeJSON([]byte(b.String())), nil
}
