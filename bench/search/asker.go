package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// asker is a program that waits for questions (see bare.Main). It tells the time of each as it measured it, without the
// pipe. Each contender has a process of its own, because connections of one process share SQLite's page cache: the driver
// is built so that they take pages from one another.
type asker struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startAsker(ctx context.Context, argv ...string) (*asker, error) {
	a := &asker{cmd: exec.CommandContext(ctx, argv[0], argv[1:]...)}
	a.cmd.Stderr = os.Stderr
	in, err := a.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	a.in, a.out = in, bufio.NewReader(out)
	return a, a.cmd.Start()
}

func (a *asker) name(project, scope, key string) (ms float64, err error) {
	return a.ask("name\t" + project + "\t" + scope + "\t" + key)
}

func (a *asker) search(match string) (ms float64, err error) { return a.ask("search\t" + match) }

func (a *asker) ask(question string) (ms float64, err error) {
	if _, err := fmt.Fprintln(a.in, question); err != nil {
		return 0, err
	}
	line, err := a.out.ReadString('\n')
	if err != nil {
		return 0, fmt.Errorf("%s has no answer to %q: %w", a.cmd.Args[0], question, err)
	}
	return strconv.ParseFloat(strings.TrimSpace(line), 64)
}

func (a *asker) close() error {
	if a == nil {
		return nil
	}
	return errors.Join(a.in.Close(), a.cmd.Wait())
}
