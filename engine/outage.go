package engine

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// GuardConfig says where a provider tells that it is down, and which of its components matter.
type GuardConfig struct {
	// Provider whose targets are held.
	Provider string `json:"provider"`
	// Preset fills in the rest: "openai" or "anthropic".
	Preset          string   `json:"preset,omitempty"`
	URL             string   `json:"url,omitempty"`
	Components      []string `json:"components,omitempty"`
	IncidentKeyword string   `json:"incident_keyword,omitempty"`
	// TTL is how many seconds an answer, a failed one too, is good for; 0 is 60.
	TTL int `json:"ttl,omitempty"`
}

var presets = map[string]GuardConfig{
	"openai": {URL: "https://status.openai.com/api/v2/summary.json", Components: []string{"Codex API", "CLI", "VS Code extension"},
		IncidentKeyword: "codex"},
	"anthropic": {URL: "https://status.anthropic.com/api/v2/summary.json", Components: []string{"Claude API (api.anthropic.com)", "Claude Code"},
		IncidentKeyword: "claude"},
}

// ParseGuard reads a guard's setting. The reference's shape names no provider: its preset "openai-codex" is for codex, a
// custom one for all providers, which Provider "*" says.
func ParseGuard(raw json.RawMessage) (GuardConfig, error) {
	var c GuardConfig
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return c, fmt.Errorf("outage guard: %w", err)
	}
	if c.Preset == "openai-codex" {
		c.Preset = "openai"
		if c.Provider == "" {
			c.Provider = "codex"
		}
	}
	if c.Provider == "" {
		c.Provider = "*"
	}
	if c.Preset != "" {
		p, known := presets[c.Preset]
		if !known || c.URL != "" || c.Components != nil || c.IncidentKeyword != "" {
			return c, fmt.Errorf("outage guard: preset %q is unknown, or something else is given with it", c.Preset)
		}
		p.Provider, p.Preset, p.TTL = c.Provider, c.Preset, c.TTL
		c = p
	}
	u, err := url.Parse(c.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return c, fmt.Errorf("outage guard: %q is not an http(s) address", c.URL)
	case len(c.Components) == 0 || slices.Contains(c.Components, ""):
		return c, fmt.Errorf("outage guard: components are missing")
	case c.TTL < 0:
		return c, fmt.Errorf("outage guard: ttl is negative")
	}
	return c, nil
}

// For reports whether a guard holds a provider's targets.
func (c GuardConfig) For(provider string) bool { return c.Provider == "*" || c.Provider == provider }

// Life is how long an answer is good for.
func (c GuardConfig) Life() time.Duration {
	if c.TTL == 0 {
		return time.Minute
	}
	return time.Duration(c.TTL) * time.Second
}

type statusPage struct {
	Components []struct{ Name, Status string } `json:"components"`
	Incidents  []struct {
		Name, Status string
		Components   []struct{ Name string }
	} `json:"incidents"`
}

// Down reads a status page and says in one line which watched components are down, or "". A component is released by an
// incident of its own that is recovering; an incident found by the keyword alone counts for all. It holds until every
// component that is down has recovered, and what cannot be read holds nothing.
func (c GuardConfig) Down(page []byte) string {
	var p statusPage
	if json.Unmarshal(page, &p) != nil {
		return ""
	}
	var down []string
	for _, comp := range p.Components {
		watched := slices.ContainsFunc(c.Components, func(name string) bool { return strings.EqualFold(name, comp.Name) })
		if watched && isDown(comp.Status) && !c.recovering(p, comp.Name) && !slices.Contains(down, comp.Name) {
			down = append(down, line(comp.Name, nameChars))
		}
	}
	if len(down) == 0 {
		return ""
	}
	return "waiting for an outage to end: " + strings.Join(down, ", ")
}

func isDown(status string) bool {
	s := strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(status)))
	return s == "major_outage" || s == "full_outage"
}

// recovering reports whether incidents about a component exist and all of them are past their worst.
func (c GuardConfig) recovering(p statusPage, component string) bool {
	found := false
	for _, i := range p.Incidents {
		about := slices.ContainsFunc(i.Components, func(x struct{ Name string }) bool { return strings.EqualFold(x.Name, component) })
		if len(i.Components) == 0 && c.IncidentKeyword != "" {
			about = strings.Contains(strings.ToLower(i.Name), strings.ToLower(c.IncidentKeyword))
		}
		if !about {
			continue
		}
		if !slices.Contains([]string{"monitoring", "resolved", "postmortem"}, strings.ToLower(i.Status)) {
			return false
		}
		found = true
	}
	return found
}
