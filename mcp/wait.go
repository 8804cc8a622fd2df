package mcp

import (
	"context"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Times of a call that waits for news.
const (
	// maxWait is the longest wait in seconds: hosts give a call up after sixty.
	maxWait = 50
	// pollEvery is how often the store is looked at.
	pollEvery = 250 * time.Millisecond
	// progressEvery is how often the client is told that the call still waits.
	progressEvery = 10 * time.Second
)

// pulse starts the beats of one wait: the time it begins at, a channel of the times that follow, and what ends them.
type pulse func(every time.Duration) (began time.Time, beats <-chan time.Time, stop func())

func heartbeat(every time.Duration) (time.Time, <-chan time.Time, func()) {
	t := time.NewTicker(every)
	return time.Now(), t.C, t.Stop
}

// progress tells the client how much of a wait is over.
type progress func(ctx context.Context, waited, total time.Duration)

// progressOf returns what tells the sender of a request about its progress, nil when it did not ask to be told.
func (f *face) progressOf(req *sdk.CallToolRequest) progress {
	token := req.Params.GetProgressToken()
	switch token.(type) {
	case string, float64:
	default:
		return nil
	}
	return func(ctx context.Context, waited, total time.Duration) {
		err := req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token,
			Progress: waited.Seconds(), Total: total.Seconds(), Message: "nothing new yet"})
		if err != nil {
			f.Log.DebugContext(ctx, "progress could not be told", "error", err)
		}
	}
}

// waiter is what a call needs in order to wait.
type waiter struct {
	pulse    pulse
	hungUp   <-chan struct{}
	progress progress
}

// await calls look at once and then at every beat until it reports news, the seconds are over, or no more input comes.
// All three are a good end: what look saw last is the answer. It holds nothing while it waits, so that the session's
// other calls go on.
func (w waiter) await(ctx context.Context, seconds int, look func() (news bool, err error)) error {
	news, err := look()
	if news || err != nil || seconds == 0 {
		return err
	}
	total := time.Duration(seconds) * time.Second
	began, beats, stop := w.pulse(pollEvery)
	defer stop()
	told := began
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.hungUp:
			return nil
		case now := <-beats:
			if news, err := look(); news || err != nil {
				return err
			}
			if now.Sub(began) >= total {
				return nil
			}
			if w.progress != nil && now.Sub(told) >= progressEvery {
				told = now
				w.progress(ctx, now.Sub(began), total)
			}
		}
	}
}
