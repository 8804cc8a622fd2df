package redact

import (
	"math"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
)

// rule is one upstream rule. Its block is parsed when one of its keywords occurs, its expression compiled when the
// text also holds everything a match cannot do without.
type rule struct {
	id       string
	keywords []string
	block    string

	parse sync.Once
	body  ruleBody
	shape shape

	compile sync.Once
	re      *regexp.Regexp
	allowed []allowance
}

// ruleBody is what a block says, without the parts that need a file's path or a commit. Those narrow a rule to some
// files or excuse a find in them; a text has no path, so a rule is never narrowed or excused that way.
type ruleBody struct {
	Regex       string      `toml:"regex"`
	SecretGroup int         `toml:"secretGroup"`
	Entropy     float64     `toml:"entropy"`
	Allowlists  []allowlist `toml:"allowlists"`
}

type allowlist struct {
	Condition   string   `toml:"condition"`
	RegexTarget string   `toml:"regexTarget"`
	Regexes     []string `toml:"regexes"`
}

type allowance struct {
	re     *regexp.Regexp
	target string
}

// Many upstream expressions want a quote, a space or a semicolon after the secret. In prose a comma, a bracket or a
// full stop follows just as often, so that ending is widened.
const (
	narrowEnd = `(?:[\x60'"\s;]|\\[nr]|$)`
	wideEnd   = `(?:[\x60'"\s;,.:()<>{}|&\\\]\[]|$)`
)

// nameStart lets the vendor's name of an upstream expression begin anywhere in a longer one. It may be empty and is no
// part of the secret, so without it the same secrets are found, several times as fast.
const nameStart = `[\w.-]{0,50}?`

// load parses the block. A block that does not parse leaves a rule that finds nothing; the file is part of the
// program, and TestEveryRuleCompiles goes through all of it.
func (r *rule) load() {
	r.parse.Do(func() {
		var file struct {
			Rules []ruleBody `toml:"rules"`
		}
		if err := toml.Unmarshal([]byte("[[rules]]\n"+r.block), &file); err != nil || len(file.Rules) != 1 {
			return
		}
		r.body = file.Rules[0]
		r.body.Regex = strings.ReplaceAll(r.body.Regex, narrowEnd, wideEnd)
		r.body.Regex = strings.ReplaceAll(r.body.Regex, nameStart, "")
		if r.body.Regex == "" {
			return
		}
		if tree, err := syntax.Parse(r.body.Regex, syntax.Perl); err == nil {
			r.shape = shapeOf(tree, r.keywords)
		}
	})
}

func (r *rule) expression() *regexp.Regexp {
	r.compile.Do(func() {
		re, err := regexp.Compile(r.body.Regex)
		if err != nil || r.body.SecretGroup > re.NumSubexp() {
			return
		}
		r.re = re
		for _, a := range r.body.Allowlists {
			// An allowance that also depends on a path or commit cannot be granted to a text.
			if strings.EqualFold(a.Condition, "and") {
				continue
			}
			for _, expr := range a.Regexes {
				// Upstream lets an expression match any part of the secret, so that `:test` in the middle of
				// a password excuses all of it. Here it has to be the whole.
				if re, err := regexp.Compile(`\A(?:` + expr + `)\z`); err == nil {
					r.allowed = append(r.allowed, allowance{re: re, target: a.RegexTarget})
				}
			}
		}
	})
	return r.re
}

// spans finds the rule's secrets in s; at are the places of its keywords.
func (r *rule) spans(s string, low func() string, at []int) []span {
	r.load()
	if r.body.Regex == "" {
		return nil
	}
	for _, literal := range r.shape.needs {
		if !strings.Contains(low(), literal) {
			return nil
		}
	}
	re := r.expression()
	if re == nil {
		return nil
	}
	var found []span
	for _, w := range r.shape.windows(s, at) {
		part := s[w.start:w.end]
		for _, m := range re.FindAllStringSubmatchIndex(part, -1) {
			start, end := secretOf(m, r.body.SecretGroup)
			if start == end || r.excused(part, m, part[start:end]) {
				continue
			}
			found = append(found, span{start: w.start + start, end: w.start + end, rule: r.id})
		}
	}
	return found
}

// secretOf picks the part of a match that is the secret: the group the rule names, else its first group that took
// part, else all of it.
func secretOf(m []int, group int) (start, end int) {
	if group > 0 {
		return max(m[2*group], 0), max(m[2*group+1], 0)
	}
	for i := 2; i < len(m); i += 2 {
		if m[i] >= 0 && m[i] < m[i+1] {
			return m[i], m[i+1]
		}
	}
	return m[0], m[1]
}

func (r *rule) excused(part string, m []int, secret string) bool {
	if r.body.Entropy > 0 && entropy(secret) <= r.body.Entropy {
		return true
	}
	if isExample(secret) {
		return true
	}
	for _, a := range r.allowed {
		target := secret
		switch a.target {
		case "match":
			target = part[m[0]:m[1]]
		case "line":
			continue // a comment on the line does not make a secret public
		}
		if a.re.MatchString(target) {
			return true
		}
	}
	return false
}

// entropy is the Shannon entropy of s in bits a character.
func entropy(s string) float64 {
	if s == "" {
		return 0
	}
	var ascii [utf8.RuneSelf]int
	var wide map[rune]int
	total := 0
	for _, c := range s {
		total++
		if c < utf8.RuneSelf {
			ascii[c]++
			continue
		}
		if wide == nil {
			wide = map[rune]int{}
		}
		wide[c]++
	}
	bits := 0.0
	add := func(n int) {
		if n > 0 {
			p := float64(n) / float64(total)
			bits -= p * math.Log2(p)
		}
	}
	for _, n := range ascii {
		add(n)
	}
	for _, n := range wide {
		add(n)
	}
	return bits
}
