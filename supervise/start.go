package supervise

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Command is the hidden command under which the product's main calls Main.
const Command = "__supervise"

// ErrTooLate is the error of a Start whose token has passed already: nothing was made and nothing was sent.
var ErrTooLate = errors.New("the time in which this turn may be started has passed")

// answerTime is how long Start waits for a supervisor to say how it went, as the reference does.
const answerTime = 30 * time.Second

// Spec is one turn to run.
type Spec struct {
	RunFile string `json:"runFile"`
	Request string `json:"request"`
	Agent   string `json:"agent"`
	// Token allows the start. Start fills in what is zero and shortens a deadline beyond TokenLife.
	Token Token `json:"token"`
	// Argv is the command, Dir where it runs, Env all of its environment.
	Argv []string `json:"argv"`
	Dir  string   `json:"dir"`
	Env  []string `json:"env"`
	// Text is kept in TextFile(RunFile) while the turn runs.
	Text string `json:"text"`
	// Timeout ends the turn; Grace is the time between SIGTERM and SIGKILL (5 s when 0), Drain how long output may keep
	// coming after the command has ended (1 s when 0).
	Timeout time.Duration `json:"timeout"`
	Grace   time.Duration `json:"grace"`
	Drain   time.Duration `json:"drain"`
	// Note is recorded in the run file.
	Note json.RawMessage `json:"note,omitempty"`
	// Self starts this program's hidden command; by default the running executable and Command.
	Self []string `json:"self"`
}

// Handle is a turn that was started, now or earlier.
type Handle struct {
	State State
	// First: this call's supervisor made the run file. Otherwise the state is that of an earlier start, and nothing new runs.
	First bool
}

// Start runs a turn under a supervisor of its own and returns as soon as the command runs, is proven not to, or has ended.
// There is one run per run file ever: a file that says so is returned as it is, except that a proven start failure, and a
// "not sent" whose tokens have all passed, make room for another try.
//
// After an error other than ErrTooLate nobody knows whether the turn runs; Look tells later. A cancelled ctx ends the
// waiting: the turn is then declared not sent if no supervisor was first.
func Start(ctx context.Context, spec Spec) (Handle, error) {
	if err := spec.complete(time.Now()); err != nil {
		return Handle{}, err
	}
	if st, found, err := makeRoom(spec.RunFile); err != nil || found {
		return Handle{State: st}, err
	}
	nonce := spec.Token.Issued
	answered, err := spawn(ctx, spec)
	if err != nil {
		return settle(spec.RunFile, nonce, err)
	}
	wait, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	select {
	case <-answered:
		lastBreath(wait, spec.RunFile)
	case <-wait.Done():
	}
	return settle(spec.RunFile, nonce, context.Cause(ctx))
}

// Reserve is the first act of a provider that writes to its session itself, without a supervisor: it makes the run file in the
// phase Posted, unless the lease or the deadline do not allow the write any more (ErrTooLate) or somebody was first. When
// nothing was written after all, Replace it with the phase NotStarted.
func Reserve(runFile string, lease int64, deadline time.Time, st State) (Handle, error) {
	now := time.Now()
	token := Token{Lease: lease, Issued: now, Deadline: deadline, Boot: here()}
	if latest := now.Add(TokenLife); deadline.IsZero() || deadline.After(latest) {
		token.Deadline = latest
	}
	if token.passed(now, filepath.Dir(runFile)) != "" {
		return Handle{}, ErrTooLate
	}
	if st, found, err := makeRoom(runFile); err != nil || found {
		return Handle{State: st}, err
	}
	st.Phase, st.At, st.Lease, st.Issued = Posted, now.UTC(), lease, now
	made, err := Create(runFile, st)
	if err != nil || made {
		if err == nil && token.passed(time.Now(), filepath.Dir(runFile)) != "" { // we slept
			st.Phase, st.Error = NotStarted, ErrTooLate.Error()
			err = errors.Join(ErrTooLate, Replace(runFile, st))
		}
		return Handle{State: st, First: made && err == nil}, err
	}
	st, err = Look(runFile)
	return Handle{State: st}, err
}

func (s *Spec) complete(now time.Time) error {
	if s.RunFile == "" || len(s.Argv) == 0 || s.Timeout <= 0 {
		return errors.New("supervise: a turn needs a run file, a command and a timeout")
	}
	var err error
	if s.RunFile, err = filepath.Abs(s.RunFile); err != nil {
		return err
	}
	if s.Grace <= 0 {
		s.Grace = 5 * time.Second
	}
	if s.Drain <= 0 {
		s.Drain = time.Second
	}
	if len(s.Self) == 0 {
		exe, err := os.Executable()
		if err != nil {
			return err
		}
		s.Self = []string{exe, Command}
	}
	latest := now.Add(TokenLife)
	if s.Token.Deadline.IsZero() || s.Token.Deadline.After(latest) {
		s.Token.Deadline = latest
	}
	s.Token.Issued, s.Token.Boot = now, here()
	if s.Token.passed(now, filepath.Dir(s.RunFile)) != "" {
		return ErrTooLate
	}
	return nil
}

// makeRoom returns the state of an earlier start, or removes what it left when nothing ran.
func makeRoom(runFile string) (st State, found bool, err error) {
	unlock, err := lockFolder(filepath.Dir(runFile))
	if err != nil {
		return State{}, false, err
	}
	defer unlock()
	st, err = Look(runFile)
	if errors.Is(err, fs.ErrNotExist) {
		return State{}, false, nil
	}
	if err != nil || !st.Phase.Unsent() {
		return st, true, err
	}
	removed, err := remove(runFile)
	return st, !removed, err
}

// spawn starts the supervisor. The channel closes when it has said how the start went, or has ended.
func spawn(ctx context.Context, spec Spec) (<-chan struct{}, error) {
	input, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	ours, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	cmd := detached(ctx, spec.Self)
	cmd.Stdin = bytes.NewReader(input)
	// The supervisor closes its standard output once the run file says how the start went. Nothing is ever written: the
	// file is the truth, and the end of the pipe, which also comes when the supervisor is killed, says when to look.
	cmd.Stdout = theirs
	if err := cmd.Start(); err != nil {
		ours.Close()
		return nil, err
	}
	answered := make(chan struct{})
	go func() { // ends when the supervisor closes its output
		defer close(answered)
		defer ours.Close()
		_, _ = ours.Read(make([]byte, 1))
	}()
	go func() { _ = cmd.Wait() }() // reaps it; ends with the turn
	return answered, nil
}

// lastBreath waits while a supervisor that has closed its output without an answer is still ending: the kernel closes files
// a moment before a killed process is gone.
func lastBreath(ctx context.Context, runFile string) {
	poll := time.NewTicker(2 * time.Millisecond)
	defer poll.Stop()
	for {
		if st, err := Look(runFile); err != nil || st.Phase != Starting {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-poll.C:
		}
	}
}

// settle reads how a start went. Where nobody was first yet it makes sure that nobody will be.
func settle(runFile string, nonce time.Time, cause error) (Handle, error) {
	st, err := Look(runFile)
	if errors.Is(err, fs.ErrNotExist) {
		_, st, err = DeclareNotSent(runFile)
	}
	if err != nil {
		return Handle{State: st}, err
	}
	if cause != nil && st.Phase == NotSent {
		st.Error = fmt.Sprintf("%s: %s", st.Error, cause)
	}
	if st.Phase == Starting || st.Phase == Unclear {
		return Handle{State: st}, fmt.Errorf("the supervisor of %s has not said how its start went", filepath.Base(runFile))
	}
	return Handle{State: st, First: st.Issued.Equal(nonce)}, nil
}
