package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
)

// inspector is the MCP inspector's command line: one process, and one server, for every call.
type inspector struct {
	place
	node   string
	script string // mcp-inspector, run by node
	era    string
	thread string
}

func (i *inspector) run(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	// The inspector gives a server none of its own environment but what -e names.
	args = append([]string{i.script, "--cli", i.testigo, "mcp", "--agent", i.agent, "-e", "TESTIGO_DB=" + i.db,
		"--protocol-era", i.era, "--format", "json"}, args...)
	cmd := exec.CommandContext(ctx, i.node, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	i.prepare(cmd, "MCP_INSPECTOR_SECRET_STORE=memory")
	// 5 says that the tool refused, which is an answer as well.
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 5 {
		return "", fmt.Errorf("the inspector failed: %w: %s %s", err, clip(errs.String()), clip(out.String()))
	}
	return out.String(), nil
}

// initialize returns what the server said about itself.
func (i *inspector) initialize(ctx context.Context) (answer, error) {
	out, err := i.run(ctx, "--method", "initialize")
	if err != nil {
		return answer{}, err
	}
	return read(out)
}

// call also checks that both forms of the answer say the same: clients show their model one of them.
func (i *inspector) call(ctx context.Context, tool, args string) (string, error) {
	out, err := i.run(ctx, "--method", "tools/call", "--tool-name", tool, "--tool-args-json", args,
		"--tool-metadata", "threadId="+i.thread)
	if err != nil {
		return "", err
	}
	var r struct {
		Result struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Result.Content) != 1 {
		return "", fmt.Errorf("the inspector printed no single result: %s", clip(out))
	}
	text := strings.TrimSpace(r.Result.Content[0].Text)
	if !same(text, string(r.Result.StructuredContent)) {
		return "", fmt.Errorf("%s says two things:\n%s\n%s", tool, clip(text), clip(string(r.Result.StructuredContent)))
	}
	return text, nil
}

func same(a, b string) bool {
	x, err := read(a)
	if err != nil {
		return false
	}
	y, err := read(b)
	if err != nil {
		return false
	}
	p, err := json.Marshal(x.value)
	if err != nil {
		return false
	}
	q, err := json.Marshal(y.value)
	return err == nil && bytes.Equal(p, q)
}
