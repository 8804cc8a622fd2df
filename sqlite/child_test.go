package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/testigo/testigo"
)

// childJob names, in the environment, what a child process of a test does; its arguments follow, one a line.
const (
	childJob  = "TESTIGO_TEST_CHILD"
	childArgs = "TESTIGO_TEST_ARGS"
)

// childJobs are what a child process can do. Each gets its arguments and its standard input.
var childJobs = map[string]func(args []string, in io.Reader) error{
	"write": childWrite,
	"kill":  childKill,
	"hold":  childHold,
	"look":  childLook,
	"fault": childFault,
	"full":  childFull,
}

func runChild(job string) int {
	run, ok := childJobs[job]
	if !ok {
		fmt.Fprintln(os.Stderr, "no such job:", job)
		return testigo.ExitUsage
	}
	if err := run(strings.Split(os.Getenv(childArgs), "\n"), os.Stdin); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %s (cause: %v)\n", testigo.CodeOf(err), err, errors.Unwrap(err))
		return testigo.ExitFailed
	}
	return testigo.ExitOK
}

// child makes a process of this test binary that does a job.
func child(t *testing.T, job string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), childJob+"="+job, childArgs+"="+strings.Join(args, "\n"))
	cmd.Stderr = &bytes.Buffer{}
	return cmd
}

// runs lets a child do its job to the end and returns what it printed.
func runs(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("child: %v: %s", err, cmd.Stderr)
	}
	return string(out)
}

// childWrite opens a store, making it if need be, and writes facts: path, name, count. It prints how many microseconds each
// took.
func childWrite(args []string, _ io.Reader) error {
	s, err := Open(context.Background(), args[0], Options{Create: true, Role: OneShot})
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	for i := range n {
		start := time.Now()
		if err := put(s, args[1], fmt.Sprintf("k%d", i)); err != nil {
			return err
		}
		fmt.Println(time.Since(start).Microseconds())
	}
	return s.Close()
}

// childKill is childWrite until a fault point is reached for the n-th time, where the process kills itself.
func childKill(args []string, _ io.Reader) error {
	left, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	s, err := Open(context.Background(), args[0], Options{Create: true, Role: OneShot, FaultPoint: func(name string) {
		if name != args[2] {
			return
		}
		if left--; left < 0 {
			killSelf()
		}
	}})
	if err != nil {
		return err
	}
	for i := range 50 { // enough for every point, and an end when a point was passed in an earlier life
		if err := put(s, args[1], fmt.Sprintf("k%d", i)); err != nil {
			return err
		}
		fmt.Println(i) // acknowledged
		if args[2] == "in_checkpoint" {
			s.fault("in_checkpoint")
			if err := s.checkpoint("PASSIVE"); err != nil {
				return err
			}
		}
	}
	return s.Close()
}

// childHold takes the write lock and keeps it until its input ends.
func childHold(args []string, in io.Reader) error {
	s, err := Open(context.Background(), args[0], Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Write(context.Background(), func(testigo.Tx) error {
		fmt.Println("held")
		_, err := io.Copy(io.Discard, in)
		return err
	})
}

// childLook reads a fact and then tries to write.
func childLook(args []string, _ io.Reader) error {
	s, err := Open(context.Background(), args[0], Options{Role: OneShot})
	if err != nil {
		return err
	}
	defer s.Close()
	err = s.Read(context.Background(), func(r testigo.Reader) error {
		v, err := r.Current(context.Background(), testigo.Name{Project: "p", Scope: args[1], Key: args[2]})
		fmt.Printf("value %s\n", v.Value)
		if err != nil {
			return err
		}
		_, err = r.Candidates(context.Background(), testigo.SearchQuery{Terms: []string{args[2]}, Limit: 5})
		return err
	})
	if err != nil {
		return err
	}
	info, err := s.Info(context.Background())
	fmt.Printf("read only %t\nwrite %s\n", info.ReadOnly, testigo.CodeOf(put(s, "x", "y")))
	return err
}
