package search

import (
	"strings"
	"sync/atomic"

	"github.com/kljensen/snowball/english"
)

// stopWords say how a sentence is built and not what it is about. The index holds them as they are, so that a query made
// of nothing else ("to be or not") still finds its text; every other query drops them.
var stopWords = func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(`
		a an the this that these those such
		i me my mine myself we us our ours ourselves you your yours yourself yourselves
		he him his himself she her hers herself it its itself they them their theirs themselves
		and or but nor so if then than because as while although though until unless whether
		of at by for with about against between into through during before after above below to from up down in out on
		off over under again further upon within without toward towards
		be am is are was were been being do does did doing done have has had having
		can could will would shall should may might must ought
		don isn aren wasn weren hasn haven hadn doesn didn couldn wouldn shouldn mustn needn ain
		what when where who whom whose which why how
		here there now just also only very too not no any some all both each few more most other own same
		ever else there s t d ll m re ve`) {
		set[w] = true
	}
	return set
}()

func isStop(word []byte) bool { return len(word) <= 10 && stopWords[string(word)] }

// stemMemoSize is the number of remembered stems: 4,096 cover the running vocabulary of a long session, and at about
// 80 bytes each the memo stays below half a megabyte.
const stemMemoSize = 1 << 12

type stemmed struct{ word, stem string }

// stemMemo remembers a pure function, which costs a microsecond a word otherwise. Whatever it holds or forgets, the
// answers are the same.
var stemMemo [stemMemoSize]atomic.Pointer[stemmed]

// stem returns the root form of an English word, and whether there is one: stop words, words of one or two letters, and
// whatever holds anything but a to z are terms as they are.
func stem(word []byte) (root string, ok bool) {
	if len(word) < 3 || len(word) > MaxTermBytes {
		return "", false
	}
	h := uint32(2166136261)
	for _, c := range word {
		if c < 'a' || c > 'z' {
			return "", false
		}
		h = (h ^ uint32(c)) * 16777619
	}
	slot := &stemMemo[(h^h>>16)%stemMemoSize]
	m := slot.Load()
	if m == nil || m.word != string(word) {
		m = newStemmed(string(word))
		slot.Store(m)
	}
	return m.stem, true
}

func newStemmed(word string) *stemmed {
	if stopWords[word] {
		return &stemmed{word, word}
	}
	base, ok := irregular[word]
	if !ok {
		base = word
	}
	if root := english.Stem(base, true); root != "" {
		return &stemmed{word, root}
	}
	return &stemmed{word, word}
}
