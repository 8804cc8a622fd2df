//go:build unix

package supervise

import (
	"encoding/json"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// Main is the hidden command: without arguments a supervisor, which reads its Spec from stdin and owns the process's
// standard output. It returns the exit code.
func Main(args []string, stdin io.Reader) int { return run(args, stdin, func(string) {}) }

// run lets tests stop a supervisor at named points.
func run(args []string, stdin io.Reader, at func(point string)) int {
	if len(args) > 1 && args[0] == gateArg {
		return gate(args[1:])
	}
	// A terminal that closes and a reader of our output that has gone are no reasons to end. They are caught and not
	// ignored: a command inherits what is ignored. The other two end the turn in good order.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP, syscall.SIGPIPE)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)

	var spec Spec
	if err := json.NewDecoder(stdin).Decode(&spec); err != nil { // the engine ended while it wrote
		return 1
	}
	s := &supervisor{spec: spec, at: at, stop: stop, out: &ring{}}
	return s.run()
}

// supervisor runs one turn.
type supervisor struct {
	spec Spec
	at   func(string)
	stop <-chan os.Signal
	out  *ring
	st   State
}

func (s *supervisor) run() int {
	runs := filepath.Dir(s.spec.RunFile)
	if s.spec.Token.passed(time.Now(), runs) != "" {
		return 1 // nothing is made: the engine declares it not sent, or has done so
	}
	s.at("before_create")
	s.st = State{
		Request: s.spec.Request, Phase: Starting, At: time.Now().UTC(), Agent: s.spec.Agent, Lease: s.spec.Token.Lease,
		Issued: s.spec.Token.Issued, Supervisor: describe(os.Getpid()), Note: s.spec.Note,
	}
	if made, err := Create(s.spec.RunFile, s.st); err != nil || !made {
		return 1 // somebody was first
	}
	s.at("after_create")
	// The time until here counts too: we may have been asleep.
	if why := s.spec.Token.passed(time.Now(), runs); why != "" {
		return s.refuse(NotSent, why)
	}
	text := TextFile(s.spec.RunFile)
	if err := writeText(text, s.spec.Text); err != nil {
		return s.refuse(NotStarted, "cannot keep the text: "+err.Error())
	}
	defer os.Remove(text)
	c, why := s.open()
	if why != "" {
		return s.refuse(NotStarted, why)
	}
	return s.wait(c)
}

// refuse ends a turn that did not begin.
func (s *supervisor) refuse(phase Phase, why string) int {
	s.st.Phase, s.st.Error, s.st.Ended = phase, clean([]byte(why)), time.Now().UTC()
	s.save()
	return 1
}

// save writes the state. A full disk must not turn a result into "interrupted" and thereby into a second run: it is tried
// for ten seconds. "Never outlives its turn" is given up for that long.
func (s *supervisor) save() bool {
	for try := 0; ; try++ {
		s.st.At = time.Now().UTC()
		err := Replace(s.spec.RunFile, s.st)
		if err == nil {
			return true
		}
		if try == 10 {
			return false
		}
		time.Sleep(time.Second)
	}
}

// writeText keeps the text where only its owner can read it. A file of an earlier try that was killed is replaced.
func writeText(path, text string) error {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
