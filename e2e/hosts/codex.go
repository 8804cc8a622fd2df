package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// codex is OpenAI's coding agent. Every call is a turn of the same thread in a new process, as `codex exec resume` does
// it: a claim must outlive the process that made it.
type codex struct {
	place
	bin    string
	mock   *mock
	thread string
	asked  int // requests that the model was sent so far
}

// deferring is a model that Codex knows: it is shown no tools at first, only one line about each server.
const deferring = "gpt-5.5"

func newCodex(p place, bin string, m *mock) (*codex, error) {
	c := &codex{place: p, bin: bin, mock: m}
	conf := filepath.Join(p.home, ".codex")
	if err := os.MkdirAll(conf, 0o700); err != nil {
		return nil, err
	}
	return c, os.WriteFile(filepath.Join(conf, "config.toml"), fmt.Appendf(nil, `model = "mock-model"
model_provider = "mock"

[model_providers.mock]
name = "mock"
base_url = "http://%s/v1"
wire_api = "responses"

[mcp_servers.testigo]
command = %q
args = ["mcp", "--agent", %q]
env = { TESTIGO_DB = %q }
`, m.addr, p.testigo, p.agent, p.db), 0o600)
}

// exec runs one turn, and returns what was sent to the model in it.
func (c *codex) exec(ctx context.Context, args ...string) ([]request, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.bin, append([]string{"exec"}, args...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	c.prepare(cmd)
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("codex failed: %w: %s %s", err, clip(errs.String()), clip(out.String()))
	}
	line, _, _ := strings.Cut(out.String(), "\n")
	var first struct {
		ThreadID string `json:"thread_id"`
	}
	if err := json.Unmarshal([]byte(line), &first); err != nil || first.ThreadID == "" {
		return nil, fmt.Errorf("codex named no thread: %s", clip(out.String()))
	}
	c.thread = first.ThreadID
	sent, err := c.mock.requests(c.asked)
	if err != nil {
		return nil, err
	}
	c.asked += len(sent)
	if len(sent) == 0 {
		return nil, fmt.Errorf("codex asked no model: %s %s", clip(errs.String()), clip(out.String()))
	}
	return sent, nil
}

// greet starts a session with a model that Codex knows, and returns the line that tells it what the server is for.
func (c *codex) greet(ctx context.Context) (string, error) {
	sent, err := c.exec(ctx, "--skip-git-repo-check", "--json", "-m", deferring, "hello [[mock:say=hello]]")
	c.thread = ""
	if err != nil {
		return "", err
	}
	var body struct {
		Input []struct {
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal(sent[0].Body, &body); err != nil {
		return "", err
	}
	for _, item := range body.Input {
		for _, part := range item.Content {
			if _, rest, ok := strings.Cut(part.Text, "- mcp__testigo: "); ok {
				line, _, _ := strings.Cut(rest, "\n")
				return line, nil
			}
		}
	}
	return "", errors.New("codex did not name the server to its model")
}

func (c *codex) call(ctx context.Context, tool, args string) (string, error) {
	turn := []string{"--skip-git-repo-check", "--json", prompt("mcp__testigo::"+tool, args)}
	thread := c.thread
	if thread != "" {
		turn = append([]string{"resume", thread}, turn...)
	}
	sent, err := c.exec(ctx, turn...)
	switch {
	case err != nil:
		return "", err
	case thread != "" && thread != c.thread:
		return "", fmt.Errorf("codex went on in thread %s instead of %s", c.thread, thread)
	}
	var body struct {
		Input []struct {
			CallID string `json:"call_id"`
			Output string
		}
	}
	if err := json.Unmarshal(sent[len(sent)-1].Body, &body); err != nil {
		return "", fmt.Errorf("codex sent its model something unexpected: %w", err)
	}
	id := fmt.Sprintf("call_mock_%d", sent[0].N)
	for _, item := range body.Input {
		if item.CallID == id && item.Output != "" {
			_, text, ok := strings.Cut(item.Output, "\nOutput:\n")
			if !ok {
				return "", fmt.Errorf("codex showed its model: %s", clip(item.Output))
			}
			return text, nil
		}
	}
	return "", fmt.Errorf("codex showed its model no output of %s", tool)
}

func (c *codex) close() error { return nil }
