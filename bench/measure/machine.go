package measure

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Machine describes where the numbers come from, as a Markdown list. dir is where the stores lie.
func Machine(dir string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "- %s, %d cores, %s of memory\n", field("/proc/cpuinfo", "model name"), runtime.NumCPU(), field("/proc/meminfo", "MemTotal"))
	fmt.Fprintf(&b, "- %s %s, kernel %s; %s\n", runtime.GOOS, runtime.GOARCH, firstLine("/proc/sys/kernel/osrelease"), runtime.Version())
	fmt.Fprintf(&b, "- stores on %s; a 4 KiB append with fsync takes %s there (median of 200)\n", fileSystem(dir), syncTime(dir))
	fmt.Fprintf(&b, "- load when started: %s\n", firstLine("/proc/loadavg"))
	return b.String()
}

func firstLine(path string) string {
	raw, err := os.ReadFile(path)
	if err != nil {
		return "unknown"
	}
	line, _, _ := strings.Cut(string(raw), "\n")
	return strings.TrimSpace(line)
}

// field reads the first "name : value" line of a file in /proc.
func field(path, name string) string {
	f, err := os.Open(path)
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if key, value, ok := strings.Cut(sc.Text(), ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

// fileSystem is the kind of the deepest mount above dir.
func fileSystem(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "unknown"
	}
	f, err := os.Open("/proc/self/mounts")
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	kind, longest := "unknown", -1
	for sc := bufio.NewScanner(f); sc.Scan(); {
		parts := strings.Fields(sc.Text())
		if len(parts) < 3 {
			continue
		}
		rel, err := filepath.Rel(parts[1], dir)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, "../") && len(parts[1]) > longest {
			kind, longest = parts[2]+" ("+parts[0]+")", len(parts[1])
		}
	}
	return kind
}

// syncTime says what durability costs on this disk: it is most of a write on a slow one.
func syncTime(dir string) string {
	f, err := os.CreateTemp(dir, "sync")
	if err != nil {
		return "an unknown time"
	}
	defer os.Remove(f.Name())
	defer f.Close()
	page := make([]byte, 4096)
	var times []float64
	for range 200 {
		began := time.Now()
		if _, err := f.Write(page); err != nil {
			return "an unknown time"
		}
		if err := f.Sync(); err != nil {
			return "an unknown time"
		}
		times = append(times, float64(time.Since(began).Microseconds()))
	}
	return fmt.Sprintf("%.0f µs", Median(times))
}

// Memory reads the resident memory of a process now and at its peak, in bytes. Only Linux tells.
func Memory(pid int) (now, peak int64, err error) {
	status := fmt.Sprintf("/proc/%d/status", pid)
	if now, err = kilobytes(field(status, "VmRSS")); err != nil {
		return 0, 0, err
	}
	peak, err = kilobytes(field(status, "VmHWM"))
	return now, peak, err
}

func kilobytes(s string) (int64, error) {
	var n int64
	_, err := fmt.Sscanf(s, "%d kB", &n)
	return n << 10, err
}

// MB is a size in MiB as a number to print.
func MB(bytes int64) float64 { return float64(bytes) / (1 << 20) }
