package memstore

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/testigo/testigo"
)

// Scrub implements testigo.Store. There are no files; what a word could still be found in are the rows.
func (s *Store) Scrub(ctx context.Context, words []string) (testigo.ScrubReport, error) {
	if err := s.usable(ctx); err != nil {
		return testigo.ScrubReport{}, err
	}
	var found []string
	st := s.data.head.Load()
	for _, word := range sortedWords(words) {
		look := func(table string, rows int) {
			if rows > 0 {
				found = append(found, fmt.Sprintf("%d rows of %s", rows, table))
			}
		}
		look("versions", holding(st.versions, word))
		look("index texts", holding(st.texts(), word))
		look("outcomes", holding(st.outcomes, word))
		look("requests", holding(st.requests, word))
		look("events", holding(st.events, word))
		look("handoffs", holding(st.handoffs, word))
		look("deliveries", holding(st.deliveries.byID, word))
	}
	return testigo.ScrubReport{Clean: len(found) == 0, Found: found}, nil
}

// holding counts the rows whose text holds word.
func holding[K, V any](rows table[K, V], word string) int {
	n := 0
	for _, row := range rows.all() {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(row); err != nil {
			continue // a row that is no JSON was not written by us
		}
		if bytes.Contains(b.Bytes(), []byte(word)) {
			n++
		}
	}
	return n
}

func (s *state) texts() table[int64, testigo.IndexText] {
	texts := newTable[int64, testigo.IndexText](s.docs.compare)
	for seq, d := range s.docs.all() {
		texts.set(seq, d.text)
	}
	return texts
}

// Reindex implements testigo.Store.
func (s *Store) Reindex(ctx context.Context) error {
	return s.Write(ctx, func(w testigo.Tx) error {
		t := w.(*tx)
		for seq, text := range t.state.texts().all() {
			t.state.docs.set(seq, newDoc(text))
		}
		return nil
	})
}

// CheckIndex implements testigo.Store.
func (s *Store) CheckIndex(ctx context.Context) ([]testigo.Damage, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	var list []testigo.Damage
	st := s.data.head.Load()
	for seq, row := range st.versions.all() {
		d, indexed := st.docs.get(seq)
		detail := ""
		switch wanted := row.Current() && !row.Erased(); {
		case wanted && !indexed:
			detail = "a current version is not in the index"
		case !wanted && indexed:
			detail = "the index holds a version that is not current or was erased"
		case indexed && !reflect.DeepEqual(d, newDoc(d.text)):
			detail = "the index does not match the index text"
		default:
			continue
		}
		list = append(list, testigo.Damage{Kind: testigo.IndexDiffers, Name: row.Name.String(), Project: row.Name.Project,
			Version: row.Number, Leaf: row.Leaf, Detail: detail})
	}
	return list, nil
}
