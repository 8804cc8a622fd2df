package stock

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/bench/bare"
	"github.com/testigo/testigo/bench/corpus"
	"github.com/testigo/testigo/canonical"
	"github.com/testigo/testigo/search"
	"github.com/testigo/testigo/witness"
)

// maker makes versions one after another as remember would.
type maker struct {
	corpus  *corpus.Corpus
	project string
	// who tells the author and session of a write.
	who   func(i int) (author, session string)
	heads map[string]testigo.Hash // of facts that will be written again
	log   testigo.LogState

	session string
	before  []testigo.IndexText // of the session, newest first
}

// begin is the day all versions were written on: the same rows on every run.
var begin = time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC)

// version makes the version of write i; the caller gives it its sequence number.
func (m *maker) version(i int) (testigo.Version, testigo.IndexText, error) {
	w := m.corpus.Write(i)
	name, err := testigo.NewName(m.project, w.Scope, w.Key)
	if err != nil {
		return testigo.Version{}, testigo.IndexText{}, err
	}
	value, err := canonical.Value("value", w.Value)
	if err != nil {
		return testigo.Version{}, testigo.IndexText{}, err
	}
	author, session := m.who(i)
	v := testigo.Version{
		Name: name, Number: w.Number, Value: value, Tags: w.Tags, Confidence: testigo.DefaultConfidence, Author: author,
		Session: session, CreatedAt: begin.Add(time.Duration(i) * time.Second), Salt: salt(i), PrevHash: m.heads[name.String()], Leaf: m.log.Size,
	}
	if w.Number > 1 && v.PrevHash.IsZero() {
		return v, testigo.IndexText{}, fmt.Errorf("write %d follows a version that was not made here", i)
	}
	v.BodyHash = testigo.BodyHash(v.Salt, canonical.Body(v))
	v.Hash = testigo.LinkHash(v.PrevHash, v.BodyHash)
	m.log = witness.Append(m.log, v.Hash)
	if session != m.session {
		m.session, m.before = session, nil
	}
	text := search.Index(v, m.before)
	m.before = append([]testigo.IndexText{text}, m.before[:min(1, len(m.before))]...)
	if w.Number > 1 || corpus.Rewritten(i) {
		m.heads[name.String()] = v.Hash
	}
	return v, text, nil
}

func salt(i int) []byte {
	r := rand.New(rand.NewPCG(99, uint64(i)))
	b := make([]byte, 0, testigo.SaltBytes)
	for len(b) < testigo.SaltBytes {
		b = append(b, byte(r.Uint32()))
	}
	return b
}

// Prepared is one write with everything that can be known before it.
type Prepared struct {
	Version testigo.Version // without its sequence number
	Text    testigo.IndexText
	Log     testigo.LogState // after it
}

// Prepare computes the first n writes, all of one author and session.
func Prepare(c *corpus.Corpus, n int, project, author, session string) ([]Prepared, error) {
	m := &maker{corpus: c, project: project, who: func(int) (string, string) { return author, session }, heads: map[string]testigo.Hash{}}
	list := make([]Prepared, n)
	for i := range list {
		v, text, err := m.version(i)
		if err != nil {
			return nil, err
		}
		list[i] = Prepared{v, text, m.log}
	}
	return list, nil
}

// Rows are the same writes for package bare.
func Rows(list []Prepared) ([]bare.Row, error) {
	rows := make([]bare.Row, len(list))
	for i := range list {
		v, text, log := &list[i].Version, list[i].Text, &list[i].Log
		r := bare.Row{
			Project: v.Name.Project, Scope: v.Name.Scope, Key: v.Name.Key, Author: v.Author, Session: v.Session, Value: string(v.Value),
			Confidence: v.Confidence, CreatedAt: v.CreatedAt.UnixMilli(), Filter: text.Filter, Body: text.Body, Context: text.Context,
			BodyTerms: terms(text.Body), ContextTerms: terms(text.Context), Salt: v.Salt, Prev: v.PrevHash[:], Inner: v.BodyHash[:],
			Hash: v.Hash[:], Root: log.Root[:],
		}
		for _, h := range log.Frontier {
			r.Frontier = append(r.Frontier, h[:]...)
		}
		if len(v.Tags) > 0 {
			var err error
			if r.Tags, err = json.Marshal(v.Tags); err != nil {
				return nil, err
			}
		}
		rows[i] = r
	}
	return rows, nil
}

func terms(text string) int64 { return int64(len(strings.Fields(text))) }
