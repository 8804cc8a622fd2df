//go:build unix

package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/supervise"
)

// endpoint is an HTTP server that remembers what it was asked.
type endpoint struct {
	*httptest.Server
	mu     sync.Mutex
	posts  []*http.Request
	bodies []string
	status string // what GET answers; "" is 404
	code   int    // what POST answers
	extra  http.Header
}

func newEndpoint(t *testing.T) *endpoint {
	t.Helper()
	e := &endpoint{code: 202, extra: http.Header{}}
	e.Server = httptest.NewServer(http.HandlerFunc(e.serve))
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) serve(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r.Method == http.MethodPost {
		b, _ := io.ReadAll(r.Body)
		e.posts, e.bodies = append(e.posts, r), append(e.bodies, string(b))
		for k, v := range e.extra {
			w.Header()[k] = v
		}
		w.WriteHeader(e.code)
		_, _ = io.WriteString(w, `{"job":17}`)
		return
	}
	e.posts = append(e.posts, r)
	if e.status == "" {
		http.NotFound(w, r)
		return
	}
	_, _ = io.WriteString(w, e.status)
}

func (e *endpoint) say(status string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.status = status
}

func (e *endpoint) seen() (n int, last *http.Request, bodies []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.posts), e.posts[len(e.posts)-1], e.bodies
}

// H1 as delivery.md changes it: without a status URL the receipt stays accepted and says that no end is reported. The
// payload never holds settings, and without a receipt nothing is guessed.
func TestH1AcceptedWithoutEnd(t *testing.T) {
	t.Parallel()
	b, e := newBench(t), newEndpoint(t)
	target := b.target(map[string]any{"url": e.URL + "/in", "headers": map[string]string{"X-Team": "blue"}})
	s := b.start(target, turn("r1"))
	if !s.NoEnd || s.TurnID != "post-r1" || !strings.Contains(string(s.Provider), `"httpStatus":202`) || !strings.Contains(string(s.Provider), `"job":17`) {
		t.Errorf("%+v %s", s, s.Provider)
	}
	n, req, bodies := e.seen()
	var body map[string]any
	if err := json.Unmarshal([]byte(bodies[0]), &body); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	agent, _ := json.Marshal(body["agent"])
	if body["text"] != "the card" || body["request_id"] != "r1" || string(agent) != fmt.Sprintf(`{"cwd":%q,"endpoint":"sess-1","id":"worker","name":"worker","provider":"command"}`, b.dir) {
		t.Errorf("%s", bodies[0])
	}
	if strings.Contains(bodies[0], "blue") || strings.Contains(bodies[0], e.URL) || strings.Contains(bodies[0], "callback") {
		t.Errorf("settings in the payload: %s", bodies[0])
	}
	if req.Header.Get("X-Team") != "blue" || !req.Close || req.Header.Get("Content-Type") != "application/json" || req.Proto != "HTTP/1.1" {
		t.Errorf("%v %v", req.Header, req.Close)
	}
	for name := range req.Header {
		if strings.Contains(strings.ToLower(name), "idempotency") {
			t.Error(name)
		}
	}
	if o := b.observe(target, "r1"); o.State != testigo.Accepted || !strings.Contains(o.Detail, "no end") {
		t.Errorf("%+v", o)
	}
	if o := b.observe(target, "r2"); o.State != "" || o.Absent {
		t.Errorf("%+v", o)
	}
	fresh := newBench(t)
	if o, err := fresh.Observe(t.Context(), target, "r1", testigo.Receipt{TurnID: s.TurnID}); err != nil || o.State != testigo.Accepted {
		t.Errorf("%+v %v", o, err)
	}
	if b.activity(target) != testigo.TurnFinished {
		t.Error("the slot is not free")
	}
	b.start(target, turn("r1"))
	if n, _, _ := e.seen(); n != 1 {
		t.Errorf("%d posts for one request", n)
	}
}

func TestH2StatusURLIsFollowed(t *testing.T) {
	t.Parallel()
	b, e := newBench(t), newEndpoint(t)
	target := b.target(map[string]any{"url": e.URL, "status_url": e.URL + "/jobs/{request_id}/state"})
	if s := b.start(target, turn("r/ 1&x")); s.NoEnd {
		t.Error("no end, although there is a status URL")
	}
	for _, c := range []struct {
		word        string
		state       testigo.DeliveryState
		interrupted bool
		activity    testigo.TurnState
	}{
		{"accepted", testigo.Accepted, false, testigo.TurnOpen},
		{"queued", testigo.Accepted, false, testigo.TurnOpen},
		{"running", testigo.Running, false, testigo.TurnOpen},
		{"in_progress", testigo.Running, false, testigo.TurnOpen},
		{"returned", testigo.TurnEnded, false, testigo.TurnFinished},
		{"finished", testigo.TurnEnded, false, testigo.TurnFinished},
		{"Completed", testigo.TurnEnded, false, testigo.TurnFinished},
		{"failed", testigo.Failed, false, testigo.TurnFailed},
		{"error", testigo.Failed, false, testigo.TurnFailed},
		{"stopped", testigo.Failed, true, testigo.TurnStopped},
		{"interrupted", testigo.Failed, true, testigo.TurnStopped},
		{"cancelled", testigo.Failed, true, testigo.TurnStopped},
	} {
		e.say(fmt.Sprintf(`{"status":%q,"detail":"step\n2","result":{"summary":"done"}}`, c.word))
		o := b.observe(target, "r/ 1&x")
		if o.State != c.state || o.Interrupted != c.interrupted || o.TurnID != "post-r/ 1&x" || !strings.HasSuffix(o.Detail, ": step 2") || string(o.Provider) != `{"result":{"summary":"done"}}` {
			t.Errorf("%s: %+v", c.word, o)
		}
		if got := b.activity(target); got != c.activity {
			t.Errorf("%s: %s", c.word, got)
		}
	}
	if _, req, _ := e.seen(); req.RequestURI != "/jobs/r%2F%201%26x/state" {
		t.Error(req.RequestURI)
	}
}

func TestH3QueryParameter(t *testing.T) {
	t.Parallel()
	b, e := newBench(t), newEndpoint(t)
	target := b.target(map[string]any{"url": e.URL, "status_url": e.URL + "/state?team=blue"})
	b.start(target, turn("r 1&x"))
	b.observe(target, "r 1&x")
	if _, req, _ := e.seen(); req.URL.Query().Get("request_id") != "r 1&x" || req.URL.Query().Get("team") != "blue" {
		t.Error(req.RequestURI)
	}
}

func TestH4NotFoundIsAbsent(t *testing.T) {
	t.Parallel()
	b, e := newBench(t), newEndpoint(t)
	target := b.target(map[string]any{"url": e.URL, "status_url": e.URL + "/{request_id}"})
	if o := b.observe(target, "never"); !o.Absent || o.State != "" || o.TurnID != "" {
		t.Errorf("%+v", o)
	}
}

// H5 (its waits are the engine's): an unknown status, or something that is no status, is not guessed.
func TestH5UnknownStatusIsNotGuessed(t *testing.T) {
	t.Parallel()
	b, e := newBench(t), newEndpoint(t)
	target := b.target(map[string]any{"url": e.URL, "status_url": e.URL})
	b.start(target, turn("r1"))
	for _, said := range []string{`{"status":"paused"}`, `{}`, `[]`, `<html>running</html>`, `{"status":7}`, `{"status":"running"`, "\xff", `{"status":"running","pad":"` + strings.Repeat("x", maxAnswer) + `"}`} {
		e.say(said)
		if o := b.observe(target, "r1"); o.State != "" || o.Absent || o.Detail == "" {
			t.Errorf("%.40s: %+v", said, o)
		}
		if got := b.activity(target); got != testigo.TurnUnknown {
			t.Errorf("%.40s: %s", said, got)
		}
	}
}

// H6, H7, H8 and faults 11 and 16: what an answer proves.
func TestH6H7H8Fault11Fault16AnswerClasses(t *testing.T) {
	t.Parallel()
	later := time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat)
	for _, c := range []struct {
		code  int
		after string
		kind  testigo.RefusalKind // "" is unknown
		wait  time.Duration
	}{
		{400, "", testigo.Refused, 0}, {401, "7", testigo.Refused, 0}, {403, "", testigo.Refused, 0}, {404, "", testigo.Refused, 0}, {409, "", testigo.Refused, 0},
		{301, "", testigo.Refused, 0}, {302, "", testigo.Refused, 0}, {307, "", testigo.Refused, 0}, {308, "", testigo.Refused, 0}, {304, "", testigo.Refused, 0},
		{408, "", testigo.RateLimited, 0}, {429, "", testigo.RateLimited, 0}, {429, "120", testigo.RateLimited, 2 * time.Minute}, {429, "soon", testigo.RateLimited, 0},
		{503, "30", testigo.RateLimited, 30 * time.Second}, {503, later, testigo.RateLimited, 90 * time.Second}, {429, "999999999", testigo.RateLimited, maxRetryAfter},
		{500, "", "", 0}, {502, "5", "", 0}, {503, "", "", 0}, {504, "", "", 0}, {599, "", "", 0},
	} {
		t.Run(fmt.Sprintf("%d %s", c.code, c.after), func(t *testing.T) {
			t.Parallel()
			b, e := newBench(t), newEndpoint(t)
			e.code = c.code
			e.extra.Set("Location", e.URL+"/elsewhere")
			if c.after != "" {
				e.extra.Set("Retry-After", c.after)
			}
			target := b.target(map[string]any{"url": e.URL})
			if c.kind == "" {
				_, err := b.Start(t.Context(), target, turn("r1"))
				var r *testigo.Refusal
				if err == nil || errors.As(err, &r) {
					t.Error(err)
				}
				if o := b.observe(target, "r1"); o.State != "" || o.Absent {
					t.Errorf("%+v", o)
				}
				if _, err := b.Start(t.Context(), target, turn("r1")); err == nil || errors.As(err, &r) {
					t.Error("posted again:", err)
				}
			} else {
				r := b.refused(target, turn("r1"), c.kind)
				if d := r.RetryAfter - c.wait; d > 0 || d < 0 && c.after != later || d < -time.Minute {
					t.Errorf("wait %s", r.RetryAfter)
				}
				if o := b.observe(target, "r1"); !o.Absent {
					t.Errorf("%+v", o)
				}
			}
			if n, req, _ := e.seen(); n != 1 || req.URL.Path != "/" {
				t.Errorf("%d requests, the last to %s", n, req.URL)
			}
			// A refusal may be tried again, under the same request; an unknown fate may not.
			e.mu.Lock()
			e.code = 200
			e.mu.Unlock()
			if c.kind != "" {
				b.start(target, turn("r1"))
			}
		})
	}
}

// H8 and fault 11: without a connection nothing was sent, and so the delivery does not hang.
func TestH8Fault11NoConnectionIsNotSent(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + l.Addr().String()
	l.Close()
	tls := httptest.NewTLSServer(http.NotFoundHandler()) // its certificate is nobody's
	t.Cleanup(tls.Close)
	plain := newEndpoint(t)
	mute, err := net.Listen("tcp", "127.0.0.1:0") // accepts, and never shakes hands
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mute.Close() })
	for name, url := range map[string]string{
		"nobody listens": nobody, "no such host": "http://testigo.invalid/x", "certificate": tls.URL, "no TLS there": strings.Replace(plain.URL, "http:", "https:", 1),
		"mute TLS": "https://" + mute.Addr().String(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			target := b.target(map[string]any{"url": url, "request_timeout": 3})
			b.refused(target, turn("r1"), testigo.NotSent)
			if o := b.observe(target, "r1"); !o.Absent {
				t.Errorf("%+v", o)
			}
		})
	}
}

// Fault 7: a run that was started as a program is judged as one, although the agent posts now, and the other way round.
func TestFault7SettingsChangeDuringATurn(t *testing.T) {
	t.Parallel()
	b, e := newBench(t), newEndpoint(t)
	program, post := b.script(`while [ ! -e "$2/go" ]; do sleep 0.02; done; exit 4`), b.target(map[string]any{"url": e.URL})
	run := b.start(program, turn("r1"))
	if o, err := b.Observe(t.Context(), post, "r1", testigo.Receipt{TurnID: run.TurnID, Provider: run.Provider}); err != nil || o.State != "" || o.Absent {
		t.Errorf("a program's run was judged as a post: %+v %v", o, err)
	}
	if o := b.observe(program, "r1"); o.State != testigo.Running {
		t.Errorf("%+v", o)
	}
	b.refused(post, turn("r2"), testigo.RefusedBusy)
	b.write("go", "", 0o600)
	if o := b.over(program, "r1"); o.State != testigo.Failed {
		t.Errorf("%+v", o)
	}
	posted := b.start(post, turn("r2"))
	if o, err := b.Observe(t.Context(), program, "r2", testigo.Receipt{TurnID: posted.TurnID}); err != nil || o.State != "" {
		t.Errorf("a post was judged as a run: %+v %v", o, err)
	}
}

// A post that was declared not sent, or whose time has passed, is not made; and one that was made cannot be declared away.
func TestPostFirstDecides(t *testing.T) {
	t.Parallel()
	b, e := newBench(t), newEndpoint(t)
	target := b.target(map[string]any{"url": e.URL})
	if ok, _, err := supervise.DeclareNotSent(supervise.RunFile(b.o.Runs, "r1")); !ok || err != nil {
		t.Fatal(err)
	}
	b.refused(target, turn("r1"), testigo.NotSent)
	late := turn("r2")
	late.Deadline = time.Now().Add(-time.Second)
	b.refused(target, late, testigo.NotSent)
	b.start(target, turn("r3"))
	if ok, st, err := supervise.DeclareNotSent(supervise.RunFile(b.o.Runs, "r3")); ok || err != nil || st.Phase != supervise.Posted {
		t.Error(ok, st, err)
	}
	if n, _, _ := e.seen(); n != 1 {
		t.Errorf("%d posts", n)
	}
}

// This machine is never reached through a proxy.
func TestLoopbackBypassesProxies(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{"localhost": true, "LOCALHOST.": true, "api.localhost": true, "127.0.0.1": true, "127.9.8.7": true, "::1": true,
		"::ffff:127.0.0.1": true, "localhost.example.com": false, "10.0.0.1": false, "127.example.com": false, "": false} {
		if got := loopback(host); got != want {
			t.Errorf("%s: %t", host, got)
		}
	}
	if u, err := proxy(&http.Request{URL: &url.URL{Scheme: "http", Host: "127.0.0.1:80"}}); u != nil || err != nil {
		t.Error(u, err)
	}
}
