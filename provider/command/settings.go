package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/testigo/testigo"
)

const (
	defaultTimeout        = time.Hour
	defaultRequestTimeout = 30 * time.Second
	// maxSeconds keeps a number of seconds within what a Duration holds: about 31 years.
	maxSeconds = 1_000_000_000
)

// settings are a target's settings, checked.
type settings struct {
	argv           []string
	timeout        time.Duration
	env            []string
	inheritEnv     bool
	url            *url.URL
	statusURL      string
	callback       bool
	requestTimeout time.Duration
	headers        map[string]string
	bearerFile     string
	hmacFile       string
}

// Validate says what is wrong with the settings of a command agent, before it is given this address.
func Validate(raw json.RawMessage) error {
	_, err := parse(raw)
	return err
}

// parse reads settings. Names that are not ours are left to others.
func parse(raw json.RawMessage) (settings, error) {
	s := settings{timeout: defaultTimeout, requestTimeout: defaultRequestTimeout}
	var m map[string]json.RawMessage
	if len(bytes.TrimSpace(raw)) > 0 {
		if err := json.Unmarshal(raw, &m); err != nil {
			return s, testigo.Invalid("settings", "must be a JSON object")
		}
	}
	readers := []struct {
		name string
		read func(json.RawMessage) string
	}{
		{"command", s.readCommand}, {"timeout", seconds(&s.timeout)}, {"env", s.readEnv}, {"inherit_env", flag(&s.inheritEnv)},
		{"url", s.readURL}, {"status_url", s.readStatusURL}, {"callback", flag(&s.callback)},
		{"request_timeout", seconds(&s.requestTimeout)}, {"headers", s.readHeaders},
		{"bearer_file", file(&s.bearerFile)}, {"hmac_file", file(&s.hmacFile)},
	}
	for _, r := range readers {
		value, ok := m[r.name]
		if !ok || string(value) == "null" {
			continue
		}
		if why := r.read(value); why != "" {
			return s, testigo.Invalid(r.name, "%s", why)
		}
	}
	if s.url == nil {
		if len(s.argv) == 0 {
			return s, testigo.Invalid("command", "is required, or url").WithNext(`give the program and its arguments: "command": ["program", "{text_file}"]`)
		}
		if s.statusURL != "" || s.callback {
			return s, testigo.Invalid("url", "is required with status_url or callback")
		}
	}
	return s, nil
}

func (s *settings) readCommand(v json.RawMessage) string {
	var line string
	if json.Unmarshal(v, &line) == nil {
		argv, err := split(line)
		if err != nil {
			return err.Error()
		}
		s.argv = argv
	} else if json.Unmarshal(v, &s.argv) != nil {
		return "must be a list of texts, or one text"
	}
	if len(s.argv) == 0 || s.argv[0] == "" {
		return "names no program"
	}
	for _, a := range s.argv {
		if strings.ContainsRune(a, 0) {
			return "holds a zero byte"
		}
	}
	return ""
}

func (s *settings) readEnv(v json.RawMessage) string {
	if json.Unmarshal(v, &s.env) != nil {
		return "must be a list of variable names"
	}
	for _, name := range s.env {
		if name == "" || strings.ContainsAny(name, "=\x00 ") {
			return fmt.Sprintf("%q is not the name of a variable; values are inherited, not given here", name)
		}
	}
	return ""
}

func (s *settings) readURL(v json.RawMessage) string {
	var why string
	s.url, _, why = address(v)
	return why
}

func (s *settings) readStatusURL(v json.RawMessage) string {
	_, text, why := address(v)
	s.statusURL = text
	return why
}

func address(v json.RawMessage) (*url.URL, string, string) {
	var text string
	if json.Unmarshal(v, &text) != nil {
		return nil, "", "must be a text"
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, "", "must be a full http:// or https:// address"
	}
	if u.User != nil {
		return nil, "", "must not hold a password; use bearer_file"
	}
	return u, text, ""
}

// ownHeaders are set by us or by net/http, or make net/http send a post twice.
var ownHeaders = []string{"Idempotency-Key", "X-Idempotency-Key", "Host", "Content-Length", "Content-Type", "Transfer-Encoding",
	"Connection", "Trailer", "Upgrade", "Te", "Expect", "Authorization", signatureHeader}

func (s *settings) readHeaders(v json.RawMessage) string {
	if json.Unmarshal(v, &s.headers) != nil {
		return "must be an object of texts"
	}
	for name, value := range s.headers {
		if name == "" || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return fmt.Sprintf("%q is not the name of a header", name)
		}
		if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return fmt.Sprintf("the value of %s holds a line break or another control character", name)
		}
		for _, own := range ownHeaders {
			if http.CanonicalHeaderKey(name) == own {
				if own == "Authorization" {
					return "Authorization comes from bearer_file, so that the token is not stored with the settings"
				}
				return own + " cannot be set"
			}
		}
	}
	return ""
}

func seconds(to *time.Duration) func(json.RawMessage) string {
	return func(v json.RawMessage) string {
		var n float64
		if json.Unmarshal(v, &n) != nil || n <= 0 || n > maxSeconds {
			return "must be a number of seconds above 0"
		}
		*to = max(time.Duration(n*float64(time.Second)), time.Millisecond)
		return ""
	}
}

func flag(to *bool) func(json.RawMessage) string {
	return func(v json.RawMessage) string {
		if json.Unmarshal(v, to) != nil {
			return "must be true or false"
		}
		return ""
	}
}

func file(to *string) func(json.RawMessage) string {
	return func(v json.RawMessage) string {
		if json.Unmarshal(v, to) != nil || !filepath.IsAbs(*to) {
			return "must be the full path of a file"
		}
		return ""
	}
}
