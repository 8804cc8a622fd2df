package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	// callLimit bounds one call of a client, which takes about a second.
	callLimit = 60 * time.Second
	// runLimit bounds everything.
	runLimit = 10 * time.Minute
	// waitDelay is how long the output of a killed process is waited for.
	waitDelay = 2 * time.Second
)

// place is where an agent works: all clients share the project and the store, and nothing else.
type place struct {
	testigo, db string
	project     string
	home        string
	path        string // of executables: Node 22 first
	agent       string
}

func (p place) who() string { return p.agent }

// prepare gives a client its own home, and no way out of the machine.
func (p place) prepare(cmd *exec.Cmd, env ...string) {
	const nowhere = "http://127.0.0.1:9" // the discard port: connections are refused
	cmd.Dir = p.project
	cmd.WaitDelay = waitDelay
	cmd.Env = append([]string{"HOME=" + p.home, "TMPDIR=" + p.home, "PATH=" + p.path, "LANG=C.UTF-8", "NO_COLOR=1",
		"HTTP_PROXY=" + nowhere, "HTTPS_PROXY=" + nowhere, "ALL_PROXY=" + nowhere, "NO_PROXY=127.0.0.1,localhost"}, env...)
}

// output runs a program to its end and returns what it printed.
func (p place) output(ctx context.Context, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	p.prepare(cmd, "TESTIGO_DB="+p.db)
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w: %s %s", filepath.Base(program), strings.Join(args, " "), err, clip(errs.String()), clip(out.String()))
	}
	return strings.TrimSpace(out.String()), nil
}

// cli is the testigo command line.
type cli struct{ place }

func (c *cli) run(ctx context.Context, args ...string) (string, error) {
	return c.output(ctx, c.testigo, args...)
}

type options struct {
	testigo, node, inspector, codex, claude, mocks string
}

func main() {
	var o options
	flag.StringVar(&o.testigo, "testigo", "", "the built binary")
	flag.StringVar(&o.node, "node", "", "folder with Node 22")
	flag.StringVar(&o.inspector, "inspector", "", "the inspector's script")
	flag.StringVar(&o.codex, "codex", "", "the Codex binary; without it Codex is left out")
	flag.StringVar(&o.claude, "claude", "", "the Claude Code binary; without it Claude Code is left out")
	flag.StringVar(&o.mocks, "mocks", "", "folder with the mock models' sources")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	err := run(ctx, o)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "hosts:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	dir, err := os.MkdirTemp("", "testigo-hosts-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if o.codex == "" && o.claude == "" {
		return errors.New("no coding agent was given")
	}
	s := stage{options: o, dir: dir}
	scout := &inspector{node: filepath.Join(o.node, "node"), script: o.inspector, era: "legacy", thread: "scout-1"}
	if scout.place, err = s.place("scout"); err != nil {
		return err
	}
	if s.cli.place, err = s.place("person"); err != nil {
		return err
	}
	if s.line, err = s.meet(ctx, scout); err != nil {
		return err
	}
	if o.codex != "" {
		if err := s.withCodex(ctx, scout); err != nil {
			return fmt.Errorf("codex: %w", err)
		}
	}
	if o.claude != "" {
		scout.era = "modern"
		if err := s.withClaude(ctx, scout); err != nil {
			return fmt.Errorf("claude code: %w", err)
		}
	}
	return nil
}

// stage is what all stories of a run have in common.
type stage struct {
	options
	dir  string
	cli  cli
	line string // first line of the server's instructions
}

func (s *stage) place(agent string) (place, error) {
	p := place{testigo: s.testigo, db: filepath.Join(s.dir, "store", "t.db"), project: filepath.Join(s.dir, "project"),
		home: filepath.Join(s.dir, "home-"+agent), path: s.node + string(os.PathListSeparator) + os.Getenv("PATH"), agent: agent}
	for _, d := range []string{filepath.Dir(p.db), p.project, p.home} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return p, err
		}
	}
	return p, nil
}

// meet lets the inspector ask the server, in both eras of the protocol, what it is for; it returns the first line.
func (s *stage) meet(ctx context.Context, i *inspector) (line string, err error) {
	var spoken []string
	old := i.era
	for _, era := range []string{"modern", "legacy"} {
		i.era = era
		a, err := i.initialize(ctx)
		if err != nil {
			return "", err
		}
		line, _, _ = strings.Cut(a.at("result.instructions"), "\n")
		if line == "" {
			return "", fmt.Errorf("the inspector was told nothing about the server: %s", clip(a.text))
		}
		spoken = append(spoken, a.at("result.protocolVersion"))
	}
	i.era = old
	version, err := i.output(ctx, i.node, i.script, "--cli", "--version")
	if err != nil {
		return "", err
	}
	fmt.Printf("inspector %s: initialised in %s; its calls are counted below\n", version, strings.Join(spoken, " and "))
	return line, nil
}

// runner is a host in which a coding agent lives.
type runner interface {
	host
	// greet lets the agent look at its tools, and returns what its model reads about the server before any call.
	greet(ctx context.Context) (string, error)
	close() error
}

func (s *stage) withCodex(ctx context.Context, scout *inspector) error {
	m, err := startMock(ctx, filepath.Join(s.mocks, "openai_responses_mock.go"), s.dir)
	if err != nil {
		return err
	}
	defer m.stop()
	p, err := s.place("executor")
	if err != nil {
		return err
	}
	c, err := newCodex(p, s.codex, m)
	if err != nil {
		return err
	}
	version, err := p.output(ctx, s.codex, "--version")
	if err != nil {
		return err
	}
	return s.play(ctx, version, scout, c, &relay{scope: "listing/482"})
}

func (s *stage) withClaude(ctx context.Context, scout *inspector) error {
	m, err := startMock(ctx, filepath.Join(s.mocks, "anthropic_mock.go"), s.dir)
	if err != nil {
		return err
	}
	defer m.stop()
	p, err := s.place("reviewer")
	if err != nil {
		return err
	}
	version, err := p.output(ctx, s.claude, "--version")
	if err != nil {
		return err
	}
	c, err := newClaude(ctx, p, s.claude, m)
	if err != nil {
		return err
	}
	defer c.kill()
	return s.play(ctx, version, scout, c, &relay{scope: "listing/514"})
}

func (s *stage) play(ctx context.Context, name string, scout host, c runner, r *relay) error {
	line, err := c.greet(ctx)
	if err != nil {
		return err
	}
	if line != s.line {
		return fmt.Errorf("the model reads %q about the server, which says %q", line, s.line)
	}
	r.scout, r.runner, r.cli, r.calls = scout, c, &s.cli, map[string]map[string]bool{}
	if err := r.run(ctx); err != nil {
		return err
	}
	if err := c.close(); err != nil {
		return err
	}
	fmt.Printf("%s: seven tools called as %s, and seven by the inspector as %s; what their models were shown, the packets and every row are right\n",
		name, c.who(), scout.who())
	return nil
}
