package mcp

import (
	"context"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// serverName is short and without "_": hosts build tool names from it with "_" as the separator.
const serverName = "testigo"

// listTTL is how long a client may keep a list, in milliseconds. The lists never change while a server runs.
const listTTL = 60_000

// server makes the protocol server with its tools, prompts and resources.
func (f *face) server() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: serverName, Title: "Testigo", Version: f.Version}, &sdk.ServerOptions{
		Instructions: instructions(f.Agent),
		Logger:       f.Log,
		// Named, because the default advertises logging, which is deprecated, and list changes, which never come.
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Prompts: &sdk.PromptCapabilities{}, Resources: &sdk.ResourceCapabilities{}},
		SetCacheable: cacheable,
	})
	for _, t := range f.tools {
		s.AddTool(t.definition(), f.handler(t))
	}
	f.addPrompts(s)
	f.addResources(s)
	s.AddReceivingMiddleware(f.recoverer)
	return s
}

// cacheable lets clients keep lists, and nothing that is read from the store.
func cacheable(_ context.Context, req sdk.Request, c *sdk.Cacheable) {
	c.CacheScope = "private"
	if _, read := req.(*sdk.ReadResourceRequest); !read {
		c.TTLMs = listTTL
	}
}

// recoverer turns a panic into an answer: the session lives on.
func (f *face) recoverer(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (res sdk.Result, err error) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			f.Log.Error("a call panicked", "method", method, "panic", p, "stack", string(debug.Stack()))
			res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
		}()
		return next(ctx, method, req)
	}
}

// definition is what tools/list shows.
func (t *tool) definition() *sdk.Tool {
	no := false
	d := &sdk.Tool{Name: t.name, Title: t.title, Description: t.about, InputSchema: schemaOf(t.params), Annotations: &sdk.ToolAnnotations{
		ReadOnlyHint: t.readOnly, IdempotentHint: t.idempotent, DestructiveHint: &no, OpenWorldHint: &no}}
	if t.core {
		d.Meta = sdk.Meta{"anthropic/alwaysLoad": true}
	}
	return d
}

// handler runs one tool. Every failure is a result that the model reads; nothing here ends the session.
func (f *face) handler(t *tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (res *sdk.CallToolResult, err error) {
		defer func() {
			if p := recover(); p != nil {
				f.Log.Error("a tool panicked", "tool", t.name, "panic", p, "stack", string(debug.Stack()))
				res, err = failure(problem{Code: "internal", Message: "internal error", Next: "memory_stats tells whether the store answers"}), nil
			}
		}()
		v, err := f.call(ctx, t, req.Params.Arguments, metaOf(req), f.progressOf(req))
		if err != nil {
			return failure(problemOf(ctx, f.Log, t.name, err)), nil
		}
		return answer(v), nil
	}
}

// call runs a tool for the session that meta names. Long calls tell progress, if anybody asked for it.
func (f *face) call(ctx context.Context, t *tool, args []byte, meta map[string]any, progress progress) (any, error) {
	s, err := f.opener.services(ctx, f.life)
	if err != nil {
		return nil, err
	}
	session := f.sessions.of(meta)
	c := &call{tool: t, raw: args, mem: s.mem, hand: s.hand, caller: f.caller(session), session: session, hostKey: hostKeyOf(meta),
		waiter: waiter{pulse: f.pulse, hungUp: f.hungUp, progress: progress}}
	v, err := t.run(ctx, c)
	if session.due(f.time()) {
		if err := s.hand.Renew(ctx, c.caller); err != nil {
			f.Log.Warn("claims could not be renewed", "session", session.id, "error", err)
		}
	}
	return v, err
}
