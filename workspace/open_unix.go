//go:build unix

package workspace

import "syscall"

// openFlags keeps an open from waiting for the other end of a pipe that took a file's place.
const openFlags = syscall.O_NONBLOCK
