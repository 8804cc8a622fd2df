package supervise

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/testigo/testigo"
)

// Phase is how far a turn is.
type Phase string

// The phases that are written.
const (
	Starting   Phase = "starting"    // the run file is made; the command may be about to run
	Running    Phase = "running"     // the command runs
	Ended      Phase = "ended"       // see Exit, Signal, TimedOut, Stopped
	NotStarted Phase = "not_started" // proven: the command did not run; Error says why
	NotSent    Phase = "not_sent"    // proven: an engine was first, or the start token had passed
	Posted     Phase = "posted"      // a provider without supervisor writes, or has written, itself; its Note knows more
)

// The phases that Look finds out when a supervisor is gone without a result.
const (
	Orphaned    Phase = "orphaned"    // the command still runs
	Interrupted Phase = "interrupted" // the command is gone and its exit code is not known
	Unclear     Phase = "unclear"     // nobody here can tell
)

// Unsent reports whether it is proven that nothing ran.
func (p Phase) Unsent() bool { return p == NotSent || p == NotStarted }

// Open reports whether the turn runs or may be running.
func (p Phase) Open() bool { return p == Starting || p == Running || p == Orphaned || p == Unclear }

// State is the content of a run file.
type State struct {
	Request string `json:"request"`
	Phase   Phase  `json:"phase"`
	// At is when this state was written.
	At    time.Time `json:"at"`
	Agent string    `json:"agent,omitempty"`
	Lease int64     `json:"lease,omitempty"`
	// Issued is when the token was made that this start used: it tells starts of one request apart.
	Issued     time.Time       `json:"issued,omitzero"`
	Supervisor testigo.Process `json:"supervisor,omitzero"`
	Command    testigo.Process `json:"command,omitzero"`
	Started    time.Time       `json:"started,omitzero"`
	// Until is when the timeout ends the command.
	Until    time.Time `json:"until,omitzero"`
	Ended    time.Time `json:"ended,omitzero"`
	Exit     *int      `json:"exit,omitempty"`
	Signal   string    `json:"signal,omitempty"`
	TimedOut bool      `json:"timedOut,omitempty"`
	// Stopped: the supervisor was told to end the turn.
	Stopped bool `json:"stopped,omitempty"`
	// Tail is the end of the output, Bytes how much there was.
	Tail  []string `json:"tail,omitempty"`
	Bytes int64    `json:"bytes,omitempty"`
	Error string   `json:"error,omitempty"`
	// Note is the provider's own part.
	Note json.RawMessage `json:"note,omitempty"`
}

const (
	fileMode   = 0o600
	folderMode = 0o700
	// maxState bounds what is read of a run file: 20 lines of 500 characters are at most 40 KB, notes and errors are short.
	maxState = 1 << 20
)

// RunFile returns the run file of a request. An id that is no plain file name is replaced by its digest.
func RunFile(runs, requestID string) string {
	if plainName(requestID) {
		return filepath.Join(runs, requestID)
	}
	sum := sha256.Sum256([]byte(requestID))
	return filepath.Join(runs, "x"+hex.EncodeToString(sum[:]))
}

// TextFile is where a supervisor keeps the text of its turn while the turn runs.
func TextFile(runFile string) string {
	return filepath.Join(filepath.Dir(runFile), "."+filepath.Base(runFile)+".text")
}

func plainName(s string) bool {
	if s == "" || len(s) > 100 || s[0] == '.' {
		return false
	}
	return strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == ""
}

// Create makes a run file that is not there yet, with all of its content and on disk. It returns false when somebody was
// first. Providers that write without a supervisor use it the same way before they write.
func Create(runFile string, st State) (bool, error) {
	if err := os.MkdirAll(filepath.Dir(runFile), folderMode); err != nil {
		return false, err
	}
	tmp, err := writeTemp(runFile, st)
	if err != nil {
		return false, err
	}
	defer os.Remove(tmp)
	switch err := os.Link(tmp, runFile); {
	case err == nil:
		return true, syncFolder(filepath.Dir(runFile))
	case errors.Is(err, fs.ErrExist):
		return false, nil
	}
	return createPlainly(runFile, tmp)
}

// createPlainly serves file systems without hard links: who is first is decided just as well, but the file is empty for a
// moment.
func createPlainly(runFile, tmp string) (bool, error) {
	content, err := os.ReadFile(tmp)
	if err != nil {
		return false, err
	}
	f, err := os.OpenFile(runFile, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	if _, err := f.Write(content); err != nil {
		return true, err
	}
	if err := f.Sync(); err != nil {
		return true, err
	}
	return true, syncFolder(filepath.Dir(runFile))
}

// Replace writes the next state of a run file that the caller made. A reader sees the old state or the new one.
func Replace(runFile string, st State) error {
	tmp, err := writeTemp(runFile, st)
	if err != nil {
		return err
	}
	if err := os.Rename(tmp, runFile); err != nil {
		os.Remove(tmp)
		return err
	}
	return syncFolder(filepath.Dir(runFile))
}

func writeTemp(runFile string, st State) (string, error) {
	b, err := json.Marshal(st)
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(runFile), tempPrefix(runFile)+"*") // made with mode 0600
	if err != nil {
		return "", err
	}
	_, err = f.Write(append(b, '\n'))
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

func tempPrefix(runFile string) string { return "." + filepath.Base(runFile) + ".new-" }

// read returns what a run file says, before anybody asks whether its processes live.
func read(runFile string) (State, error) {
	f, err := openPlain(runFile)
	if err != nil {
		return State{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return State{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxState {
		return State{}, fmt.Errorf("%s is not a run file", runFile)
	}
	b := make([]byte, info.Size())
	if _, err := f.ReadAt(b, 0); err != nil {
		return State{}, err
	}
	var st State
	if len(b) == 0 {
		return State{Phase: Unclear, Error: "the run file is empty: its writer was stopped in its first write"}, nil
	}
	if err := json.Unmarshal(b, &st); err != nil {
		return State{}, fmt.Errorf("%s is damaged: %w", runFile, err)
	}
	return st, nil
}
