package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/testigo/testigo/bench/locomo"
	"github.com/testigo/testigo/memory"
	"github.com/testigo/testigo/sqlite"
)

func main() {
	brief := flag.Bool("brief", false, "print the line of all questions only")
	flag.Parse()
	if err := run(context.Background(), *brief); err != nil {
		fmt.Fprintln(os.Stderr, "evaluate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, brief bool) error {
	path := os.Getenv("LOCOMO")
	if path == "" {
		path = filepath.FromSlash(locomo.DefaultPath)
	}
	data, err := locomo.Load(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; the data set is no part of this repository, LOCOMO names where it is", err)
	}
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "testigo-locomo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	store, err := sqlite.Open(ctx, filepath.Join(dir, "locomo.db"), sqlite.Options{Create: true})
	if err != nil {
		return err
	}
	began := time.Now()
	report, err := locomo.Evaluate(data, &searcher{ctx: ctx, service: memory.New(store)})
	if err = errors.Join(err, store.Close()); err != nil {
		return err
	}
	if brief {
		fmt.Println(strings.Split(report.String(), "\n")[2])
		return nil
	}
	fmt.Printf("\n### LoCoMo through memory.Service on SQLite\n\n%s\n- %.1f s for all turns and questions\n", report, time.Since(began).Seconds())
	return nil
}

// searcher is locomo.Searcher over the use cases.
type searcher struct {
	ctx     context.Context
	service *memory.Service
}

// The conversations' facts have one project, one author and one session per conversation.
const (
	project = "locomo"
	agent   = "narrator"
)

func (s *searcher) caller(conversation int) memory.Caller {
	return memory.Caller{Agent: agent, Session: locomo.Scope(conversation)}
}

// Add implements locomo.Searcher.
func (s *searcher) Add(conversation int, t locomo.Turn) error {
	res, err := s.service.Remember(s.ctx, s.caller(conversation), memory.RememberParams{
		Project: project, Scope: locomo.Scope(conversation), Key: t.Key(), Value: t.Value(), Tags: []string{t.Speaker}})
	if err == nil && res.Version != 1 {
		err = fmt.Errorf("turn %s was remembered before", t.ID)
	}
	return err
}

// Search implements locomo.Searcher.
func (s *searcher) Search(conversation int, question string, limit int) ([]string, error) {
	res, err := s.service.Recall(s.ctx, s.caller(conversation), memory.RecallParams{
		Project: project, Scope: locomo.Scope(conversation), Query: question, Limit: limit})
	ids := make([]string, len(res.Facts))
	for i, f := range res.Facts {
		ids[i] = locomo.TurnID(f.Name[strings.LastIndexByte(f.Name, '/')+1:])
	}
	return ids, err
}
