package memstore_test

import (
	"strconv"
	"sync"
	"testing"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/storetest"
	"github.com/testigo/testigo/storetest/memstore"
)

// The model passes the suite that it is a model in. Places are names here: there is nothing on disk to open again.
func TestConformance(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	places := map[string]*memstore.Store{}
	storetest.Run(t, func(_ *testing.T, o storetest.Options) testigo.Store {
		mu.Lock()
		defer mu.Unlock()
		if s, ok := places[o.Place]; ok {
			return s.Again()
		}
		s := memstore.New(memstore.Options{Clock: o.Clock, Flat: o.Flat})
		places[o.Place] = s
		return s
	})
}

// A simulation takes hundreds of thousands of steps; one transaction with a handful of rows has to stay in microseconds,
// however much there is already.
func BenchmarkWrite(b *testing.B) {
	ctx := b.Context()
	s := memstore.New(memstore.Options{})
	for b.Loop() {
		if err := s.Write(ctx, func(tx testigo.Tx) error {
			seq := tx.NextSeq()
			v := testigo.Version{Seq: seq, Number: 1, Leaf: seq, CreatedAt: tx.Now(), Author: "scout",
				Name: testigo.Name{Project: "p", Scope: "s", Key: strconv.FormatInt(seq, 10)}}
			if err := tx.PutVersion(ctx, v, testigo.IndexText{Body: "one two three four five"}); err != nil {
				return err
			}
			return tx.PutEvent(ctx, testigo.Event{Seq: tx.NextSeq(), Subject: "s", At: tx.Now()})
		}); err != nil {
			b.Fatal(err)
		}
	}
}
