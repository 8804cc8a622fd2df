package mcp

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
	"github.com/testigo/testigo/proc"
	"github.com/testigo/testigo/workspace"
)

// Options say what to serve, and to whom.
type Options struct {
	// In and Out are standard input and output. Out is written by one goroutine at a time, one line for each message.
	In  io.Reader
	Out io.Writer
	// Agent is the fixed identity of every call, already checked.
	Agent   string
	Version string
	// Open opens the store. It is called in the background right after the start, and again at the next call of a tool
	// after it failed. Serve closes what it returns.
	Open func(context.Context) (testigo.Store, error)
	// Dir is the directory of a call, asked for at each one; nil means there is none. Where is what finding a project
	// needs beside it.
	Dir   func() string
	Where workspace.Options
	// Env reads the host's hints: session ids. Nil reads none.
	Env func(string) string
	// Log takes what people look into when something went wrong; nil takes nothing.
	Log *slog.Logger
	// ParentDead closes when the process that started this one has ended; nil never does.
	ParentDead <-chan struct{}
	// Toolsets choose groups of tools (see Toolsets); nil chooses memory, handoff and delivery.
	Toolsets []string

	// now replaces the clock that ages and renewals go by, and pulse the beats of calls that wait, in tests.
	now   func() time.Time
	pulse pulse
}

// Bounds of the end. Together they stay below the two seconds after which a host kills.
const (
	// drainFor is how long calls that were read may still be answered after the end of input.
	drainFor = 900 * time.Millisecond
	// stopFor is how long calls that were told to stop get.
	stopFor = 400 * time.Millisecond
	// flushFor is how long storing what the sessions have seen may take, and before it the opening that still runs.
	flushFor = 400 * time.Millisecond
	// registerFor bounds the sign of life at the start: a store that another process holds must not keep a read waiting.
	registerFor = 2 * time.Second
)

// face is one running server.
type face struct {
	Options
	tools    []*tool
	sessions *sessions
	opener   *opener
	process  testigo.Process
	// life is done when the server ends, and hungUp closes before it, when no more input will come.
	life   context.Context
	hungUp <-chan struct{}
}

// Serve answers one client until its input ends, ctx is done, or the parent has died; all three are a good end. An error
// means that it could not start.
func Serve(ctx context.Context, o Options) error {
	f, err := newFace(o)
	if err != nil {
		return err
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	f.life = life
	f.opener.start(life)

	conn := newConn(f.In, f.Out)
	f.hungUp = conn.hungUp
	ss, err := f.server().Connect(life, conn, nil)
	if err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := ss.Wait(); err != nil {
			f.Log.Debug("the connection ended", "error", err)
		}
	}()
	select {
	case <-done:
	case <-conn.ended:
	case <-ctx.Done():
	case <-f.ParentDead:
		f.Log.Debug("the parent process has ended")
	}
	conn.stop()
	select {
	case <-done:
	case <-time.After(stopFor): // a call that does not listen is left behind: the process is about to end
	}
	f.flush()
	return nil
}

func newFace(o Options) (*face, error) {
	if err := testigo.CheckAgentName("agent", o.Agent); err != nil {
		return nil, err
	}
	if testigo.IsService(o.Agent) {
		return nil, testigo.Invalid("agent", "%s names a part of Testigo, and no agent may speak as one", o.Agent)
	}
	tools, err := toolsOf(o.Toolsets)
	if err != nil {
		return nil, err
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Env == nil {
		o.Env = func(string) string { return "" }
	}
	if o.pulse == nil {
		o.pulse = heartbeat
	}
	f := &face{Options: o, tools: tools, sessions: newSessions(o.Env), process: proc.Self()}
	f.opener = &opener{open: o.Open, ready: f.register, now: o.now, log: o.Log}
	return f, nil
}

// caller is who asks, for a call of one session.
func (f *face) caller(s *session) memory.Caller {
	return memory.Caller{Agent: f.Agent, Session: s.id, Process: f.process, Dir: f.Dir, Where: f.Where, Seen: s.seen, Budget: answerBudget}
}

// register makes the agent known as soon as the store is open. A store that cannot be written can still be read.
func (f *face) register(ctx context.Context, s *services) {
	ctx, cancel := context.WithTimeout(ctx, registerFor)
	defer cancel()
	if err := s.mem.Register(ctx, f.caller(f.sessions.own)); err != nil {
		f.Log.Info("the agent could not be made known", "agent", f.Agent, "error", err)
	}
}

// flush stores what the sessions have seen since their last write, and closes the store. A store that is still being
// opened is waited for: an agent that came and went is known all the same.
func (f *face) flush() {
	ctx, cancel := context.WithTimeout(f.life, flushFor)
	defer cancel()
	store, s := f.opener.opened(ctx)
	if store == nil {
		return
	}
	for _, session := range f.sessions.all() {
		if err := s.mem.Register(ctx, f.caller(session)); err != nil {
			f.Log.Info("what a session has seen could not be stored", "session", session.id, "error", err)
		}
	}
	if err := store.Close(); err != nil {
		f.Log.Warn("the store did not close well", "error", err)
	}
}

func (f *face) time() time.Time {
	if f.now != nil {
		return f.now()
	}
	return time.Now()
}
