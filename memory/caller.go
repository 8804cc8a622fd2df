package memory

import (
	"context"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/workspace"
)

// Caller is who is asking. It comes from the connection (a server's fixed agent, a command's flags), never from the
// content of a request.
type Caller struct {
	Agent   string
	Session string // the host's session id when known, else one per connection; may be empty on the command line
	// Process is set only for processes that live as long as the session; a command that ends at once leaves it zero.
	Process testigo.Process
	// Dir is the caller's directory at this moment, asked for at every call because it changes; nil means it has none.
	Dir func() string
	// Where holds what finding a project needs beside the directory.
	Where workspace.Options
	// Seen collects what the session touched. Nil is allowed and collects nothing.
	Seen *Seen
	// Budget is the most bytes of JSON a list answer may take; 0 means no bound (a person's terminal).
	Budget int
}

// project resolves the project argument of one call for a directory. A flat store knows no projects.
func (c Caller) project(dir, explicit string, flat bool) (testigo.Project, error) {
	if err := checkProject(explicit); err != nil {
		return testigo.Project{}, err
	}
	if flat && explicit != "" && explicit != "none" {
		return testigo.Project{}, testigo.Invalid("project", "this store is flat: it knows no projects").WithNext("leave project out")
	}
	if c.Dir != nil && dir == "" && explicit == "" && c.Where.EnvProject == "" {
		return testigo.Project{}, testigo.Errorf(testigo.CodeRefused, "the working directory is gone, so its project cannot be told; nothing was done").
			WithNext("name the project, or \"none\" for what all projects share")
	}
	o := c.Where
	o.Explicit = explicit
	p, err := workspace.Identify(dir, o)
	if err == nil && p.Kind == "folder" && explicit == "" { // only a repository is a project by itself
		p.ID, p.Kind, p.Why = testigo.NoProject, "none", "no git repository around it"
	}
	if err == nil && flat { // the root stays: a source's path still starts somewhere
		p.ID, p.Kind, p.Why = testigo.NoProject, "none", "the store is flat"
	}
	return p, err
}

func checkProject(explicit string) error {
	if r, bad := testigo.HasHidden(explicit); bad {
		return testigo.Invalid("project", "contains the control or direction character U+%04X", r)
	}
	if !utf8.ValidString(explicit) {
		return testigo.Invalid("project", "must be valid UTF-8")
	}
	if len(explicit) > maxProjectLen {
		return testigo.Invalid("project", "is longer than %d bytes", maxProjectLen)
	}
	return (&Gate{}).Clean("project", explicit)
}

// CheckAgent checks a name that is about to be stored: its form, and that it is no secret.
func CheckAgent(field, name string) error {
	if err := testigo.CheckAgentName(field, name); err != nil {
		return err
	}
	return (&Gate{}).Clean(field, name)
}

// maxProjectLen bounds a project argument, in bytes: a path of a file system fits.
const maxProjectLen = 4096

// WorkDir returns the caller's directory, "" when it has none.
func (c Caller) WorkDir() string {
	if c.Dir == nil {
		return ""
	}
	return c.Dir()
}

// visible lists the projects a read looks in, best first: the project itself, then what all share.
func visible(p testigo.Project) []string {
	if p.ID == testigo.NoProject {
		return []string{testigo.NoProject}
	}
	return []string{p.ID, testigo.NoProject}
}

// Seen remembers which versions a session wrote, read by name or was shown in full. It lives in the process and is
// stored by the session's next write, so that reading works on a store that cannot be written.
type Seen struct {
	mu      sync.Mutex
	pins    map[testigo.Name]testigo.Touch
	unsaved map[testigo.Name]bool
	// checkedIn is when this process last told the store that its agent is alive.
	checkedIn time.Time
}

// Add records that the session now knows version number of a fact. The version last seen replaces an earlier one.
func (s *Seen) Add(n testigo.Name, version int, at time.Time) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pins == nil {
		s.pins, s.unsaved = map[testigo.Name]testigo.Touch{}, map[testigo.Name]bool{}
	}
	s.pins[n] = testigo.Touch{Pin: testigo.Pin{Name: n, Version: version}, At: at}
	s.unsaved[n] = true
}

// Version returns the version of n this process last saw; 0 if none.
func (s *Seen) Version(n testigo.Name) int {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pins[n].Pin.Version
}

// take returns what is not stored yet, oldest first, and a function that marks it stored.
func (s *Seen) take() ([]testigo.Touch, func()) {
	if s == nil {
		return nil, func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []testigo.Touch
	for n := range s.unsaved {
		out = append(out, s.pins[n])
	}
	slices.SortFunc(out, func(a, b testigo.Touch) int {
		if c := a.At.Compare(b.At); c != 0 {
			return c
		}
		return compareNames(a.Pin.Name, b.Pin.Name)
	})
	return out, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, t := range out {
			if s.pins[t.Pin.Name] == t {
				delete(s.unsaved, t.Pin.Name)
			}
		}
	}
}

// checkInEvery bounds how often a busy session writes that its agent is alive.
const checkInEvery = time.Minute

// due reports whether the agent's sign of life should be written now.
func (s *Seen) due(now time.Time) bool {
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return now.Sub(s.checkedIn) >= checkInEvery || now.Before(s.checkedIn)
}

func (s *Seen) alive(now time.Time) {
	if s != nil {
		s.mu.Lock()
		s.checkedIn = now
		s.mu.Unlock()
	}
}

// CheckIn is part of every write: it makes the caller's agent known, and stores what its session has seen since its last
// write. The returned function is called once the transaction has committed.
func CheckIn(ctx context.Context, tx testigo.Tx, c Caller) (committed func(), err error) {
	now := tx.Now()
	if c.Seen.due(now) {
		if err := touchAgent(ctx, tx, c.Agent); err != nil {
			return nil, err
		}
	}
	touches, done := c.Seen.take()
	if len(touches) > 0 && c.Session != "" {
		if err := tx.PutTouched(ctx, c.Agent, c.Session, touches); err != nil {
			return nil, err
		}
	}
	return func() { done(); c.Seen.alive(now) }, nil
}

func touchAgent(ctx context.Context, tx testigo.Tx, name string) error {
	if err := CheckAgent("agent", name); err != nil {
		return err
	}
	a, err := tx.Agent(ctx, name)
	switch {
	case testigo.CodeOf(err) == testigo.CodeNotFound:
		a = testigo.Agent{Name: name, Provider: testigo.ProviderInbox, FirstSeen: tx.Now()}
	case err != nil:
		return err
	}
	a.LastSeen = tx.Now()
	return tx.PutAgent(ctx, a)
}

func compareNames(a, b testigo.Name) int {
	switch as, bs := a.Project+"\x00"+a.String(), b.Project+"\x00"+b.String(); {
	case as < bs:
		return -1
	case as > bs:
		return 1
	}
	return 0
}
