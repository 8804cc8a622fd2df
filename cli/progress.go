package cli

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows how far a long check is, on stderr and only where that is a terminal. The first function is given to the
// use case, the second takes the bar away.
func (a *app) progress(what string) (step func(done, total int64), end func()) {
	if !a.env.ErrTTY || a.global.JSON {
		return nil, func() {}
	}
	var bar *progressbar.ProgressBar
	step = func(done, total int64) {
		if bar == nil {
			bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(a.env.Err), progressbar.OptionSetDescription(what),
				progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond))
		}
		bar.Set64(done) //nolint:errcheck // a bar that cannot be drawn is no reason to stop
	}
	return step, func() {
		if bar != nil {
			bar.Clear() //nolint:errcheck // as above
		}
	}
}
