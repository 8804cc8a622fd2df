package stdio

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/testigo/testigo/bench/measure"
)

// Era is a generation of the protocol.
type Era string

// The two eras that agents speak today.
const (
	Handshake Era = "2025-06-18"
	Stateless Era = "2026-07-28"
)

// Client is a running server and the connection to it.
type Client struct {
	cmd  *exec.Cmd
	era  Era
	in   io.WriteCloser
	out  *bufio.Reader
	last int
}

// Command says how a server is started.
type Command struct {
	Args []string
	Env  []string // all of it
	Dir  string
}

// Start starts a server and says hello where the era has that.
func Start(ctx context.Context, c Command, era Era) (*Client, error) {
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	cmd.Env, cmd.Dir = c.Env, c.Dir
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &Client{cmd: cmd, era: era, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	if err := s.hello(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

var clientInfo = map[string]any{"name": "testigo-bench", "version": "1"}

func (s *Client) hello() error {
	if s.era == Stateless {
		return nil
	}
	_, err := s.Request("initialize", map[string]any{"protocolVersion": s.era, "capabilities": map[string]any{}, "clientInfo": clientInfo})
	if err != nil {
		return err
	}
	return s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

// Request sends one request and waits for its answer.
func (s *Client) Request(method string, params map[string]any) (json.RawMessage, error) {
	if s.era == Stateless {
		params["_meta"] = map[string]any{"io.modelcontextprotocol/protocolVersion": s.era,
			"io.modelcontextprotocol/clientCapabilities": map[string]any{}, "io.modelcontextprotocol/clientInfo": clientInfo}
	}
	s.last++
	if err := s.send(map[string]any{"jsonrpc": "2.0", "id": s.last, "method": method, "params": params}); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	timer := time.AfterFunc(answerTime, s.kill)
	defer timer.Stop()
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("%s: no answer: %w", method, err)
		}
		var answer struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Result json.RawMessage `json:"result"`
			Error  *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if json.Unmarshal(line, &answer) != nil || answer.Method != "" || string(answer.ID) != fmt.Sprint(s.last) {
			continue
		}
		if answer.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, answer.Error.Message)
		}
		return answer.Result, nil
	}
}

// Call calls a tool and returns its text. A tool that says it failed is an error.
func (s *Client) Call(tool string, arguments map[string]any) (string, error) {
	raw, err := s.Request("tools/call", map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		return "", err
	}
	var res struct {
		IsError bool `json:"isError"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal(raw, &res); err != nil {
		return "", fmt.Errorf("%s: %w", tool, err)
	}
	var b strings.Builder
	for _, c := range res.Content {
		b.WriteString(c.Text)
	}
	if res.IsError {
		return "", fmt.Errorf("%s: %s", tool, b.String())
	}
	return b.String(), nil
}

// Tools lists the server's tools by name.
func (s *Client) Tools() ([]string, error) {
	raw, err := s.Request("tools/list", map[string]any{})
	if err != nil {
		return nil, err
	}
	var res struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(raw, &res); err != nil {
		return nil, err
	}
	var names []string
	for _, t := range res.Tools {
		names = append(names, t.Name)
	}
	if len(names) == 0 {
		return nil, errors.New("the server has no tools")
	}
	return names, nil
}

func (s *Client) send(message map[string]any) error {
	b, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = s.in.Write(append(b, '\n'))
	return err
}

// Memory is the resident memory of the server now and at its peak, in bytes.
func (s *Client) Memory() (now, peak int64, err error) { return measure.Memory(s.cmd.Process.Pid) }

// answerTime is how long a server may think about one request before it is killed.
const answerTime = 2 * time.Minute

func (s *Client) kill() {
	s.cmd.Process.Kill() //nolint:errcheck // it may be gone
}

// patience is how long a server may take to end by itself when its input has ended.
const patience = 5 * time.Second

// Close ends the server by closing its input; one that stays is killed.
func (s *Client) Close() error {
	err := s.in.Close()
	timer := time.AfterFunc(patience, s.kill)
	defer timer.Stop()
	io.Copy(io.Discard, s.out) //nolint:errcheck // whatever it still says
	var exit *exec.ExitError
	if ended := s.cmd.Wait(); ended != nil && !errors.As(ended, &exit) {
		err = errors.Join(err, ended)
	}
	return err
}
