package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// gitTime bounds everything one Capture or Compare does, hashing included.
const gitTime = 2 * time.Second

// killGrace is how long pipes may stay open after git was told to end.
const killGrace = 100 * time.Millisecond

var (
	errNoGit  = errors.New("git is not installed")
	errEnough = errors.New("the reader has enough")
)

// git runs the program in one directory.
type git struct {
	program string
	dir     string
	// off are settings of the repository that would start programs, overridden with nothing.
	off []string
}

// hardening switches off what could start a program, ask a question, change the repository or reach the network.
var hardening = []string{
	"--no-pager", "--no-optional-locks", "--literal-pathspecs",
	"-c", "core.fsmonitor=false",
	"-c", "core.hooksPath=" + os.DevNull,
	"-c", "core.pager=cat",
	"-c", "core.quotePath=false",
	"-c", "core.askPass=",
	"-c", "core.sshCommand=false",
	"-c", "credential.helper=",
	"-c", "diff.external=",
	"-c", "log.showSignature=false",
	"-c", "submodule.recurse=false",
	"-c", "protocol.allow=never",
}

// environment is the caller's without git's own variables, which point a process at somebody else's repository. Those
// that name the user's settings files stay.
func environment(base []string) []string {
	env := make([]string, 0, len(base)+6)
	for _, v := range base {
		name, _, _ := strings.Cut(v, "=")
		switch up := strings.ToUpper(name); {
		case up == "GIT_CONFIG_GLOBAL", up == "GIT_CONFIG_SYSTEM", up == "GIT_CONFIG_NOSYSTEM":
		case strings.HasPrefix(up, "GIT_"), up == "LC_ALL", up == "LANGUAGE":
			continue
		}
		env = append(env, v)
	}
	return append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=") // an empty list allows no transport, whatever the settings say
}

// run starts git and hands its output to read, which may stop early by returning an error.
func (g git) run(ctx context.Context, input string, read func(io.Reader) error, args ...string) error {
	program, err := exec.LookPath(g.program)
	if err != nil {
		return errNoGit
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	all := append([]string{"-C", g.dir}, hardening...)
	all = append(append(all, g.off...), args...)
	cmd := exec.CommandContext(ctx, program, all...)
	ownGroup(cmd)
	cmd.Dir, cmd.Env, cmd.WaitDelay = g.dir, environment(os.Environ()), killGrace
	if input != "" {
		cmd.Stdin = strings.NewReader(input)
	}
	var stderr limited
	cmd.Stderr = &stderr
	// Reading goes through a pipe of our own: a grandchild may hold git's output open after git was ended, and only
	// Wait knows when to give it up.
	out, in := io.Pipe()
	cmd.Stdout = in
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("git does not start: %w", err)
	}
	done := make(chan error, 1)
	go func() {
		err := read(out)
		if err != nil {
			cancel()
		}
		_ = out.CloseWithError(errEnough)
		done <- err
	}()
	waitErr := cmd.Wait()
	_ = in.CloseWithError(context.Cause(ctx)) // a list cut by the time limit must not look whole
	readErr := <-done
	switch {
	case readErr != nil:
		return readErr
	case waitErr != nil:
		return &gitError{err: waitErr, said: stderr.firstLine()}
	}
	return nil
}

// text runs git and returns what it prints, without the final newline. More than limit bytes are an error.
func (g git) text(ctx context.Context, limit int64, args ...string) (string, error) {
	return g.ask(ctx, "", limit, args...)
}

func (g git) ask(ctx context.Context, input string, limit int64, args ...string) (string, error) {
	var out []byte
	err := g.run(ctx, input, func(r io.Reader) error {
		var err error
		out, err = io.ReadAll(io.LimitReader(r, limit+1))
		if err == nil && int64(len(out)) > limit {
			err = fmt.Errorf("git printed more than %d KiB", limit>>10)
		}
		return err
	}, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// gitError is git's own refusal.
type gitError struct {
	err  error
	said string
}

func (e *gitError) Error() string {
	if e.said == "" {
		return "git failed: " + e.err.Error()
	}
	return "git: " + e.said
}

func (e *gitError) Unwrap() error { return e.err }

// explain puts an error into words for a packet.
func explain(ctx context.Context, err error) string {
	switch {
	case errors.Is(err, errNoGit):
		return "git is not installed: branch, commit and changed files are unknown"
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "the time limit was reached before git was done"
	case ctx.Err() != nil:
		return "interrupted before git was done"
	}
	return err.Error()
}

// limited keeps the first kilobyte of what is written to it.
type limited struct{ b bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	if room := 1024 - l.b.Len(); room > 0 {
		l.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (l *limited) firstLine() string {
	line, _, _ := strings.Cut(strings.TrimSpace(l.b.String()), "\n")
	return clip(plain(line), 200)
}
