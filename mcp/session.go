package mcp

import (
	"crypto/rand"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

// session is what one session of the host has seen and holds. A host may run several over one connection.
type session struct {
	id   string
	seen *memory.Seen

	mu sync.Mutex
	// holds are the packets this session was given here. It is a memo, so that a session without claims costs no write;
	// the store decides who holds what.
	holds   map[string]bool
	renewed time.Time
}

func newSession(id string) *session {
	return &session{id: id, seen: &memory.Seen{}, holds: map[string]bool{}}
}

func (s *session) claimed(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holds[id] = true
}

// released forgets one packet, or all when the caller named none: then it held only one.
func (s *session) released(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == "" {
		clear(s.holds)
	}
	delete(s.holds, id)
}

// renewEvery is how often a working session tells the store that it still works. Holds lapse after two hours.
const renewEvery = 5 * time.Minute

// due reports whether the session's claims should be renewed now, and counts them as renewed.
func (s *session) due(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.holds) == 0 || now.Sub(s.renewed) < renewEvery && !now.Before(s.renewed) {
		return false
	}
	s.renewed = now
	return true
}

// sessions are the sessions of one connection by the host's id.
type sessions struct {
	mu   sync.Mutex
	own  *session // for calls that name none
	more map[string]*session
}

// maxSessions bounds what a client can make us remember by naming ever new sessions; beyond it calls count as the
// connection's own.
const maxSessions = 256

// newSessions names the connection's own session: as the host does when it tells, else at random. Codex tells with each
// call, and OpenCode does not tell.
func newSessions(env func(string) string) *sessions {
	id := ""
	for _, name := range []string{"CLAUDE_CODE_SESSION_ID", "GEMINI_SESSION_ID"} {
		if v := env(name); id == "" && goodHint(v) {
			id = v
		}
	}
	if id == "" {
		id = "mcp-" + strings.ToLower(rand.Text())
	}
	return &sessions{own: newSession(id), more: map[string]*session{}}
}

// of returns the session a call belongs to. Codex sends its thread with every call.
func (ss *sessions) of(meta map[string]any) *session {
	id := hint(meta, "threadId", "sessionId")
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if id == "" || id == ss.own.id {
		return ss.own
	}
	s, ok := ss.more[id]
	switch {
	case ok:
	case len(ss.more) >= maxSessions:
		return ss.own
	default:
		s = newSession(id)
		ss.more[id] = s
	}
	return s
}

func (ss *sessions) all() []*session {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	out := []*session{ss.own}
	for _, s := range ss.more {
		out = append(out, s)
	}
	return out
}

// hostKeyOf makes a request key from the host's own id of the call: a host that sends a call again, because the answer
// was lost, sends the same id (the protocol itself has no way to tell a retry).
func hostKeyOf(meta map[string]any) string {
	if id := hint(meta, "claudecode/toolUseId", "callId"); id != "" {
		return "host:" + id
	}
	return ""
}

// hint reads the first usable text among meta's keys. Hints are undocumented and anybody may send them: they name a
// session or a call of this agent and never say who the agent is.
func hint(meta map[string]any, keys ...string) string {
	for _, k := range keys {
		if v, ok := meta[k].(string); ok && goodHint(v) {
			return v
		}
	}
	return ""
}

// maxHint keeps "host:" and a hint within a request key.
const maxHint = testigo.MaxRequestKeyLen - len("host:")

func goodHint(v string) bool {
	if v == "" || len(v) > maxHint || strings.TrimSpace(v) != v {
		return false
	}
	for _, c := range []byte(v) {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return true
}

// metaOf is the _meta of a request, nil when it has none.
func metaOf(req sdk.Request) map[string]any {
	if p := req.GetParams(); p != nil {
		return p.GetMeta()
	}
	return nil
}
