package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"

	"github.com/testigo/testigo/bench/measure"
)

// child is one writing process.
type child struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	talk *bufio.Reader
	out  bytes.Buffer
}

// together starts n processes, lets them go at the same moment and collects what they did.
func together(ctx context.Context, n int, argv func(process int) []string) ([]measure.Run, error) {
	ctx, stop := context.WithCancel(ctx) // ends those that are left when one fails
	defer stop()
	var children []*child
	for p := range n {
		c, err := start(ctx, argv(p))
		if err != nil {
			return nil, err
		}
		children = append(children, c)
	}
	for _, c := range children {
		if line, err := c.talk.ReadString('\n'); err != nil || line != "ready\n" {
			return nil, fmt.Errorf("%q said %q: %w", c.cmd.Args, line, errors.Join(err, c.cmd.Wait()))
		}
	}
	for _, c := range children {
		if _, err := io.WriteString(c.in, "go\n"); err != nil {
			return nil, err
		}
	}
	runs := make([]measure.Run, n)
	for i, c := range children {
		rest, err := io.ReadAll(c.talk)
		if err = errors.Join(err, c.cmd.Wait()); err != nil {
			return nil, fmt.Errorf("%q: %w: %s", c.cmd.Args, err, rest)
		}
		if err := json.Unmarshal(c.out.Bytes(), &runs[i]); err != nil {
			return nil, fmt.Errorf("%q printed %q: %w", c.cmd.Args, c.out.String(), err)
		}
	}
	return runs, nil
}

func start(ctx context.Context, argv []string) (*child, error) {
	c := &child{cmd: exec.CommandContext(ctx, argv[0], argv[1:]...)}
	c.cmd.Stdout = &c.out
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	talk, err := c.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	c.in, c.talk = in, bufio.NewReader(talk)
	return c, c.cmd.Start()
}
