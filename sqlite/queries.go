package sqlite

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"sync"
)

//go:embed queries/*.sql
var queryFiles embed.FS

// queries holds every statement by name. It is read at the first opening: a program that opens no store pays nothing.
var queries = sync.OnceValue(func() map[string]string {
	all, err := loadQueries(queryFiles, "queries")
	if err != nil { // the files are part of the program, and a test reads them
		panic(err)
	}
	return all
})

// loadQueries reads the query files of a folder. A file is a list of parts that begin with "-- name: X" (a query) or "-- fragment: X"
// (a piece that queries and fragments of any file insert as {{X}}). Other comment lines are left out.
func loadQueries(from fs.FS, dir string) (map[string]string, error) {
	files, err := fs.ReadDir(from, dir)
	if err != nil {
		return nil, err
	}
	named, fragments := map[string]string{}, map[string]string{}
	for _, f := range files {
		b, err := fs.ReadFile(from, dir+"/"+f.Name())
		if err != nil {
			return nil, err
		}
		into, name := named, ""
		for line := range strings.Lines(string(b)) {
			if rest, ok := strings.CutPrefix(line, "-- name: "); ok {
				into, name = named, strings.TrimSpace(rest)
			} else if rest, ok := strings.CutPrefix(line, "-- fragment: "); ok {
				into, name = fragments, strings.TrimSpace(rest)
			} else if !strings.HasPrefix(line, "--") && name != "" {
				into[name] += line
			}
		}
	}
	for name, text := range named {
		if named[name], err = expand(strings.TrimSpace(text), fragments); err != nil {
			return nil, fmt.Errorf("query %s: %w", name, err)
		}
	}
	return named, nil
}

func expand(text string, fragments map[string]string) (string, error) {
	for {
		before, rest, found := strings.Cut(text, "{{")
		if !found {
			return text, nil
		}
		name, after, _ := strings.Cut(rest, "}}")
		piece, ok := fragments[name]
		if !ok {
			return "", fmt.Errorf("no fragment %q", name)
		}
		text = before + strings.TrimSpace(piece) + after
	}
}
