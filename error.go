package testigo

import (
	"errors"
	"fmt"
)

// Code is the machine-readable kind of an error: one word, the same on the command line, in MCP, over HTTP and in the
// documentation.
type Code string

// The error codes. Exit codes and HTTP statuses come from the table below and from nowhere else.
const (
	CodeNotFound    Code = "not_found"   // the named thing does not exist here
	CodeConflict    Code = "conflict"    // the caller's expectation differs from what is stored
	CodeGone        Code = "gone"        // it existed, or was held, and has passed on
	CodeLocked      Code = "locked"      // somebody else holds the store; try again
	CodeTooNew      Code = "too_new"     // written by a newer, incompatible version
	CodeUnreachable Code = "unreachable" // the store or a peer cannot be opened
	CodeInvalid     Code = "invalid"     // an argument breaks a rule
	CodeForbidden   Code = "forbidden"   // the caller may not do this
	CodeRefused     Code = "refused"     // allowed in general, not in this situation
	CodeFull        Code = "full"        // no space, or a quota is used up
	CodeDamaged     Code = "damaged"     // stored data fails its own check
	CodeInternal    Code = "internal"    // a fault of ours
)

// Exit codes of the command line. Usage errors (2) and interruption (130) are decided by the face, not by a code.
const (
	ExitOK          = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitDamaged     = 3
	ExitInterrupted = 130
)

// codeTable is the one place that says what a code means to a shell and to an HTTP client.
var codeTable = map[Code]struct{ exit, http int }{
	CodeNotFound:    {ExitFailed, 404},
	CodeConflict:    {ExitFailed, 409},
	CodeGone:        {ExitFailed, 410},
	CodeLocked:      {ExitFailed, 423},
	CodeTooNew:      {ExitFailed, 409},
	CodeUnreachable: {ExitFailed, 503},
	CodeInvalid:     {ExitUsage, 400},
	CodeForbidden:   {ExitFailed, 403},
	CodeRefused:     {ExitFailed, 409},
	CodeFull:        {ExitFailed, 507},
	CodeDamaged:     {ExitDamaged, 500},
	CodeInternal:    {ExitFailed, 500},
}

// Exit returns the process exit code for c.
func (c Code) Exit() int {
	if row, ok := codeTable[c]; ok {
		return row.exit
	}
	return ExitFailed
}

// HTTPStatus returns the HTTP status for c.
func (c Code) HTTPStatus() int {
	if row, ok := codeTable[c]; ok {
		return row.http
	}
	return 500
}

// Codes lists every code with its exit code and HTTP status, for help texts and documentation.
func Codes() []Code {
	return []Code{CodeNotFound, CodeConflict, CodeGone, CodeLocked, CodeTooNew, CodeUnreachable, CodeInvalid,
		CodeForbidden, CodeRefused, CodeFull, CodeDamaged, CodeInternal}
}

// Error is the only error type that reaches a user. Msg says what is wrong in words for people and never contains SQL,
// stack traces or stored secrets. Next names a safe next step: a call or command that destroys nothing.
type Error struct {
	Code Code
	Msg  string
	// Field names the argument at fault, if one is.
	Field string
	// Next is a safe next step, such as "recall scope/key" or "testigo doctor".
	Next string
	// Data carries machine-readable facts a caller needs to go on, such as the current version after a conflict.
	// It must marshal to JSON.
	Data any
	// Err is the cause, for logs only.
	Err error
}

func (e *Error) Error() string {
	s := e.Msg
	if e.Field != "" {
		s = e.Field + ": " + s
	}
	if e.Next != "" {
		s += " (next: " + e.Next + ")"
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error with a formatted message.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Msg: fmt.Sprintf(format, args...)}
}

// Invalid makes a CodeInvalid error about one argument.
func Invalid(field, format string, args ...any) *Error {
	return &Error{Code: CodeInvalid, Field: field, Msg: fmt.Sprintf(format, args...)}
}

// WithNext returns a copy of e that names a safe next step.
func (e *Error) WithNext(format string, args ...any) *Error {
	c := *e
	c.Next = fmt.Sprintf(format, args...)
	return &c
}

// WithData returns a copy of e that carries machine-readable facts.
func (e *Error) WithData(data any) *Error {
	c := *e
	c.Data = data
	return &c
}

// CodeOf returns the code of err: CodeInternal for an error that is not ours, "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}

// AsError returns err as an *Error. A foreign error becomes CodeInternal with a text that leaks nothing; the cause
// stays reachable through Unwrap.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Code: CodeInternal, Msg: "internal error", Next: "testigo doctor", Err: err}
}
