package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// claude is Anthropic's coding agent: one process, one server and one session for all calls.
type claude struct {
	place
	mock  *mock
	asked int
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   chan []byte // lines; closed at the end
	errs  bytes.Buffer
	kill  context.CancelFunc
}

// deferred are the tools that Claude Code's model must search for before it can call them; the others ask to be loaded.
var deferred = []string{"handoff", "history", "memory_stats", "record_outcome"}

func newClaude(ctx context.Context, p place, bin string, m *mock) (*claude, error) {
	conf, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"testigo": map[string]any{"type": "stdio",
		"command": p.testigo, "args": []string{"mcp", "--agent", p.agent}, "env": map[string]string{"TESTIGO_DB": p.db}}}})
	if err != nil {
		return nil, err
	}
	file := filepath.Join(p.home, "mcp.json")
	if err := os.WriteFile(file, conf, 0o600); err != nil {
		return nil, err
	}
	ctx, kill := context.WithCancel(ctx)
	c := &claude{place: p, mock: m, out: make(chan []byte), kill: kill}
	c.cmd = exec.CommandContext(ctx, bin, "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
		"--mcp-config", file, "--strict-mcp-config", "--allowedTools", "mcp__testigo")
	c.cmd.Stderr = &c.errs
	c.prepare(c.cmd, "ANTHROPIC_BASE_URL=http://"+m.addr, "ANTHROPIC_API_KEY=none", "DISABLE_AUTOUPDATER=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1")
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		kill()
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		kill()
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		kill()
		return nil, fmt.Errorf("claude does not start: %w", err)
	}
	go func() {
		defer close(c.out)
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadBytes('\n')
			if err != nil {
				return
			}
			select {
			case c.out <- line:
			case <-ctx.Done():
				return
			}
		}
	}()
	return c, nil
}

// turn sends one user message, waits for the end of the turn, and returns what was sent to the model in it.
func (c *claude) turn(text string) ([]request, error) {
	msg, err := json.Marshal(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": text}})
	if err != nil {
		return nil, err
	}
	if _, err := c.in.Write(append(msg, '\n')); err != nil {
		return nil, fmt.Errorf("claude takes no message: %w", err)
	}
	limit := time.NewTimer(callLimit)
	defer limit.Stop()
	for {
		select {
		case line, more := <-c.out:
			if !more {
				return nil, c.failed("claude ended")
			}
			done, err := c.heard(line)
			if err != nil {
				return nil, err
			}
			if !done {
				continue
			}
			sent, err := c.mock.requests(c.asked)
			c.asked += len(sent)
			if err == nil && len(sent) == 0 {
				err = c.failed("claude asked no model")
			}
			return sent, err
		case <-limit.C:
			return nil, c.failed(fmt.Sprintf("claude did not end its turn in %s", callLimit))
		}
	}
}

// failed ends the process, so that what it said can be read.
func (c *claude) failed(what string) error {
	c.kill()
	_ = c.cmd.Wait()
	return fmt.Errorf("%s: %s", what, clip(c.errs.String()))
}

// heard reads a line that the client printed, and reports whether the turn is over.
func (c *claude) heard(line []byte) (done bool, err error) {
	var l struct {
		Type    string
		Subtype string
		IsError bool                            `json:"is_error"`
		Servers []struct{ Name, Status string } `json:"mcp_servers"`
	}
	if err := json.Unmarshal(line, &l); err != nil {
		return false, fmt.Errorf("claude printed %s", clip(string(line)))
	}
	switch {
	case l.Subtype == "init" && (len(l.Servers) != 1 || l.Servers[0].Status != "connected"):
		return false, fmt.Errorf("claude is not connected: %v", l.Servers)
	case l.Type == "result" && (l.IsError || l.Subtype != "success"):
		return false, fmt.Errorf("claude's turn failed: %s", clip(string(line)))
	}
	return l.Type == "result", nil
}

// greet lets the model find the tools it was not shown, and returns the first line that it read about the server.
func (c *claude) greet(context.Context) (string, error) {
	var names []string
	for _, t := range deferred {
		names = append(names, "mcp__testigo__"+t)
	}
	sent, err := c.turn(prompt("ToolSearch", fmt.Sprintf(`{"query":"select:%s","max_results":9}`, strings.Join(names, ","))))
	if err != nil {
		return "", err
	}
	first, last := string(sent[0].Body), string(sent[len(sent)-1].Body)
	for _, t := range deferred {
		if def := fmt.Sprintf(`"name":"mcp__testigo__%s"`, t); strings.Contains(first, def) || !strings.Contains(last, def) {
			return "", fmt.Errorf("claude's model was to find %s by searching, and did not", t)
		}
	}
	_, rest, ok := strings.Cut(first, `## testigo\n`)
	if !ok {
		return "", fmt.Errorf("claude did not tell its model what the server is for: %s", clip(first))
	}
	line, _, _ := strings.Cut(rest, `\n`)
	return line, nil
}

func (c *claude) call(_ context.Context, tool, args string) (string, error) {
	sent, err := c.turn(prompt("mcp__testigo__"+tool, args))
	if err != nil {
		return "", err
	}
	var body struct {
		Messages []struct{ Content json.RawMessage }
	}
	if err := json.Unmarshal(sent[len(sent)-1].Body, &body); err != nil {
		return "", fmt.Errorf("claude sent its model something unexpected: %w", err)
	}
	id := fmt.Sprintf("toolu_mock_%d", sent[0].N)
	for _, m := range body.Messages {
		var parts []struct {
			ToolUseID string `json:"tool_use_id"`
			Content   json.RawMessage
		}
		if json.Unmarshal(m.Content, &parts) != nil { // a message of plain text
			continue
		}
		for _, p := range parts {
			if p.ToolUseID == id {
				return shown(p.Content)
			}
		}
	}
	return "", fmt.Errorf("claude showed its model no output of %s", tool)
}

// shown reads a tool result: a string, or blocks of text.
func shown(raw json.RawMessage) (string, error) {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s, nil
	}
	var blocks []struct{ Text string }
	if err := json.Unmarshal(raw, &blocks); err != nil {
		return "", fmt.Errorf("claude showed its model: %s", clip(string(raw)))
	}
	for _, b := range blocks {
		s += b.Text
	}
	return s, nil
}

// close ends the session as a user does: there is no more input.
func (c *claude) close() error {
	_ = c.in.Close()
	limit := time.AfterFunc(callLimit, c.kill)
	defer limit.Stop()
	for range c.out { // until it ends
	}
	err := c.cmd.Wait()
	c.kill()
	if err != nil {
		return fmt.Errorf("claude ended badly: %w: %s", err, clip(c.errs.String()))
	}
	return nil
}
