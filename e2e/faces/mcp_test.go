package faces_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/mcp"
	"github.com/testigo/testigo/sqlite"
	"github.com/testigo/testigo/workspace"
)

// servers is one MCP server for each agent, as each host starts its own, on one file.
type servers struct {
	dir, db string
	clients map[string]*client
}

// client is the host's end of one server. It asks one thing at a time.
type client struct {
	in    io.Writer
	lines *bufio.Scanner
	id    int
}

func newServers(t *testing.T, dir string) *servers {
	t.Helper()
	return &servers{dir: dir, db: filepath.Join(t.TempDir(), "testigo.db"), clients: map[string]*client{}}
}

func (s *servers) arrive(t *testing.T, agent string) {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan error, 1)
	ctx := context.WithoutCancel(t.Context()) // the end of input ends it, in the cleanup below
	go func() {
		err := mcp.Serve(ctx, mcp.Options{In: inR, Out: outW, Agent: agent, Version: "test",
			Open: func(ctx context.Context) (testigo.Store, error) {
				return sqlite.Open(ctx, s.db, sqlite.Options{Create: true, Role: sqlite.Server, Clock: steady()})
			},
			Dir: func() string { return s.dir }, Where: workspace.Options{EnvProject: project},
			Env: func(name string) string {
				if name == "CLAUDE_CODE_SESSION_ID" {
					return sessionOf(agent)
				}
				return ""
			}})
		outW.CloseWithError(io.EOF) // wakes a test that waits for an answer
		ended <- err
	}()
	t.Cleanup(func() {
		inW.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	c := &client{in: inW, lines: bufio.NewScanner(outR)}
	c.lines.Buffer(nil, 1<<20)
	s.clients[agent] = c
	c.ask(t, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"faces","version":"0"}}`)
	c.tell(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	s.call(t, agent, "memory_stats", args{}) // the agent is made known before the first call is answered
}

func (s *servers) call(t *testing.T, agent, op string, a args) answer {
	t.Helper()
	tool, sent := op, args{}
	for name, v := range a {
		sent[name] = v
	}
	switch op {
	case "verify":
		tool, sent["verify"] = "memory_stats", true
	case "inbox": // a schema reads better without a negation that is on by default
		if all, ok := sent["all"]; ok {
			delete(sent, "all")
			sent["unread_only"] = all == false
		}
	}
	raw := s.clients[agent].ask(t, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, encoded(t, sent)))
	var res struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	if err := json.Unmarshal(raw, &res); err != nil || len(res.Content) != 1 {
		t.Fatalf("%s answers %s (%v)", tool, raw, err)
	}
	if res.Content[0].Text != string(res.StructuredContent) {
		t.Errorf("%s says two things:\n%s\n%s", tool, res.Content[0].Text, res.StructuredContent)
	}
	if !res.IsError {
		v := decoded(t, res.StructuredContent)
		if op == "verify" {
			v = v.(map[string]any)["verification"]
		}
		return answer{value: v}
	}
	var e struct{ Error refusal }
	if err := json.Unmarshal(res.StructuredContent, &e); err != nil {
		t.Fatal(err)
	}
	if e.Error.Data != nil {
		e.Error.Data = decoded(t, encoded(t, e.Error.Data))
	}
	e.Error.Message = strings.TrimPrefix(e.Error.Message, e.Error.Field+": ") // models read the text alone
	return answer{bad: &e.Error}
}

// ask sends a request and returns the result of its answer.
func (c *client) ask(t *testing.T, method, params string) json.RawMessage {
	t.Helper()
	c.id++
	c.tell(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.id, method, params))
	if !c.lines.Scan() {
		t.Fatalf("%s: the server has ended (%v)", method, c.lines.Err())
	}
	var msg struct {
		ID     int
		Result json.RawMessage
	}
	if err := json.Unmarshal(c.lines.Bytes(), &msg); err != nil || msg.ID != c.id || msg.Result == nil {
		t.Fatalf("%s answers %s (%v)", method, c.lines.Bytes(), err)
	}
	return msg.Result
}

func (c *client) tell(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		t.Fatal(err)
	}
}
