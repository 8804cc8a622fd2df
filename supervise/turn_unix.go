//go:build unix

package supervise

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/testigo/testigo"
)

// command is the running command of a turn.
type command struct {
	cmd     *exec.Cmd
	output  *os.File
	done    chan struct{} // closes when the command has ended and was reaped
	drained chan struct{} // closes when its output has ended
}

// open spawns the gate, records it, and lets it become the command. It returns why that failed, if it did.
func (s *supervisor) open() (*command, string) {
	output, outputW, err := os.Pipe()
	if err != nil {
		return nil, err.Error()
	}
	goR, goW, err := os.Pipe()
	if err != nil {
		return nil, err.Error()
	}
	failR, failW, err := os.Pipe()
	if err != nil {
		return nil, err.Error()
	}
	cmd := gateCommand(s.spec)
	cmd.Stdout, cmd.Stderr = outputW, outputW
	cmd.ExtraFiles = []*os.File{goR, failW} // descriptors 3 and 4 of the gate
	err = cmd.Start()
	outputW.Close()
	goR.Close()
	failW.Close()
	if err != nil {
		return nil, err.Error()
	}
	s.at("after_spawn")
	s.st.Command = describe(cmd.Process.Pid)
	s.st.Started = time.Now().UTC()
	s.st.Until = s.st.Started.Add(s.spec.Timeout)
	if err := Replace(s.spec.RunFile, s.st); err != nil {
		goW.Close() // the gate stays shut and ends
		_ = cmd.Wait()
		s.forget()
		return nil, "cannot record the command: " + err.Error()
	}
	s.at("after_record")
	// The last moment to say no: the machine may have been asleep since the first look at the token.
	if why := s.spec.Token.passed(time.Now(), filepath.Dir(s.spec.RunFile)); why != "" {
		goW.Close()
		_ = cmd.Wait()
		s.forget()
		return nil, why
	}
	_, _ = goW.Write([]byte{1}) // fails only when the gate was killed, and then the wait below says so
	goW.Close()
	// The gate reports why it could not become the command; becoming it closes the pipe.
	why, _ := io.ReadAll(io.LimitReader(failR, lineBytes))
	failR.Close()
	if len(why) > 0 {
		_ = cmd.Wait()
		s.forget()
		return nil, string(why)
	}
	c := &command{cmd: cmd, output: output, done: make(chan struct{}), drained: make(chan struct{})}
	go func() { defer close(c.done); _ = cmd.Wait() }()
	go func() { defer close(c.drained); _, _ = io.Copy(s.out, output) }()
	return c, ""
}

// forget takes back what was recorded of a command that never ran.
func (s *supervisor) forget() {
	s.st.Command, s.st.Started, s.st.Until = testigo.Process{}, time.Time{}, time.Time{}
}

// gateCommand starts this very program, even when its file was replaced or deleted since.
func gateCommand(spec Spec) *exec.Cmd {
	argv := append(append([]string{}, spec.Self...), gateArg)
	argv = append(argv, spec.Argv...)
	path := argv[0]
	if runtime.GOOS == "linux" {
		path = "/proc/self/exe"
	}
	// A turn has no terminal to ask at: its standard input is empty. A session of its own makes one process group of it.
	return &exec.Cmd{Path: path, Args: argv, Dir: spec.Dir, Env: append(spec.Env, markOf(spec.RunFile)), SysProcAttr: &syscall.SysProcAttr{Setsid: true}}
}

// wait sees the turn to its end and records it.
func (s *supervisor) wait(c *command) int {
	s.st.Phase = Running
	s.save()
	os.Stdout.Close() // tells the engine to look
	s.at("running")
	s.watch(c)
	s.at("before_result")
	s.drain(c)
	s.result(c.cmd.ProcessState)
	if !s.save() {
		return 1
	}
	return 0
}

// maxPipe is the most that a pipe holds on the systems we know.
const maxPipe = 1 << 20

// drain reads the end of the output, for a limited time: a grandchild may hold the pipe. What lies in it when that time is
// over was written by the command itself in the usual case, on a machine too busy to read it in time, and is read too.
func (s *supervisor) drain(c *command) {
	defer c.output.Close()
	select {
	case <-c.drained:
		return
	case <-time.After(s.spec.Drain):
	}
	_ = c.output.SetReadDeadline(time.Now())
	<-c.drained
	_ = c.output.SetReadDeadline(time.Time{})
	raw, err := c.output.SyscallConn()
	if err != nil {
		return
	}
	buf := make([]byte, 32<<10)
	_ = raw.Read(func(fd uintptr) bool {
		for read := 0; read < maxPipe; {
			n, err := syscall.Read(int(fd), buf)
			if n <= 0 || err != nil { // empty or ended
				break
			}
			_, _ = s.out.Write(buf[:n])
			read += n
		}
		return true
	})
}

// watch returns when the command has ended, by itself or because its time was up or somebody asked.
func (s *supervisor) watch(c *command) {
	timeout := time.NewTimer(s.spec.Timeout)
	defer timeout.Stop()
	tick := time.NewTicker(time.Second) // how old the tail of a running turn may be
	defer tick.Stop()
	var seen int64
	for {
		select {
		case <-c.done:
			return
		case <-timeout.C:
			s.st.TimedOut = s.end(c)
			return
		case <-s.stop:
			s.st.Stopped = s.end(c)
			return
		case <-tick.C:
			lines, n := s.out.tail()
			if n != seen {
				s.st.Tail, s.st.Bytes, seen = lines, n, n
				s.st.At = time.Now().UTC()
				_ = Replace(s.spec.RunFile, s.st) // only news: the result will be written all the same
			}
		}
	}
}

// end stops the command's process group. It returns false when the command had ended by itself.
func (s *supervisor) end(c *command) bool {
	select {
	case <-c.done:
		return false
	default:
	}
	group := -c.cmd.Process.Pid
	_ = syscall.Kill(group, syscall.SIGTERM)
	grace := time.NewTimer(s.spec.Grace)
	defer grace.Stop()
	select {
	case <-c.done:
	case <-grace.C:
	}
	// Members that outlive their leader get no more time: nothing of a stopped turn may go on working.
	_ = syscall.Kill(group, syscall.SIGKILL)
	<-c.done
	return true
}

func (s *supervisor) result(ps *os.ProcessState) {
	s.st.Phase, s.st.Ended = Ended, time.Now().UTC()
	s.st.Tail, s.st.Bytes = s.out.tail()
	ws, ok := ps.Sys().(syscall.WaitStatus)
	switch {
	case ok && ws.Signaled():
		s.st.Signal = ws.Signal().String()
	default:
		code := ps.ExitCode()
		s.st.Exit = &code
	}
}
