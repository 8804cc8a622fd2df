//go:build unix

package command

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/testigo/testigo"
)

// Fault 33: a bearer token and a signature prove who posts; neither is stored with the settings or sent elsewhere.
func TestFault33SecretsAndSignature(t *testing.T) {
	t.Parallel()
	b, e, elsewhere := newBench(t), newEndpoint(t), newEndpoint(t)
	bearer, key := b.write("token", "tok-123\n", 0o600), b.write("key", "s3cret\n", 0o600)
	settings := map[string]any{"url": e.URL, "bearer_file": bearer, "hmac_file": key, "status_url": e.URL + "/{request_id}"}
	target := b.target(settings)
	b.start(target, turn("r1"))
	_, req, bodies := e.seen()
	if req.Header.Get("Authorization") != "Bearer tok-123" {
		t.Error(req.Header)
	}
	stamp, sum, _ := strings.Cut(req.Header.Get(signatureHeader), ",v1=")
	mac := hmac.New(sha256.New, []byte("s3cret"))
	fmt.Fprintf(mac, "%s.%s", strings.TrimPrefix(stamp, "t="), bodies[0])
	if sum != hex.EncodeToString(mac.Sum(nil)) || strings.Contains(bodies[0], "tok-123") {
		t.Error(req.Header, bodies)
	}
	b.observe(target, "r1")
	if _, req, _ := e.seen(); req.Method != http.MethodGet || req.Header.Get("Authorization") != "Bearer tok-123" {
		t.Error("the status URL of the same host got no token")
	}
	settings["status_url"] = elsewhere.URL
	b.observe(b.target(settings), "r1")
	if _, req, _ := elsewhere.seen(); req.Header.Get("Authorization") != "" || req.Header.Get(signatureHeader) != "" {
		t.Error("a secret went to another host", req.Header)
	}
	link := filepath.Join(b.dir, "link")
	if err := os.Symlink(bearer, link); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"symbolic link": link, "by others": b.write("open", "x", 0o644), "one line": b.write("two", "a\nb\n", 0o600),
		"must hold": b.write("empty", "\n", 0o600), "not a file": b.dir, "cannot be read": b.dir + "/none", "must hold one": b.write("big", strings.Repeat("x", maxSecret+1), 0o600)} {
		target := b.target(map[string]any{"url": e.URL, "bearer_file": path})
		if err := b.Prepare(t.Context(), target); testigo.AsError(err) == nil || testigo.AsError(err).Field != "bearer_file" || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		b.refused(target, turn("r9"), testigo.Refused)
	}
}

// Fault 33: an endpoint can report by itself, with a result, using the token of its post.
func TestFault33Callback(t *testing.T) {
	t.Parallel()
	b, e := newBench(t, func(o *Options) { o.CallbackURL = "http://127.0.0.1:1/callback/" }), newEndpoint(t)
	target := b.target(map[string]any{"url": e.URL, "callback": true})
	if s := b.start(target, turn("r1")); s.NoEnd {
		t.Error("no end, although there is a callback")
	}
	_, _, bodies := e.seen()
	var sent payload
	if err := json.Unmarshal([]byte(bodies[0]), &sent); err != nil || sent.Callback == nil || sent.Callback.URL != "http://127.0.0.1:1/callback/r1" || sent.Claim != "h_1#2" {
		t.Fatalf("%s %v", bodies[0], err)
	}
	token := sent.Callback.Token
	if o := b.observe(target, "r1"); o.State != testigo.Accepted || b.activity(target) != testigo.TurnOpen {
		t.Errorf("%+v", o)
	}
	for _, bad := range []struct {
		request, token, body string
		code                 testigo.Code
	}{
		{"r1", "wrong", `{"status":"finished"}`, testigo.CodeNotFound}, {"r1", "", `{"status":"finished"}`, testigo.CodeNotFound},
		{"r2", token, `{"status":"finished"}`, testigo.CodeNotFound}, {"../r1", token, `{"status":"finished"}`, testigo.CodeNotFound},
		{"r1", token, `{"status":"dancing"}`, testigo.CodeInvalid}, {"r1", token, `finished`, testigo.CodeInvalid},
		{"r1", token, `{"status":"running","x":"` + strings.Repeat("y", maxAnswer) + `"}`, testigo.CodeInvalid},
	} {
		if err := b.Callback(bad.request, bad.token, []byte(bad.body)); testigo.CodeOf(err) != bad.code {
			t.Errorf("%.60v: %v", bad, err)
		}
	}
	report := func(body string, want testigo.Code) {
		t.Helper()
		if err := b.Callback("r1", token, []byte(body)); testigo.CodeOf(err) != want {
			t.Errorf("%s: %v", body, err)
		}
	}
	report(`{"status":"running"}`, "")
	if o := b.observe(target, "r1"); o.State != testigo.Running {
		t.Errorf("%+v", o)
	}
	report(`{"status":"finished","result":{"n":1}}`, "")
	report(`{"status":"finished","result":{"n":1}}`, "")
	report(`{"status":"failed"}`, testigo.CodeConflict)
	if o := b.observe(target, "r1"); o.State != testigo.TurnEnded || string(o.Provider) != `{"result":{"n":1}}` || b.activity(target) != testigo.TurnFinished {
		t.Errorf("%+v %s", o, o.Provider)
	}
	if err := newBench(t).Prepare(t.Context(), target); testigo.AsError(err) == nil || testigo.AsError(err).Field != "callback" {
		t.Error("a callback without a server:", err)
	}
}
