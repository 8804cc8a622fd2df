package cli

import (
	"io"
	"os"
	"os/user"
	"runtime"
	"time"

	"golang.org/x/term"
)

// Env is what a command knows of the process around it. Commands ask it and never package os, so that a test can be any
// terminal, user and directory.
type Env struct {
	// Args are the arguments behind the program's name.
	Args []string
	In   io.Reader
	Out  io.Writer
	Err  io.Writer
	// Getenv answers "" for a variable that is not set: an empty one counts as not set everywhere.
	Getenv func(string) string
	// Dir is the working directory; its error is the user's to see only where a directory is needed.
	Dir func() (string, error)
	// Login is the operating system's name for the person, "" when unknown.
	Login func() string
	// OS is the runtime's name of the operating system; it decides where data lives by default.
	OS string
	// Exe is the path of the running program, "" when unknown.
	Exe string
	// InTTY, OutTTY and ErrTTY say which streams are terminals, Width how many columns Out has (0: do not wrap).
	InTTY, OutTTY, ErrTTY bool
	Width                 int
	// Local is the time zone that times are told in.
	Local *time.Location
}

// FromOS describes the running process.
func FromOS() Env {
	e := Env{
		Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Getenv: os.Getenv, Dir: os.Getwd, Login: login, OS: runtime.GOOS, Local: time.Local,
		InTTY: isTerminal(os.Stdin), OutTTY: isTerminal(os.Stdout), ErrTTY: isTerminal(os.Stderr),
	}
	if exe, err := os.Executable(); err == nil {
		e.Exe = exe
	}
	if e.OutTTY {
		if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
			e.Width = w
		}
	}
	return e
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

func login() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}

// workDir is the directory in the form the use cases ask for it: "" when there is none.
func (e Env) workDir() string {
	dir, err := e.Dir()
	if err != nil {
		return ""
	}
	return dir
}

// colour reports whether text on Out may be coloured: on a terminal, or when CLICOLOR_FORCE asks for it, and only when
// nobody said no.
func (e Env) colour(flagOff bool) bool {
	wanted := e.OutTTY || e.Getenv("CLICOLOR_FORCE") != ""
	return wanted && !flagOff && e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb"
}
