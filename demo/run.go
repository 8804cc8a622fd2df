package demo

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Options say where the whole story is told.
type Options struct {
	Out io.Writer
	// Exe is this program: each half of the story is a process of its own.
	Exe string
	// DB is the database file; a temporary one that is removed afterwards when empty.
	DB    string
	Color bool
}

// Run tells the whole story: two processes, one after the other, that share nothing but a database file.
func Run(ctx context.Context, o Options) error {
	db := o.DB
	if db == "" {
		dir, err := os.MkdirTemp("", "testigo-demo-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		db = filepath.Join(dir, "demo.db")
	}
	for _, part := range []struct{ name, head string }{
		{"scout", "scout — looks, remembers, hands over"},
		{"executor", "executor — a new process that knows only the database file"},
	} {
		fmt.Fprintf(o.Out, "\n%s\n", (&narrator{color: o.Color}).paint("1;36", part.head))
		if err := o.half(ctx, db, part.name); err != nil {
			return err
		}
	}
	fmt.Fprintf(o.Out, "\nTwo agents, two processes, one file. Try it with yours: testigo mcp --agent NAME\n")
	return nil
}

// half runs one agent in a process of its own.
func (o Options) half(ctx context.Context, db, name string) error {
	args := []string{"demo", name, "--db", db}
	if !o.Color {
		args = append(args, "--no-color")
	}
	cmd := exec.CommandContext(ctx, o.Exe, args...)
	cmd.Env = withoutTestigo(os.Environ())
	if o.Color {
		cmd.Env = append(cmd.Env, "CLICOLOR_FORCE=1") // its output is a pipe, ours is a terminal
	}
	cmd.Stdout, cmd.Stderr = o.Out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the %s's process failed: %w", name, err)
	}
	return nil
}

// withoutTestigo leaves out what would change who the scripted agents are or where they work.
func withoutTestigo(env []string) []string {
	var out []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		switch {
		case strings.HasPrefix(name, "TESTIGO_"), name == "MEMORY_DB", name == "HANDOFFS_DB", name == "AGENT_ID", name == "HANDOFFS_AGENT":
			continue
		}
		out = append(out, kv)
	}
	return out
}
