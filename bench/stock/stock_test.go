package stock

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite" // registers the driver

	"github.com/testigo/testigo/bench/bare"
	"github.com/testigo/testigo/bench/corpus"
	"github.com/testigo/testigo/memory"
	"github.com/testigo/testigo/search"
	"github.com/testigo/testigo/sqlite"
)

func verify(t *testing.T, path string, versions int64) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	rep, err := memory.New(store).Verify(t.Context(), nil)
	if err != nil || !rep.OK || rep.Versions != versions {
		t.Fatalf("%+v, %v", rep, err)
	}
}

// A filled store is one that verify finds nothing wrong with, also when it grew from a smaller one.
func TestFilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := Filled(t.Context(), dir, 700, nil); err != nil {
		t.Fatal(err)
	}
	path, err := Filled(t.Context(), dir, 1300, nil)
	if err != nil {
		t.Fatal(err)
	}
	verify(t, path, 1300)
	left, _ := filepath.Glob(filepath.Join(dir, "*.part*"))
	if len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
	again, err := Filled(t.Context(), dir, 1300, func(int) { t.Error("filled again") })
	if err != nil || again != path {
		t.Errorf("%s, %v", again, err)
	}
}

// What bare SQL writes is a store like any other, so both contenders do write the same rows.
func TestBareWritesAStore(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bare.db")
	if err := Empty(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	c := corpus.New(Seed)
	list, err := Prepare(c, 300, Project, "agent", "session")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := Rows(list)
	if err != nil {
		t.Fatal(err)
	}
	if err := bare.Save(path+".rows", rows); err != nil {
		t.Fatal(err)
	}
	if rows, err = bare.Load(path + ".rows"); err != nil {
		t.Fatal(err)
	}
	os.Remove(path + ".rows")
	write(t, path, rows)
	verify(t, path, 300)
}

func write(t *testing.T, path string, rows []bare.Row) {
	ctx := context.Background()
	k, err := bare.Open(ctx, "sqlite", path, 5000, 4096)
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	for i := range rows {
		if err := k.Write(ctx, &rows[i]); err != nil {
			t.Fatalf("row %d: %v", i, err)
		}
	}
	last := rows[len(rows)-2]
	if n, err := k.Point(ctx, Project, last.Scope, last.Key); err != nil || n != len(last.Value) {
		t.Errorf("point read: %d bytes, %v", n, err)
	}
	q := corpus.New(Seed).Question(1, len(rows))
	terms := search.Parse(q.Text).Terms()
	if n, err := k.Search(ctx, bare.AnyOf(terms), 10); err != nil || n == 0 {
		t.Errorf("search: %d bytes, %v", n, err)
	}
	if n, err := k.Search(ctx, bare.Within(search.ScopeTerm(Project, q.Scope), terms), 10); err != nil || n == 0 {
		t.Errorf("scoped search: %d bytes, %v", n, err)
	}
	if n, err := k.Scan(ctx); err != nil || n != len(rows) {
		t.Errorf("scan: %d rows, %v", n, err)
	}
}
