package sqlite

import (
	"sync"
	"time"

	"github.com/testigo/testigo"
)

const (
	// estimateLife and estimateDrift say how long an estimate is good: a minute, or until a tenth of the store is other.
	estimateLife  = time.Minute
	estimateDrift = 10
	// cachedTerms bounds the memory of the cache: about 1 MB.
	cachedTerms = 10_000
)

// termCache remembers in how many rows terms occur. Exact counts are good until the next change of an index text;
// estimates, of terms that occur in more rows than are counted exactly, for a while.
type termCache struct {
	mu      sync.Mutex
	changes int64 // the state of the index texts that exact is true of
	exact   map[string]int
	docs    int64 // the size of the index when rough was filled
	since   time.Time
	rough   map[string]int
}

func (c *termCache) get(match string, log *logRow) (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changes == log.changes {
		if n, ok := c.exact[match]; ok {
			return n, true
		}
	}
	if drift := c.docs - log.docs; max(drift, -drift)*estimateDrift <= c.docs && time.Since(c.since) < estimateLife {
		n, ok := c.rough[match]
		return n, ok
	}
	return 0, false
}

func (c *termCache) put(match string, n int, log *logRow) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n <= testigo.CountLimit {
		if c.exact == nil || c.changes != log.changes || len(c.exact) >= cachedTerms {
			c.changes, c.exact = log.changes, map[string]int{}
		}
		c.exact[match] = n
		return
	}
	drift := c.docs - log.docs
	if c.rough == nil || max(drift, -drift)*estimateDrift > c.docs || time.Since(c.since) >= estimateLife || len(c.rough) >= cachedTerms {
		c.docs, c.since, c.rough = log.docs, time.Now(), map[string]int{}
	}
	c.rough[match] = n
}

// rowsOf tells in how many rows a term occurs: exactly up to CountLimit, and beyond that estimated from how far its first
// rows reach. Counting all rows of a frequent term would cost more than the search itself.
func (v *view) rowsOf(match string) (int, error) {
	cache := &v.s.terms
	if !v.writing { // a write may see rows that nobody else ever will
		if n, ok := cache.get(match, &v.log); ok {
			return n, nil
		}
	}
	var n int
	var last int64
	if err := v.k.row("term_rows", []any{match, testigo.CountLimit + 1}, &n, &last); err != nil {
		return 0, err
	}
	if n > testigo.CountLimit {
		var from, to int64
		if err := v.k.row("text_ends", nil, &from, &to); err != nil {
			return 0, err
		}
		whole, reached := float64(to-from+1), float64(max(last-from+1, 1))
		n = min(max(int(float64(n)*whole/reached), n), int(v.log.docs))
	}
	if !v.writing {
		cache.put(match, n, &v.log)
	}
	return n, nil
}
