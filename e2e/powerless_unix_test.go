//go:build unix

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// nobody is a user without rights on every Unix.
const nobody = 65534

// giveAway lets powerless read a file that root made.
func giveAway(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	return os.Chown(path, nobody, nobody)
}

// powerless runs a command that has to end with the exit code given first, as a user whom file modes bind.
func powerless(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: powerless N command …")
	}
	if os.Geteuid() != 0 {
		exits(ts, neg, args)
		return
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	path, err := exec.LookPath(args[1])
	ts.Check(err)
	ts.Check(os.Chmod(filepath.Dir(filepath.Dir(path)), 0o755)) // where testscript has put the program
	cmd := exec.Command(path, args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"HOME", "XDG_DATA_HOME", "STORE", "PATH", "TESTIGO_DB", "TESTIGO_AGENT", "TMPDIR"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	got := exitCode(ts, cmd.Run())
	ts.Logf("[as nobody] %s\n%s%s", strings.Join(args[1:], " "), out.String(), errs.String())
	ts.Check(os.WriteFile(ts.MkAbs("stdout.txt"), out.Bytes(), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("stderr.txt"), errs.Bytes(), 0o600))
	if got != want {
		ts.Fatalf("%s: exit code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}
