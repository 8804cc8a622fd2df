package proc

import (
	"context"
	"os"
	"time"
)

// parentPoll is how often the parent is looked at. Half a second is short for a person and costs nothing measurable.
const parentPoll = 500 * time.Millisecond

// firstParent is taken when the program starts: a parent that ends before anybody watches is noticed all the same.
var firstParent = os.Getppid()

// WatchParent returns a channel that closes when the parent that started this process has ended. It watches until ctx is
// done; the channel then stays open.
func WatchParent(ctx context.Context) <-chan struct{} {
	ppid := firstParent
	started, st := look(ppid)
	return watch(ctx, func() bool {
		if os.Getppid() != ppid {
			return true
		}
		if st == unclear { // a parent outside our view: only its number can tell
			return false
		}
		now, is := look(ppid)
		return is == ended || is == running && now != started
	})
}

func watch(ctx context.Context, gone func() bool) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(parentPoll)
		defer tick.Stop()
		for {
			if gone() {
				close(done)
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return done
}
