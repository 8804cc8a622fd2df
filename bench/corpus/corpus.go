package corpus

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Corpus makes writes and questions. Each is computed from its number alone, so that processes need to share only the seed.
type Corpus struct {
	seed uint64
	lex  *lexicon
}

// New returns the corpus of a seed.
func New(seed uint64) *Corpus { return &Corpus{seed, newLexicon(seed)} }

// Write is one call of remember.
type Write struct {
	Scope, Key string
	Value      json.RawMessage
	Text       string // of the value
	Tags       []string
	Number     int // the version it makes when all writes before it were made
}

// rewriteEvery writes one is a new version of an older fact.
const rewriteEvery = 10

// Facts is how many facts the first n writes make.
func Facts(n int) int { return n - n/rewriteEvery }

// Writes is how many writes make n facts.
func Writes(n int) int {
	w := n * rewriteEvery / (rewriteEvery - 1)
	for Facts(w) < n {
		w++
	}
	return w
}

// Write returns write number i, from 0.
func (c *Corpus) Write(i int) Write {
	about, number := subject(i)
	name := c.random(about, 2)
	topic := name.IntN(topics)
	w := Write{Scope: c.Scope(topic), Number: number}
	w.Key = fmt.Sprintf("%s-%s-%d", c.lex.word(name, topic), c.lex.word(name, topic), about)

	r := c.random(i, 3)
	w.Text = c.text(r, topic, 200+r.IntN(200))
	var err error
	if r.IntN(2) == 0 {
		w.Value, err = json.Marshal(w.Text)
	} else {
		w.Value, err = json.Marshal(map[string]string{"note": w.Text})
		w.Tags = []string{c.lex.words[c.lex.topic[topic][1+r.IntN(5)]]}
	}
	if err != nil {
		panic(err) // strings always encode
	}
	return w
}

// subject is the number of the fact that write i is about, and the version it makes. The writes 9, 19, 29 … go back half
// of the way: each fact …2 is rewritten twice.
func subject(i int) (fact, number int) {
	if i%rewriteEvery != rewriteEvery-1 {
		return i, 1
	}
	block := i / rewriteEvery
	return block/2*rewriteEvery + 2, 2 + block%2
}

// Rewritten reports whether a later write may be about the same fact as write i.
func Rewritten(i int) bool { return i%rewriteEvery == 2 }

// Scopes is the number of scopes, of about equal size.
const Scopes = topics

// Scope is the scope of a topic.
func (c *Corpus) Scope(topic int) string { return "team/" + c.lex.names[topic] }

// text makes sentences of at least size bytes.
func (c *Corpus) text(r *rand.Rand, topic, size int) string {
	var b strings.Builder
	left := 0 // words of the sentence
	for b.Len() < size {
		start := left == 0
		if start {
			left = 6 + r.IntN(10)
			if b.Len() > 0 {
				b.WriteString(". ")
			}
		} else {
			b.WriteByte(' ')
		}
		left--
		w := c.next(r, topic)
		if start {
			w = strings.ToUpper(w[:1]) + w[1:]
		}
		b.WriteString(w)
	}
	return b.String() + "."
}

// next is a function word, a content word or, rarely, an identifier.
func (c *Corpus) next(r *rand.Rand, topic int) string {
	switch n := r.IntN(100); {
	case n < 40:
		return pick(r, function)
	case n < 97:
		return c.lex.word(r, topic)
	}
	a, b := c.lex.word(r, topic), c.lex.word(r, topic)
	switch r.IntN(3) {
	case 0:
		return a + strings.ToUpper(b[:1]) + b[1:]
	case 1:
		return fmt.Sprintf("TKT-%d", 100+r.IntN(900))
	}
	return a + "/" + b + ".go"
}

// Question is a search.
type Question struct {
	Text       string
	Words      []string // the words of the fact in it
	Scope, Key string   // of the fact it was made from
}

// Question returns question number i about one of the first n writes, one that no other write changed.
func (c *Corpus) Question(i, n int) Question {
	r := c.random(i, 4)
	about := r.IntN(n)
	for Rewritten(about) || about%rewriteEvery == rewriteEvery-1 {
		about = r.IntN(n)
	}
	w := c.Write(about)
	words := strings.FieldsFunc(w.Text, func(r rune) bool { return r == ' ' || r == '.' })
	var kept []string
	for want := 3 + r.IntN(4); len(kept) < want && len(words) > 0; {
		at := r.IntN(len(words))
		if word := strings.ToLower(words[at]); !isFunction(word) {
			kept = append(kept, word)
		}
		words = append(words[:at], words[at+1:]...)
	}
	return Question{Text: "what was said about " + strings.Join(kept, " and "), Words: kept, Scope: w.Scope, Key: w.Key}
}

// Name returns the name of one of the facts that the first n writes made.
func (c *Corpus) Name(i, n int) (scope, key string) {
	w := c.Write(c.random(i, 5).IntN(n))
	return w.Scope, w.Key
}

func isFunction(word string) bool {
	for _, f := range function {
		if f == word {
			return true
		}
	}
	return false
}

func (c *Corpus) random(i int, purpose uint64) *rand.Rand {
	return rand.New(rand.NewPCG(c.seed<<8|purpose, uint64(i)))
}
