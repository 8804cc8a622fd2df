//go:build !unix

package workspace

import "os/exec"

// ownGroup does nothing here: only git itself is ended.
func ownGroup(*exec.Cmd) {}
