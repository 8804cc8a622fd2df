package corpus

import (
	"math/rand/v2"
	"sort"
	"strconv"
	"strings"
)

const (
	vocabulary = 30_000
	topics     = 50
	topicWords = 300
	// With these offsets the commonest word stands in one fact of twenty, and the commonest of a topic in half of its facts.
	offset      = 30
	topicOffset = 6
)

var (
	onsets  = strings.Fields("b br c ch cl d dr f fl g gr h j k l m n p pl pr qu r s sh sk sl st str t th tr v w z")
	vowels  = strings.Fields("a e i o u a e i o u a e i o ea ee oa ou")
	codas   = strings.Fields("b ck d ft g l ll m mp n nd nt p r rd rn s sh sk st t th x ve se ne")
	endings = strings.Fields("ing ed s er ion ly ment ness able")
)

// function words hold sentences together; search drops most of them.
var function = strings.Fields("the a of to in is that it for on with as was be by at this are from or an which not have has but " +
	"they you we when if then so after before while because about into over under can will must should only each all any its")

// lexicon is the invented language.
type lexicon struct {
	words  []string  // most frequent first
	chance []float64 // cumulated, of words
	topic  [topics][]int
	names  [topics]string
}

func newLexicon(seed uint64) *lexicon {
	r := rand.New(rand.NewPCG(seed, 1))
	l := &lexicon{words: make([]string, 0, vocabulary), chance: zipf(vocabulary, offset)}
	taken := map[string]bool{}
	for _, w := range function {
		taken[w] = true
	}
	for len(l.words) < vocabulary {
		if w := invent(r); !taken[w] {
			taken[w] = true
			l.words = append(l.words, w)
		}
	}
	for t := range l.topic {
		l.topic[t] = make([]int, topicWords)
		for i := range l.topic[t] {
			l.topic[t][i] = 50 + r.IntN(vocabulary/3) // not the commonest, not the rarest
		}
		l.names[t] = l.words[l.topic[t][0]] + strconv.Itoa(t)
	}
	return l
}

// invent makes a word of one to three syllables, now and then with an ending.
func invent(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(2) + r.IntN(3)/2 {
		b.WriteString(pick(r, onsets))
		b.WriteString(pick(r, vowels))
	}
	b.WriteString(pick(r, codas))
	if r.IntN(4) == 0 {
		b.WriteString(pick(r, endings))
	}
	return b.String()
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

// zipf is the cumulated chance of n ranks by Zipf's law with Mandelbrot's offset, which flattens the head: without
// function words no word of English is as common as the plain law says.
func zipf(n int, offset float64) []float64 {
	out := make([]float64, n)
	sum := 0.0
	for i := range out {
		sum += 1 / (float64(i+1) + offset)
		out[i] = sum
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// rank draws a rank by its chance.
func rank(r *rand.Rand, chance []float64) int {
	return min(sort.SearchFloat64s(chance, r.Float64()), len(chance)-1)
}

var topicChance = zipf(topicWords, topicOffset)

// word draws a content word of a topic.
func (l *lexicon) word(r *rand.Rand, topic int) string {
	if r.IntN(2) == 0 {
		return l.words[l.topic[topic][rank(r, topicChance)]]
	}
	return l.words[rank(r, l.chance)]
}
