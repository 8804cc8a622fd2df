package workspace

import (
	"net/url"
	"strings"

	"github.com/testigo/testigo"
)

// defaultPorts are left out of a normalised remote: the same server over another transport is the same remote.
var defaultPorts = map[string]string{"ssh": "22", "git+ssh": "22", "https": "443", "http": "80", "git": "9418"}

// normaliseRemote writes a remote address so that clones over different transports agree: host/path, host in lower
// case, without scheme, user, default port and .git. Credentials are never kept: what cannot be taken apart with
// certainty gives "", and so do local paths, which say nothing on another machine.
func normaliseRemote(raw string) string {
	raw = strings.TrimSpace(raw)
	if _, bad := testigo.HasHidden(raw); bad || raw == "" || strings.Contains(raw, `\`) {
		return ""
	}
	host, path := "", ""
	if strings.Contains(raw, "://") {
		u, err := url.Parse(raw)
		if err != nil {
			return ""
		}
		scheme := strings.ToLower(u.Scheme)
		port, ok := defaultPorts[scheme]
		if !ok {
			return ""
		}
		host, path = strings.ToLower(u.Host), u.EscapedPath()
		host = strings.TrimSuffix(host, ":"+port)
	} else {
		host, path = splitSCP(raw)
	}
	path = strings.Trim(path, "/")
	path = strings.TrimSuffix(strings.TrimSuffix(path, ".git"), "/")
	if host == "" || path == "" || strings.Contains(path, "@") {
		return ""
	}
	return host + "/" + path
}

// splitSCP splits [user@]host:path; ssh's short form has neither scheme nor port.
func splitSCP(raw string) (host, path string) {
	if strings.Contains(raw, "::") && !strings.Contains(raw, "[") { // helper::address
		return "", ""
	}
	authority, _, _ := strings.Cut(raw, "/")
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		raw = raw[i+1:]
	}
	if strings.HasPrefix(raw, "[") { // [2001:db8::1]:path
		host, path, _ = strings.Cut(raw, "]:")
		return strings.ToLower(host) + "]", path
	}
	host, path, ok := strings.Cut(raw, ":")
	if !ok || len(host) < 2 || strings.Contains(host, "/") { // a path, or a drive letter
		return "", ""
	}
	return strings.ToLower(host), path
}
