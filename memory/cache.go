package memory

import (
	"sync"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/search"
)

// textCache keeps the index text of the versions this process wrote last. A session's facts lend their words to the ones
// written right after them, and cutting them into words again was a seventh of the cost of a write.
type textCache struct {
	mu sync.Mutex
	// A version is known by its hash: the sequence number of a write that failed is given to another one.
	keys [cachedTexts]testigo.Hash
	text [cachedTexts]testigo.IndexText
	next int
}

// cachedTexts is a few sessions' worth of neighbours.
const cachedTexts = 16

// of makes the index text of v and keeps it.
func (c *textCache) of(v testigo.Version, before []testigo.IndexText) testigo.IndexText {
	t := search.Index(v, before)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keys[c.next], c.text[c.next] = v.Hash, testigo.IndexText{Filter: t.Filter, Body: t.Body}
	c.next = (c.next + 1) % cachedTexts
	return t
}

// plain returns the index text of v without context.
func (c *textCache) plain(v testigo.Version) testigo.IndexText {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, key := range c.keys {
		if key == v.Hash && !key.IsZero() {
			return c.text[i]
		}
	}
	return search.Index(v, nil)
}

// forget drops what was erased.
func (c *textCache) forget(h testigo.Hash) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.keys {
		if c.keys[i] == h {
			c.keys[i], c.text[i] = testigo.Hash{}, testigo.IndexText{}
		}
	}
}

// placeCache remembers for a moment which project a directory belongs to: a burst of writes need not look at the same
// folders each time. It is keyed by everything the answer depends on, so another directory is another question.
type placeCache struct {
	mu   sync.Mutex
	key  string
	at   time.Time
	kept testigo.Project
}

// placeFor is how long an answer is believed: shorter than anybody can make a repository and write to it by hand.
const placeFor = 200 * time.Millisecond

func (p *placeCache) project(c Caller, dir, explicit string, flat bool) (testigo.Project, error) {
	if explicit != "" || dir == "" {
		return c.project(dir, explicit, flat)
	}
	key := dir + "\x00" + c.Where.EnvProject + "\x00" + c.Where.Home + "\x00" + c.Where.TempDir
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); p.key == key && now.Sub(p.at) < placeFor {
		return p.kept, nil
	}
	found, err := c.project(dir, explicit, flat)
	if err == nil {
		p.key, p.at, p.kept = key, time.Now(), found
	}
	return found, err
}
