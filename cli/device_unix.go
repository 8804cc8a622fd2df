//go:build unix

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// deviceOf says on which device a folder lies and where that is mounted (fault S12: a store in a sandbox's throw-away file
// system looks like any other). "" when it cannot be told.
func deviceOf(dir string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	dev, ok := device(real)
	if !ok {
		return ""
	}
	point := real
	for up := filepath.Dir(point); up != point; up = filepath.Dir(point) {
		if d, ok := device(up); !ok || d != dev {
			break
		}
		point = up
	}
	return fmt.Sprintf("device %d:%d, mounted at %s", unix.Major(dev), unix.Minor(dev), point)
}

func device(path string) (uint64, bool) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(st.Dev), true //nolint:unconvert // Dev has another type on other systems
}
