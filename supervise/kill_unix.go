//go:build unix

package supervise

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"
	"time"
)

// Kill ends a turn: through its supervisor, or, when that is gone or does not react, the command's process group directly.
// It returns when the turn is proven to be over, or with the state so far when ctx ends. Only processes whose number, start
// time and boot are those on record are signalled.
func Kill(ctx context.Context, runFile string) (State, error) {
	runFile, err := filepath.Abs(runFile)
	if err != nil {
		return State{}, err
	}
	k := killer{runFile: runFile, grace: 5 * time.Second}
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for {
		st, err := Look(runFile)
		if err != nil {
			return st, err
		}
		if !st.Phase.Open() {
			if st.Phase == Interrupted {
				killRest(st.Command.PID, markOf(runFile))
			}
			return st, nil
		}
		if st.Phase == Unclear {
			return st, errors.New("the turn's processes cannot be seen from here")
		}
		k.signal(st)
		select {
		case <-ctx.Done():
			return st, context.Cause(ctx)
		case <-poll.C:
		}
	}
}

// Sweep ends what is left of the group of an interrupted turn. Look has found its leader gone.
func Sweep(runFile string, st State) {
	if abs, err := filepath.Abs(runFile); err == nil && st.Phase == Interrupted {
		killRest(st.Command.PID, markOf(abs))
	}
}

// killer raises its voice: first SIGTERM to the supervisor, then SIGKILL, then the same for the command's group.
type killer struct {
	runFile                string
	grace                  time.Duration
	askedAt, termAt        time.Time
	asked, killed, groupOn bool
}

func (k *killer) signal(st State) {
	now := time.Now()
	if st.Phase != Orphaned {
		switch {
		case !k.asked:
			k.asked, k.askedAt = true, now
			_ = syscall.Kill(st.Supervisor.PID, syscall.SIGTERM)
		case !k.killed && now.Sub(k.askedAt) > 2*k.grace: // twice: it gives its command one grace itself
			k.killed = true
			_ = syscall.Kill(st.Supervisor.PID, syscall.SIGKILL)
		}
		return
	}
	switch {
	case !k.groupOn:
		k.groupOn, k.termAt = true, now
		_ = syscall.Kill(-st.Command.PID, syscall.SIGTERM)
	case now.Sub(k.termAt) > k.grace:
		_ = syscall.Kill(-st.Command.PID, syscall.SIGKILL)
	}
}

// markOf names a run in the environment of its command, so that what is left of its group can be recognised.
func markOf(runFile string) string { return "TESTIGO_RUN=" + runFile }
