package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/testigo/testigo/bench/bare"
	"github.com/testigo/testigo/bench/corpus"
	"github.com/testigo/testigo/bench/measure"
	"github.com/testigo/testigo/bench/stdio"
)

// The versions that were read to write down what their answers mean.
const (
	serverMemory = "@modelcontextprotocol/server-memory@2026.8.31"
	agentMemory  = "@agentmemory/agentmemory@0.9.29"
)

// peers returns testigo and what could be installed; absent is told of the rest.
func peers(ctx context.Context, dir string, absent func(name string, err error)) ([]*peer, error) {
	home, err := fresh(dir, "peers")
	if err != nil {
		return nil, err
	}
	repo, err := measure.Repository(home)
	if err != nil {
		return nil, err
	}
	list := []*peer{testigo(home, repo)}
	npm := os.Getenv("BENCH_PEERS")
	if npm == "" {
		npm = filepath.Join(".cache", "bench", "peers")
	}
	if npm, err = filepath.Abs(npm); err != nil {
		return nil, err
	}
	for _, p := range []struct {
		name, script string
		make         func(command stdio.Command, home string) *peer
	}{
		{serverMemory, "node_modules/@modelcontextprotocol/server-memory/dist/index.js", newServerMemory},
		{agentMemory, "node_modules/@agentmemory/agentmemory/dist/standalone.mjs", newAgentMemory},
	} {
		script := filepath.Join(npm, filepath.FromSlash(p.script))
		if err := install(ctx, npm, p.name, script); err != nil {
			absent(p.name, err)
			continue
		}
		list = append(list, p.make(stdio.Command{Args: []string{"node", script}, Dir: repo}, home))
	}
	return list, nil
}

// install fetches a package from npm, without running anything of it, unless it is there.
func install(ctx context.Context, dir, name, script string) error {
	if _, err := os.Stat(script); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "npm", "install", "--prefix", dir, "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", name)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install: %w: %.400s", err, out)
	}
	_, err := os.Stat(script)
	return err
}

func testigo(home, repo string) *peer {
	return &peer{
		name:    "**testigo**",
		promise: "is a new version in a hash chain, indexed, and synced to disk (power cut)",
		reads:   "by key",
		search:  "ranks whole questions by their words; 10 best",
		command: stdio.Testigo(home, filepath.Join(home, "testigo.db"), repo),
		write: func(s *stdio.Client, w corpus.Write) error {
			_, err := s.Call("remember", map[string]any{"scope": w.Scope, "key": w.Key, "value": w.Text})
			return err
		},
		read: func(s *stdio.Client, scope, key string) (string, error) {
			return s.Call("recall", map[string]any{"scope": scope, "key": key})
		},
		find: func(s *stdio.Client, q corpus.Question) (string, error) {
			return s.Call("recall", map[string]any{"query": q.Text, "limit": bare.Answers})
		},
	}
}

func newServerMemory(c stdio.Command, home string) *peer {
	c.Env = stdio.Environment(home, "MEMORY_FILE_PATH="+filepath.Join(home, "server-memory.jsonl"))
	return &peer{
		name:    "server-memory 2026.8.31",
		promise: "reads the whole file, writes it anew and renames it, without sync (a power cut may lose it); a changed fact keeps no order of versions",
		reads:   "open_nodes, which reads the whole file",
		search:  "looks for one passage as it stands in the whole file and answers all that have it (it got one word: a question as a whole is never found)",
		command: c,
		write: func(s *stdio.Client, w corpus.Write) error {
			name, text := w.Scope+"/"+w.Key, []string{w.Text}
			var err error
			if w.Number == 1 {
				_, err = s.Call("create_entities", map[string]any{"entities": []any{map[string]any{"name": name, "entityType": "fact", "observations": text}}})
			} else {
				_, err = s.Call("add_observations", map[string]any{"observations": []any{map[string]any{"entityName": name, "contents": text}}})
			}
			return err
		},
		read: func(s *stdio.Client, scope, key string) (string, error) {
			return s.Call("open_nodes", map[string]any{"names": []string{scope + "/" + key}})
		},
		find: func(s *stdio.Client, q corpus.Question) (string, error) {
			return s.Call("search_nodes", map[string]any{"query": q.Words[0]})
		},
	}
}

func newAgentMemory(c stdio.Command, home string) *peer {
	c.Env = stdio.Environment(home, "STANDALONE_PERSIST_PATH="+filepath.Join(home, "agentmemory.json"),
		"AGENTMEMORY_URL=http://127.0.0.1:9") // where nobody listens: the server works alone
	return &peer{
		name:    "agentmemory 0.9.29, standalone",
		promise: "is kept in memory and the whole file written over in place, without sync (a crash may leave half a file); a changed fact is one more note",
		reads:   "has none, so a search for the name",
		search:  "takes the first notes that hold all words anywhere (it got the words without the question around them)",
		command: c,
		write: func(s *stdio.Client, w corpus.Write) error {
			_, err := s.Call("memory_save", map[string]any{"content": w.Scope + "/" + w.Key + ": " + w.Text, "type": "fact"})
			return err
		},
		read: func(s *stdio.Client, scope, key string) (string, error) {
			return s.Call("memory_recall", map[string]any{"query": scope + "/" + key, "limit": 1})
		},
		find: func(s *stdio.Client, q corpus.Question) (string, error) {
			query := ""
			for _, w := range q.Words {
				query += w + " "
			}
			return s.Call("memory_recall", map[string]any{"query": query, "limit": bare.Answers})
		},
	}
}
