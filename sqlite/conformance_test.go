package sqlite

import (
	"context"
	"path/filepath"
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
		return s
	})
}
