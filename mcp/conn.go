package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// conn is the transport: lines in, lines out. It stands in front of the SDK's connection, which ends the session at the
// first line it cannot read, and keeps three promises the SDK's own does not: every line is answered, a call read before
// the end of input is answered before the end, and a batch may hold notifications.
type conn struct {
	in  *lineReader
	out io.Writer

	// arrived carries lines from the goroutine that reads; it is closed at the end of input.
	arrived chan line
	stopped chan struct{}
	stop    func()
	// hungUp closes when no more input will come: calls that wait for news then answer with what there is.
	hungUp chan struct{}
	hangUp func()
	ended  chan struct{} // closed when Read has reported the end
	end    func()

	ready []jsonrpc.Message // read from a batch and not yet handed out; only Read touches it

	mu      sync.Mutex // guards all below, and writing
	version string     // negotiated by initialize, "" before
	open    map[jsonrpc.ID]*pending
	idle    chan struct{} // closed and replaced when open runs empty
}

// pending is a request that has no answer yet.
type pending struct {
	method string
	batch  *batch // nil when it came alone
}

// batch collects the answers of one array.
type batch struct {
	missing int
	answers []json.RawMessage
}

// batchless is the first protocol version without batches.
const batchless = "2025-06-18"

func newConn(in io.Reader, out io.Writer) *conn {
	c := &conn{in: newLineReader(in), out: out, arrived: make(chan line), stopped: make(chan struct{}),
		ended: make(chan struct{}), hungUp: make(chan struct{}), open: map[jsonrpc.ID]*pending{}, idle: make(chan struct{})}
	c.hangUp = sync.OnceFunc(func() { close(c.hungUp) })
	c.stop = sync.OnceFunc(func() {
		close(c.stopped)
		c.hangUp()
	})
	c.end = sync.OnceFunc(func() { close(c.ended) })
	return c
}

// Connect implements sdk.Transport.
func (c *conn) Connect(context.Context) (sdk.Connection, error) {
	// A read from standard input cannot be interrupted everywhere, so it gets a goroutine that Read can walk away from.
	go func() {
		defer close(c.arrived)
		for {
			l, err := c.in.next()
			if err != nil {
				return
			}
			select {
			case c.arrived <- l:
			case <-c.stopped:
				return
			}
		}
	}()
	return c, nil
}

// SessionID implements sdk.Connection: standard input and output have none.
func (c *conn) SessionID() string { return "" }

// Close implements sdk.Connection.
func (c *conn) Close() error {
	c.stop()
	return nil
}

// Read returns the next message that the server can understand. What it cannot is answered here. At the end of input it
// waits until what was read is answered, for drainFor at most.
func (c *conn) Read(ctx context.Context) (m jsonrpc.Message, err error) {
	defer func() {
		if err != nil {
			c.end()
		}
	}()
	for {
		if len(c.ready) > 0 {
			m = c.ready[0]
			c.ready = c.ready[1:]
			return m, nil
		}
		select {
		case <-ctx.Done():
			return nil, io.EOF
		case <-c.stopped:
			return nil, io.EOF
		case l, more := <-c.arrived:
			if !more {
				c.hangUp()
				c.drain()
				return nil, io.EOF
			}
			if len(l.text) > 0 {
				if err := c.accept(l); err != nil {
					return nil, err
				}
			}
		}
	}
}

func (c *conn) drain() {
	limit := time.NewTimer(drainFor)
	defer limit.Stop()
	for {
		c.mu.Lock()
		waiting, idle := 0, c.idle
		for _, p := range c.open {
			if p.method != "subscriptions/listen" { // it ends with the connection
				waiting++
			}
		}
		c.mu.Unlock()
		if waiting == 0 {
			return
		}
		select {
		case <-idle:
		case <-limit.C:
			return
		case <-c.stopped:
			return
		}
	}
}

// accept takes one line apart. An error means that it could not be answered: the output is gone.
func (c *conn) accept(l line) error {
	isBatch, f := checkLine(l)
	switch {
	case f != nil:
		return c.write(f.reply())
	case isBatch:
		return c.acceptBatch(l.text)
	}
	m, f := c.admit(l.text, nil)
	if f != nil {
		return c.write(f.reply())
	}
	c.ready = append(c.ready, m)
	return nil
}

func (c *conn) acceptBatch(raw []byte) error {
	var items []json.RawMessage
	err := json.Unmarshal(raw, &items)
	c.mu.Lock()
	version := c.version
	c.mu.Unlock()
	switch {
	case err != nil:
		return c.write((&fault{null, jsonrpc.CodeParseError, "the message is not valid JSON"}).reply())
	case len(items) == 0:
		return c.write((&fault{null, jsonrpc.CodeInvalidRequest, "a batch must not be empty"}).reply())
	case version >= batchless:
		return c.write((&fault{null, jsonrpc.CodeInvalidRequest, "protocol " + version + " has no batches; send one message a line"}).reply())
	}
	b := &batch{}
	for _, item := range items {
		m, f := c.admit(item, b)
		if f != nil {
			b.answers = append(b.answers, f.reply())
			continue
		}
		c.ready = append(c.ready, m)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.finish(b)
}

// admit checks one message and notes that it wants an answer.
func (c *conn) admit(raw []byte, b *batch) (jsonrpc.Message, *fault) {
	e, f := checkEnvelope(raw)
	if f != nil {
		return nil, f
	}
	m, err := jsonrpc.DecodeMessage(raw)
	if err != nil {
		return nil, &fault{e.id, jsonrpc.CodeInvalidRequest, "the message is not a JSON-RPC request, notification or response"}
	}
	req, ok := m.(*jsonrpc.Request)
	if !ok || !req.IsCall() {
		return m, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[req.ID] != nil {
		return nil, &fault{null, jsonrpc.CodeInvalidRequest, "the id " + string(e.id) + " belongs to a request that is not answered yet"}
	}
	c.open[req.ID] = &pending{method: req.Method, batch: b}
	if b != nil {
		b.missing++
	}
	return m, nil
}

// Write sends one message of the server, or keeps it until its batch is complete.
func (c *conn) Write(_ context.Context, m jsonrpc.Message) error {
	resp, ok := m.(*jsonrpc.Response)
	if ok && resp.Error != nil {
		resp.Error = tidy(resp.Error)
	}
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return fmt.Errorf("encoding an answer: %w", err)
	}
	if !ok {
		return c.write(data)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.open[resp.ID]
	if p == nil {
		return c.send(data)
	}
	delete(c.open, resp.ID)
	defer c.signal()
	if p.method == "initialize" && resp.Error == nil {
		c.negotiated(resp.Result)
	}
	if p.batch == nil {
		return c.send(data)
	}
	p.batch.missing--
	p.batch.answers = append(p.batch.answers, data)
	return c.finish(p.batch)
}

func (c *conn) signal() {
	close(c.idle)
	c.idle = make(chan struct{})
}

func (c *conn) negotiated(result json.RawMessage) {
	var r struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	if json.Unmarshal(result, &r) == nil {
		c.version = r.ProtocolVersion
	}
}

// finish sends a batch's answers when none is missing; a batch of notifications has none.
func (c *conn) finish(b *batch) error {
	if b.missing > 0 || len(b.answers) == 0 {
		return nil
	}
	data, err := json.Marshal(b.answers)
	if err != nil {
		return err
	}
	b.answers = nil
	return c.send(data)
}

func (c *conn) write(data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.send(data)
}

func (c *conn) send(data []byte) error {
	_, err := c.out.Write(append(data, '\n'))
	return err
}

// maxErrorText bounds a protocol error's message: some of the SDK's repeat what was sent.
const maxErrorText = 300

// tidy keeps protocol errors short and free of the server's inner words, and gives those without a code one.
func tidy(err error) error {
	var wire *jsonrpc.Error
	out := jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
	switch {
	case errors.As(err, &wire):
		out.Code, out.Data = wire.Code, wire.Data
	case errors.Is(err, context.Canceled), errors.Is(err, io.EOF):
		out.Code, out.Message = jsonrpc.CodeInternalError, "the call was given up before it ended"
	}
	if before, _, found := strings.Cut(out.Message, ": unmarshaling "); found {
		out.Message = before + ": an argument has the wrong type"
	}
	out.Message = shorten(out.Message, maxErrorText)
	return &out
}
