package engine

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// Limits of one look at a status page.
const (
	fetchWithin = 5 * time.Second
	fetchBytes  = 1_000_000
)

// Guard keeps what status pages said, and fetches them in the background: asking it never waits.
type Guard struct {
	// Fetch reads a page; nil is a plain GET.
	Fetch func(ctx context.Context, url string) ([]byte, error)
	Clock func() time.Time

	mu      sync.Mutex
	configs []GuardConfig
	pages   map[string]*heardOf
	fetches sync.WaitGroup
}

// heardOf is the last answer of one page. A failed fetch is an empty page, which holds nothing.
type heardOf struct {
	page     []byte
	at       time.Time
	fetching bool
}

// Set replaces the guards; no restart is needed.
func (g *Guard) Set(configs []GuardConfig) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.configs = configs
}

// Reason says why a provider's targets should wait, as far as it is known now, or "". It is Options.Outage.
func (g *Guard) Reason(provider string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.configs {
		if !c.For(provider) {
			continue
		}
		h := g.heard(c.URL)
		if !h.fetching && (h.at.IsZero() || g.now().Sub(h.at) >= c.Life()) {
			h.fetching = true
			g.fetches.Go(func() { g.fetch(c.URL) })
		}
		if why := c.Down(h.page); why != "" {
			return why
		}
	}
	return ""
}

// Wait returns when no fetch is under way.
func (g *Guard) Wait() { g.fetches.Wait() }

func (g *Guard) heard(url string) *heardOf {
	if g.pages == nil {
		g.pages = map[string]*heardOf{}
	}
	if g.pages[url] == nil {
		g.pages[url] = &heardOf{}
	}
	return g.pages[url]
}

func (g *Guard) fetch(url string) {
	ctx, cancel := context.WithTimeout(context.Background(), fetchWithin)
	defer cancel()
	get := g.Fetch
	if get == nil {
		get = httpGet
	}
	page, err := get(ctx, url)
	if err != nil {
		page = nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	h := g.heard(url)
	h.page, h.at, h.fetching = page, g.now(), false
}

func (g *Guard) now() time.Time {
	if g.Clock == nil {
		return time.Now()
	}
	return g.Clock()
}

func httpGet(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, http.ErrNotSupported
	}
	return io.ReadAll(io.LimitReader(res.Body, fetchBytes))
}
