//go:build unix

package supervise

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
)

// Fault 6: a grandchild that holds the pipe, in the command's session or in one of its own, delays nothing.
func TestFault6GrandchildHoldsThePipe(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"same group":  `sleep 60 & echo $! >"$D/pid"; echo done`,
		"own session": `setsid sleep 60 & echo $! >"$D/pid"; echo done`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if strings.Contains(script, "setsid") && runtime.GOOS != "linux" {
				t.Skip("macOS has no setsid program")
			}
			s := shell(t, script)
			began := time.Now()
			start(t, s)
			st := ended(t, s.RunFile)
			if took := time.Since(began); st.Phase != Ended || *st.Exit != 0 || st.TimedOut || took > 15*time.Second {
				t.Errorf("%s %+v", took, st)
			}
			if len(st.Tail) != 1 || st.Tail[0] != "done" {
				t.Errorf("%q", st.Tail)
			}
			b, _ := os.ReadFile(s.Dir + "/pid")
			if pid, err := strconv.Atoi(strings.TrimSpace(string(b))); err == nil && pid > 1 {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		})
	}
}

// What the command itself wrote is kept however short the drain is, also when the pipe never ends.
func TestDrainKeepsWhatWasWritten(t *testing.T) {
	t.Parallel()
	s := shell(t, `sleep 30 & i=0; while [ $i -lt 3000 ]; do echo "line $i"; i=$((i+1)); done`)
	s.Drain = time.Nanosecond
	start(t, s)
	st := ended(t, s.RunFile)
	if len(st.Tail) != tailLines || st.Tail[tailLines-1] != "line 2999" || st.Bytes != 10*7+90*8+900*9+2000*10 {
		t.Errorf("%d bytes, %q", st.Bytes, st.Tail)
	}
	_ = syscall.Kill(-st.Command.PID, syscall.SIGKILL)
}

// The timeout ends the whole group, also what ignores SIGTERM and what its leader left behind.
func TestTimeout(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"polite":      `sleep 60`,
		"ignores":     `trap "" TERM; while :; do sleep 60; done`,
		"zero anyway": `trap "exit 0" TERM; sleep 60 & wait`,
		"a few forks": `trap "" TERM; for i in 1 2 3 4 5; do (trap "" TERM; sleep 60; sleep 60) & echo $! >>"$D/pids"; done; wait; wait`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := shell(t, script)
			s.Timeout = 700 * time.Millisecond
			start(t, s)
			st := ended(t, s.RunFile)
			if st.Phase != Ended || !st.TimedOut || st.Stopped {
				t.Errorf("%+v", st)
			}
			b, _ := os.ReadFile(s.Dir + "/pids")
			for _, word := range strings.Fields(string(b)) {
				pid, _ := strconv.Atoi(word)
				await(t, "child "+word+" to be gone", func() bool { _, l := look(pid); return l == gone })
			}
			if name == "a few forks" && len(b) == 0 {
				t.Error("no children were made")
			}
		})
	}
}

// Endless, huge and binary output neither blocks the command nor grows what is kept.
func TestOutput(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		bytes  int64
	}{
		"endless lines":   {`yes 'a line of a turn that says too much'`, 0},
		"endless line":    {`cat /dev/zero`, 0},
		"huge line":       {`head -c 3000000 /dev/zero | tr '\0' x; exit 0`, 3000000},
		"many lines":      {`i=0; while [ $i -lt 300 ]; do echo "line $i"; i=$((i+1)); done`, 2590 - 300 + 300},
		"binary":          {`head -c 100000 /dev/urandom`, 100000},
		"not UTF-8":       {`printf 'caf\351 \033[31mred\342\200\256\nnext\n'`, 22},
		"nothing":         {``, 0},
		"four bytes each": {`i=0; while [ $i -lt 600 ]; do printf '\360\237\230\200'; i=$((i+1)); done`, 2400},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := shell(t, c.script)
			endless := strings.HasPrefix(name, "endless")
			if endless {
				s.Timeout = 500 * time.Millisecond
			}
			start(t, s)
			st := ended(t, s.RunFile)
			if st.TimedOut != endless || !endless && (st.Exit == nil || *st.Exit != 0) {
				t.Errorf("%+v", st)
			}
			if len(st.Tail) > tailLines {
				t.Errorf("%d lines", len(st.Tail))
			}
			for _, l := range st.Tail {
				if !utf8.ValidString(l) || utf8.RuneCountInString(l) > lineChars || strings.ContainsAny(l, "\x1b\u202e\x00") {
					t.Errorf("%q", l)
				}
			}
			if !endless && name != "many lines" && st.Bytes != c.bytes {
				t.Errorf("%d bytes", st.Bytes)
			}
			if info, err := os.Stat(s.RunFile); err != nil || info.Size() > 100_000 {
				t.Error(info, err)
			}
			switch name {
			case "many lines":
				if st.Tail[0] != "line 280" || st.Tail[19] != "line 299" {
					t.Errorf("%q", st.Tail)
				}
			case "not UTF-8":
				if st.Tail[0] != "caf\uFFFD [31mred" || st.Tail[1] != "next" {
					t.Errorf("%q", st.Tail)
				}
			case "four bytes each":
				if utf8.RuneCountInString(st.Tail[0]) != lineChars {
					t.Errorf("%d", utf8.RuneCountInString(st.Tail[0]))
				}
			}
		})
	}
}

// The tail of a running turn is refreshed while it runs; a signal from outside ends the turn as a signal, not as a code.
func TestRunningTailAndSignal(t *testing.T) {
	t.Parallel()
	s := shell(t, `echo working; sleep 60`)
	start(t, s)
	var st State
	await(t, "the tail", func() bool {
		st, _ = Look(s.RunFile)
		return len(st.Tail) == 1 && st.Phase == Running
	})
	if err := syscall.Kill(-st.Command.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if st := ended(t, s.RunFile); st.Phase != Ended || st.Signal != "killed" || st.Exit != nil {
		t.Errorf("%+v", st)
	}
}

// A command sees a plain world: an empty input, its environment and no signals ignored, no descriptors of ours, a group
// of its own.
func TestPlainWorld(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	s := shell(t, `wc -c; readlink /proc/$$/fd/3 /proc/$$/fd/4; ls /proc/$$/fd | head -3 | tr '\n' ' '; echo; grep SigIgn /proc/$$/status; cut -d' ' -f5,6 /proc/$$/stat; echo $$; env | sort`)
	start(t, s)
	st := ended(t, s.RunFile)
	out := strings.Join(st.Tail, "\n")
	pid := strconv.Itoa(st.Command.PID)
	for _, must := range []string{"0\n0 1 ", pid + " " + pid + "\n" + pid, "TESTIGO_RUN=" + s.RunFile, "D=" + s.Dir} {
		if !strings.Contains(out, must) {
			t.Errorf("%q is missing in\n%s", must, out)
		}
	}
	// The C library keeps signals from 32 on for itself; whether those are ignored is the starter's affair.
	_, mask, _ := strings.Cut(out, "SigIgn:\t")
	ignored, err := strconv.ParseUint(strings.Fields(mask)[0], 16, 64)
	if err != nil || ignored&(1<<31-1) != 0 {
		t.Errorf("signals %x are ignored (%v)", ignored, err)
	}
}
