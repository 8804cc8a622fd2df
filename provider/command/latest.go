package command

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/supervise"
)

// What a target and an agent did last is named by small files beside the run files: .latest-TARGET and .latest-AGENT.
// Their names start with a dot, which no request id does.

func agentKey(agent string) string {
	sum := sha256.Sum256([]byte("agent\x00" + agent))
	return hex.EncodeToString(sum[:])
}

func (p *Provider) pointer(key string) string {
	return filepath.Join(p.o.Runs, ".latest-"+key[:16])
}

// latest returns the request that a target or agent got last, "" when it never had one.
func (p *Provider) latest(key string) string {
	b, err := os.ReadFile(p.pointer(key))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// lock keeps other starts for the same target or the same agent away, in all processes.
func (p *Provider) lock(t testigo.Target, agent string) (unlock func(), err error) {
	if err := os.MkdirAll(p.o.Runs, 0o700); err != nil {
		return nil, err
	}
	// Always the target first: two starts that share one of both cannot wait for one another.
	first, err := supervise.Lock(filepath.Join(p.o.Runs, ".target-"+targetKey(t)[:16]))
	if err != nil {
		return nil, err
	}
	second, err := supervise.Lock(filepath.Join(p.o.Runs, ".agent-"+agentKey(agent)[:16]))
	if err != nil {
		first()
		return nil, err
	}
	return func() { second(); first() }, nil
}

// busy says which other turn of the target or the agent still runs, and otherwise makes this one the latest. An agent whose
// settings were changed while it works is busy all the same.
func (p *Provider) busy(t testigo.Target, turn testigo.Turn) string {
	keys := []string{targetKey(t), agentKey(turn.Agent)}
	for _, key := range keys {
		request := p.latest(key)
		if request == "" || request == turn.RequestID {
			continue
		}
		st, err := supervise.Look(supervise.RunFile(p.o.Runs, request))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return fmt.Sprintf("it cannot be told whether the turn of request %s still runs: %s", request, err)
		case st.Phase.Open():
			return fmt.Sprintf("the turn of request %s still runs (%s)", request, st.Phase)
		}
	}
	for _, key := range keys {
		if err := replaceFile(p.pointer(key), turn.RequestID); err != nil {
			return "cannot note the turn: " + err.Error()
		}
	}
	return ""
}

func replaceFile(path, content string) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*") // made with mode 0600
	if err != nil {
		return err
	}
	_, err = f.WriteString(content + "\n")
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
