package engine

import "time"

// Spans of the state machine. The numbers are the reference's where it has them.
const (
	// enrolBatch bounds one enrolling transaction, so that a flood does not keep other writers waiting.
	enrolBatch = 64
	// dueBatch bounds the due rows one pass reads. The rest is due in the next one.
	dueBatch = 256
	// queueShown is how much of a recipient's queue one pass looks at: what is behind that waits anyway.
	queueShown = 64

	// sendTimeout is after which nobody believes in an answer of a start any more: SENDING becomes UNCERTAIN.
	sendTimeout = 60 * time.Second

	// Absence is proven by three complete scans in a row over at least an hour.
	absentScans = 3
	absentSpan  = time.Hour
	absentEvery = 5 * time.Minute

	// unobservedFor keeps an accepted turn trusted while observation fails.
	unobservedFor = 10 * time.Minute

	// Resends of a turn that went wrong, after one and five minutes, and of one that was interrupted.
	maxFailedResends      = 2
	maxInterruptedResends = 1
	firstResendAfter      = time.Minute
	secondResendAfter     = 5 * time.Minute
	interruptedAfter      = 10 * time.Minute
	// reviewAgain is when a failure that could not be looked at is looked at again.
	reviewAgain = time.Minute

	// refusedRetry is when a refused write is tried once more under the same request id.
	refusedRetry = 15 * time.Second
	// Back-off of what was never sent: doubled from the first to the second, with up to a quarter of jitter.
	backoffFirst = 15 * time.Second
	backoffMost  = 5 * time.Minute

	// Checks of what waits for something else to change.
	busyCheck        = 10 * time.Second
	behindCheck      = time.Minute
	heldCheck        = 30 * time.Second
	unavailableCheck = 30 * time.Second
	movedCheck       = time.Minute
	outageCheck      = time.Minute

	// Checks of an accepted turn: often while it is fresh.
	freshFor   = 2 * time.Minute
	freshCheck = 2 * time.Second
	turnCheck  = 10 * time.Second

	// stuckAfter is when a sender without a due time is told that nothing moves.
	stuckAfter = 24 * time.Hour
	// renewClaim keeps the claim of a running turn from lapsing (testigo.ClaimLapse is two hours).
	renewClaim = 30 * time.Minute
)
