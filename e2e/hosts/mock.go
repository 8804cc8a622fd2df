package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// mock is a running mock model. It asks for the tool that the last user message names, and then says it is done.
type mock struct {
	addr string
	log  string
	stop func()
}

// request is what a client sent to the model.
type request struct {
	N    int             `json:"n"`
	Body json.RawMessage `json:"body"`
}

// startMock builds a mock model where its source lies and starts it on a free port of the loopback interface.
func startMock(ctx context.Context, source, dir string) (*mock, error) {
	bin := filepath.Join(dir, strings.TrimSuffix(filepath.Base(source), ".go"))
	build := exec.CommandContext(ctx, "go", "build", "-o", bin, filepath.Base(source))
	build.Dir = filepath.Dir(source)
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the mock model %s does not build: %w: %s", source, err, clip(string(out)))
	}
	m := &mock{log: bin + ".jsonl"}
	addr := bin + ".addr"
	var errs bytes.Buffer
	cmd := exec.CommandContext(ctx, bin, "-addr", "127.0.0.1:0", "-addrfile", addr, "-log", m.log)
	cmd.Stderr = &errs
	cmd.WaitDelay = waitDelay
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("the mock model does not start: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	m.stop = func() {
		_ = cmd.Process.Kill()
		<-ended
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(10 * time.Second)
	for {
		if b, err := os.ReadFile(addr); err == nil && len(b) > 0 {
			m.addr = string(b)
			return m, nil
		}
		select {
		case <-tick.C:
		case <-ended:
			return nil, fmt.Errorf("the mock model ended: %s", clip(errs.String()))
		case <-limit:
			m.stop()
			return nil, errors.New("the mock model does not listen after 10 s")
		}
	}
}

// requests lists what the model was sent, behind the first n requests.
func (m *mock) requests(n int) ([]request, error) {
	f, err := os.Open(m.log)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []request
	for d := json.NewDecoder(f); ; {
		var r request
		switch err := d.Decode(&r); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("the mock model's record: %w", err)
		case r.N > n:
			out = append(out, r)
		}
	}
}

// prompt is a user message that makes the mock model ask for a tool.
func prompt(tool, args string) string {
	return fmt.Sprintf("Please call it. [[mock:tool=%s %s]] [[mock:say=done]]", tool, args)
}
