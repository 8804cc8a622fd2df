package command

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/testigo/testigo"
)

const (
	signatureHeader = "X-Testigo-Signature"
	// maxAnswer bounds what is read of an answer, and of its headers.
	maxAnswer = 64 << 10
)

// answer is what an endpoint said.
type answer struct {
	status int
	header http.Header
	body   []byte // at most maxAnswer; empty when it broke off
}

// call sends one request on a connection of its own. reached tells whether a connection existed: only then may anything have
// been written.
func (p *Provider) call(ctx context.Context, s settings, req *http.Request) (a answer, reached bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.requestTimeout)
	defer cancel()
	var got atomic.Bool
	// GotConn comes after DNS, dial, proxy and TLS, and before the first byte of the request.
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { got.Store(true) }})
	transport := newTransport()
	defer transport.CloseIdleConnections()
	client := &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	req.GetBody = nil // nothing may send the body again
	resp, err := client.Do(req.WithContext(ctx))
	if err != nil {
		return answer{}, got.Load(), plainError(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil || len(body) > maxAnswer { // the status line is what counts
		body = nil
	}
	return answer{resp.StatusCode, resp.Header, body}, true, nil
}

// newTransport makes connections that are used once. HTTP/2 is off: it sends a request again when a server refuses a stream.
func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  proxy,
		DialContext:            (&net.Dialer{Timeout: 15 * time.Second}).DialContext,
		DisableKeepAlives:      true,
		DisableCompression:     true, // a bomb would be unpacked before its size is known
		TLSHandshakeTimeout:    15 * time.Second,
		TLSNextProto:           map[string]func(string, *tls.Conn) http.RoundTripper{},
		MaxResponseHeaderBytes: maxAnswer,
	}
}

// proxy is the environment's, but never for this machine.
func proxy(req *http.Request) (*url.URL, error) {
	if loopback(req.URL.Hostname()) {
		return nil, nil
	}
	return http.ProxyFromEnvironment(req)
}

func loopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

// plainError drops the address from an error: a status URL may hold what is not for receipts.
func plainError(err error) error {
	if u, ok := err.(*url.Error); ok { //nolint:errorlint // client.Do wraps once
		return u.Err
	}
	return err
}

// dress sets the headers of a request. Secrets go to the endpoint's own host only.
func (s settings) dress(req *http.Request, body []byte, now time.Time) error {
	for name, value := range s.headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("User-Agent", "testigo")
	if req.URL.Host != s.url.Host || req.URL.Scheme != s.url.Scheme {
		return nil
	}
	if s.bearerFile != "" {
		token, err := secret("bearer_file", s.bearerFile)
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if s.hmacFile != "" {
		key, err := secret("hmac_file", s.hmacFile)
		if err != nil {
			return err
		}
		req.Header.Set(signatureHeader, sign(key, now, body))
	}
	return nil
}

// sign proves to an endpoint who posted what, and when, so that it can refuse repetitions by others.
func sign(key string, now time.Time, body []byte) string {
	mac := hmac.New(sha256.New, []byte(key))
	fmt.Fprintf(mac, "%d.", now.Unix())
	mac.Write(body)
	return fmt.Sprintf("t=%d,v1=%s", now.Unix(), hex.EncodeToString(mac.Sum(nil)))
}

func (p *Provider) preparePost(s settings) error {
	if s.callback && p.o.CallbackURL == "" {
		return testigo.Invalid("callback", "needs a server that endpoints can report to: testigo serve")
	}
	for _, f := range []struct{ name, path string }{{"bearer_file", s.bearerFile}, {"hmac_file", s.hmacFile}} {
		if f.path == "" {
			continue
		}
		if _, err := secret(f.name, f.path); err != nil {
			return err
		}
	}
	return nil
}
