package stock

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/bench/corpus"
	"github.com/testigo/testigo/sqlite"
)

// Seed is the corpus of all stores here.
const Seed = 20260105

// Project is the project of all facts of a filled store.
const Project = "bench"

// batch is how many versions one transaction writes when a store is filled.
const batch = 500

// sessionLength is how many writes one session makes before the next agent goes on.
const sessionLength = 200

// Filled returns the path of a store with the first n writes of the corpus in dir, filling it when it is not there yet.
// It starts from a copy of the largest smaller one. progress is told how many versions it holds.
func Filled(ctx context.Context, dir string, n int, progress func(versions int)) (string, error) {
	path := file(dir, n)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	part := path + ".part"
	if err := remove(part); err != nil {
		return "", err
	}
	start, err := copyLargest(dir, n, part)
	if err != nil {
		return "", err
	}
	if err := fill(ctx, part, start, n, progress); err != nil {
		return "", err
	}
	return path, errors.Join(os.Rename(part, path), remove(part))
}

func file(dir string, n int) string { return filepath.Join(dir, fmt.Sprintf("stock-%d.db", n)) }

// copyLargest copies the largest store below n; 0 when there is none.
func copyLargest(dir string, n int, to string) (int, error) {
	found, err := filepath.Glob(filepath.Join(dir, "stock-*.db"))
	if err != nil {
		return 0, err
	}
	best := 0
	for _, f := range found {
		var have int
		if _, err := fmt.Sscanf(filepath.Base(f), "stock-%d.db", &have); err == nil && have < n && have > best && file(dir, have) == f {
			best = have
		}
	}
	if best == 0 {
		return 0, nil
	}
	return best, Copy(file(dir, best), to)
}

// Empty makes a new store at path in place of whatever was there.
func Empty(ctx context.Context, path string) error {
	if err := remove(path); err != nil {
		return err
	}
	store, err := sqlite.Open(ctx, path, sqlite.Options{Create: true})
	if err != nil {
		return err
	}
	return store.Close()
}

// Copy copies a store that nobody has open.
func Copy(from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if _, err := io.Copy(dst, src); err != nil {
		dst.Close()
		return err
	}
	return dst.Close()
}

// remove deletes a store with its side files.
func remove(path string) error {
	found, err := filepath.Glob(path + "*")
	for _, f := range found {
		err = errors.Join(err, os.Remove(f))
	}
	return err
}

// fill writes the versions from start to n. What comes before them is made again without being written, because hashes
// and contexts go on from it.
func fill(ctx context.Context, path string, start, n int, progress func(int)) error {
	store, err := sqlite.Open(ctx, path, sqlite.Options{Create: true})
	if err != nil {
		return err
	}
	m := &maker{corpus: corpus.New(Seed), project: Project, who: who, heads: map[string]testigo.Hash{}}
	for i := range start {
		if _, _, err := m.version(i); err != nil {
			return errors.Join(err, store.Close())
		}
	}
	told := time.Now()
	for i := start; i < n; i += batch {
		if err := store.Write(ctx, func(tx testigo.Tx) error { return put(ctx, tx, m, i, min(i+batch, n)) }); err != nil {
			return errors.Join(err, store.Close())
		}
		if progress != nil && time.Since(told) > 10*time.Second {
			told = time.Now()
			progress(i + batch)
		}
	}
	return store.Close()
}

func put(ctx context.Context, tx testigo.Tx, m *maker, from, to int) error {
	for i := from; i < to; i++ {
		v, text, err := m.version(i)
		if err != nil {
			return err
		}
		v.Seq = tx.NextSeq()
		if err := tx.PutVersion(ctx, v, text); err != nil {
			return err
		}
	}
	return tx.SetLog(ctx, m.log)
}

// who writes: eight agents take turns, each turn a session.
func who(i int) (author, session string) {
	turn := i / sessionLength
	return fmt.Sprintf("agent-%d", turn%8), fmt.Sprintf("session-%d", turn)
}
