package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/testigo/testigo"
)

const (
	// keep is how many turns are remembered.
	keep = 1000
	// maxFile bounds what is read: a thousand turns of a kilobyte each, generously.
	maxFile = 16 << 20
)

// turn is one simulated turn.
type turn struct {
	Target  string            `json:"target"`
	Request string            `json:"request"`
	Agent   string            `json:"agent"`
	Handoff string            `json:"handoff,omitempty"`
	Claim   string            `json:"claim,omitempty"`
	Started time.Time         `json:"started"`
	Ends    time.Time         `json:"ends"`
	Outcome testigo.TurnState `json:"outcome"`
	Summary string            `json:"summary,omitempty"`
	// Acted: the simulated agent did what it does at the end. Tries counts what went wrong before, Trouble says what.
	Acted   bool   `json:"acted,omitempty"`
	Tries   int    `json:"tries,omitempty"`
	Trouble string `json:"trouble,omitempty"`
}

func (t turn) id() string { return "demo-" + t.Request }

// state is what t does at a time.
func (t turn) state(now time.Time) testigo.TurnState {
	if now.Before(t.Ends) {
		return testigo.TurnOpen
	}
	return t.Outcome
}

// book is the content of the file: turns in the order of their start.
type book struct {
	Turns []turn `json:"turns"`
	// Incomplete: turns were dropped or lost, so what is not here may have been.
	Incomplete bool `json:"incomplete,omitempty"`
}

func (b *book) find(target, request string) *turn {
	for i := range b.Turns {
		if t := &b.Turns[i]; t.Request == request && t.Target == target {
			return t
		}
	}
	return nil
}

func (b *book) latest(target string) *turn {
	for i := len(b.Turns) - 1; i >= 0; i-- {
		if b.Turns[i].Target == target {
			return &b.Turns[i]
		}
	}
	return nil
}

func (b *book) add(t turn) {
	b.Turns = append(b.Turns, t)
	if n := len(b.Turns) - keep; n > 0 {
		b.Turns, b.Incomplete = append([]turn{}, b.Turns[n:]...), true
	}
}

// ledger keeps a book: in a file that other processes share, or in memory.
type ledger struct {
	path string // "" for memory
	mu   sync.Mutex
	mem  book
}

// view shows the book without changing anything.
func (l *ledger) view(see func(*book)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.path == "" {
		see(&l.mem)
		return nil
	}
	b, err := l.read()
	if err != nil && !errors.Is(err, errDamaged) {
		return err
	}
	see(&b)
	return nil
}

// change lets the caller change the book, and keeps it when the caller says so.
func (l *ledger) change(do func(*book) (keep bool)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.path == "" {
		do(&l.mem)
		return nil
	}
	unlock, err := lockFile(l.path + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	b, err := l.read()
	if errors.Is(err, errDamaged) {
		err = os.Rename(l.path, l.path+".damaged") // for whoever wants to know why
	}
	if err != nil {
		return err
	}
	if !do(&b) {
		return nil
	}
	return l.write(b)
}

var errDamaged = errors.New("the file of simulated turns is damaged")

// read returns an incomplete book with errDamaged.
func (l *ledger) read() (book, error) {
	f, err := os.Open(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		_, err := os.Lstat(l.path + ".damaged")
		return book{Incomplete: err == nil}, nil
	}
	if err != nil {
		return book{}, err
	}
	defer f.Close()
	var b book
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return book{}, err
	}
	if len(text) > maxFile || json.Unmarshal(text, &b) != nil {
		return book{Incomplete: true}, errDamaged
	}
	return b, nil
}

func (l *ledger) write(b book) error {
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(l.path), "."+filepath.Base(l.path)+".new-*") // made with mode 0600
	if err != nil {
		return fmt.Errorf("cannot keep a simulated turn: %w", err)
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), l.path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
