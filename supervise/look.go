package supervise

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Look tells what became of a turn. Without a run file the error is fs.ErrNotExist. It only reads.
func Look(runFile string) (State, error) {
	st, err := read(runFile)
	if err != nil || st.Phase != Starting && st.Phase != Running {
		return st, err
	}
	switch lifeOf(st.Supervisor) {
	case alive:
		return st, nil
	case unknown:
		st.Phase = Unclear
		return st, nil
	}
	// It is gone: now, but it may have written its result after we read. Nothing can be written after this.
	if st, err = read(runFile); err != nil || st.Phase != Starting && st.Phase != Running {
		return st, err
	}
	if st.Command.PID == 0 { // the gate was never opened, and closes by itself without its supervisor
		st.Phase, st.Error = NotStarted, "its supervisor ended before the command was started"
		return st, nil
	}
	switch lifeOf(st.Command) {
	case alive:
		st.Phase = Orphaned
	case gone:
		st.Phase, st.Error = Interrupted, "its supervisor ended before the command; how the command ended is not known"
	default:
		st.Phase = Unclear
	}
	return st, nil
}

// DeclareNotSent makes sure that a turn which has not begun never will. It returns true when nothing was sent, and then every
// supervisor that comes later stops. It returns false with the state when a supervisor was first: the turn may have arrived.
// Declaring twice is fine.
func DeclareNotSent(runFile string) (bool, State, error) {
	st := State{Request: filepath.Base(runFile), Phase: NotSent, At: time.Now().UTC(), Error: "given up before it was sent"}
	made, err := Create(runFile, st)
	if err != nil || made {
		return made && err == nil, st, err
	}
	st, err = Look(runFile)
	return err == nil && st.Phase.Unsent(), st, err
}

// Remove deletes the file of a turn that is over, and whatever a killed supervisor left beside it. Call it after what the
// file says is committed. It keeps files of turns that may still run, and "not sent" ones until every start token from
// before the declaration has passed; then it returns false.
func Remove(runFile string) (bool, error) {
	unlock, err := lockFolder(filepath.Dir(runFile))
	if err != nil {
		return false, err
	}
	defer unlock()
	return remove(runFile)
}

// remove does so for a caller that holds the folder's lock: what it looked at is what it removes, because states that
// allow it are never replaced.
func remove(runFile string) (bool, error) {
	st, err := Look(runFile)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if st.Phase.Open() || st.Phase == NotSent && time.Since(st.At) < TokenLife+time.Second {
		return false, nil
	}
	if err := os.Remove(runFile); err != nil {
		return false, err
	}
	removeRest(runFile)
	return true, nil
}

// removeRest deletes the text and half-written states that a killed supervisor could not.
func removeRest(runFile string) {
	os.Remove(TextFile(runFile))
	entries, _ := os.ReadDir(filepath.Dir(runFile))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPrefix(runFile)) {
			os.Remove(filepath.Join(filepath.Dir(runFile), e.Name()))
		}
	}
}

// List returns the run files of a folder, so that an engine which takes over finds what the last one left.
func List(runs string) ([]string, error) {
	entries, err := os.ReadDir(runs)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var files []string
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, filepath.Join(runs, e.Name()))
		}
	}
	return files, err
}
