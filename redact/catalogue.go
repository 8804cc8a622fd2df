package redact

import (
	"slices"
	"strings"
	"sync"

	"github.com/zricethezav/gitleaks/v8/config"
)

// catalogue is every rule there is, as far as it is known without compiling one.
type catalogue struct {
	upstream []*rule
	names    map[string]bool
	words    *finder
	users    [][]int    // by word: the upstream rules that word wakes
	own      []nameKind // by word: what an assignment to a name with that word means
}

// rules reads the catalogue once, at the first redaction and never at program start: most commands redact nothing.
var rules = sync.OnceValue(func() *catalogue { return newCatalogue(config.DefaultConfig) })

// replaced reports whether an upstream rule is not used. Each has a reason.
func replaced(id string) bool {
	switch id {
	case "generic-api-key":
		// Takes digests for keys and is nine tenths of the cost; assign.go looks near the word instead.
		return true
	case "jwt":
		// Woken by the letters "ey", so by most English texts, and blind to a token before a comma; see jwtSpans.
		return true
	case "hashicorp-tf-password":
		// Meant for Terraform files alone: elsewhere it takes any quoted word after "password" for a secret.
		return true
	}
	return false
}

const (
	rulePrivate    = "private"
	rulePEM        = "private-key"
	ruleJWT        = "jwt"
	ruleURL        = "url-password"
	ruleConnection = "connection-string"
	ruleAssigned   = "assigned-secret"
	ruleHeader     = "authorization-header"
)

func newCatalogue(toml string) *catalogue {
	c := &catalogue{names: map[string]bool{
		rulePrivate: true, rulePEM: true, ruleJWT: true, ruleURL: true,
		ruleConnection: true, ruleAssigned: true, ruleHeader: true,
	}}
	number := map[string]int{}
	var words []string
	add := func(word string) int {
		n, ok := number[word]
		if !ok {
			n = len(words)
			number[word] = n
			words = append(words, word)
			c.users = append(c.users, nil)
			c.own = append(c.own, kindNone)
		}
		return n
	}
	for _, r := range readRules(toml) {
		c.names[r.id] = true
		if replaced(r.id) {
			continue
		}
		for _, k := range r.keywords {
			w := add(k)
			c.users[w] = append(c.users[w], len(c.upstream))
		}
		c.upstream = append(c.upstream, r)
	}
	for _, s := range secretWords {
		c.own[add(s.word)] = s.kind
	}
	c.words = newFinder(words)
	return c
}

func (c *catalogue) known(name string) bool { return c.names[name] }

// readRules splits the upstream file into its rules and reads the two things that decide whether a rule is needed.
// Reading the whole file with a TOML parser costs about 30 ms, ten times what a hook may take to start. The file is
// generated, so its layout is regular; TestCatalogueMatchesTOML compares this reading with a parser's.
func readRules(toml string) []*rule {
	const head = "\n[[rules]]\n"
	var list []*rule
	_, rest, more := strings.Cut(toml, head)
	for more {
		var block string
		block, rest, more = strings.Cut(rest, head)
		r := &rule{block: block, id: quotedAfter(block, "id = ")}
		if _, tail, ok := strings.Cut(block, "\nkeywords = ["); ok {
			array, _, _ := strings.Cut(tail, "]")
			for word := range strings.SplitSeq(array, ",") {
				if word = strings.Trim(word, " \t\r\n\""); len(word) >= 2 {
					r.keywords = append(r.keywords, strings.ToLower(word))
				}
			}
		}
		if r.id != "" && len(r.keywords) > 0 {
			list = append(list, r)
		}
	}
	return list
}

// quotedAfter returns the quoted value of the block's first line that starts with key.
func quotedAfter(block, key string) string {
	for line := range strings.Lines(block) {
		if value, ok := strings.CutPrefix(line, key); ok {
			return strings.Trim(value, "\"\r\n ")
		}
	}
	return ""
}

// upstreamSpans runs the upstream rules that a word in s wakes.
func (c *catalogue) upstreamSpans(s string, hits []hit) []span {
	var at map[int][]int
	for _, h := range hits {
		for _, r := range c.users[h.word] {
			if at == nil {
				at = map[int][]int{}
			}
			at[r] = append(at[r], h.pos)
		}
	}
	if at == nil {
		return nil
	}
	numbers := make([]int, 0, len(at))
	for n := range at {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	low := sync.OnceValue(func() string { return strings.ToLower(s) })
	var found []span
	for _, n := range numbers {
		found = append(found, c.upstream[n].spans(s, low, at[n])...)
	}
	return found
}
