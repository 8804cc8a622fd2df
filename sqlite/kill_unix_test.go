//go:build unix

package sqlite

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/testigo/testigo"
)

func killSelf() {
	syscall.Kill(os.Getpid(), syscall.SIGKILL) //nolint:errcheck // there is nothing after it
	select {}
}

// childFault writes, meets a disk that takes no more, and writes again when it does. Files that may not grow stand for the
// disk: the kernel refuses the write in the middle of a commit.
func childFault(args []string, _ io.Reader) error {
	signal.Ignore(syscall.SIGXFSZ)
	s, err := Open(context.Background(), args[0], Options{Create: true})
	if err != nil {
		return err
	}
	defer s.Close()
	if err := put(s, "before", "k"); err != nil {
		return err
	}
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
		return err
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: uint64(s.walSize()) + 4096, Max: old.Max}); err != nil {
		return err
	}
	fmt.Println(testigo.CodeOf(put(s, "during", "k")))
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
		return err
	}
	fmt.Println(testigo.CodeOf(put(s, "after", "k")))
	for _, scope := range []string{"before", "during", "after"} {
		fmt.Println(has(s, scope, "k"))
	}
	return nil
}

// childFull opens a store where no file may grow, reads a fact and tries to write one.
func childFull(args []string, in io.Reader) error {
	signal.Ignore(syscall.SIGXFSZ)
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
		return err
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 512, Max: old.Max}); err != nil {
		return err
	}
	return childLook(args, in)
}
