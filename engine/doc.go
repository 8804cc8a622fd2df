// Package engine delivers handoffs: it brings each one, once, into the live session of exactly the agent it is for, and
// tells its sender what became of it.
//
//	send ─▶ enrol ─▶ queue of the recipient ─▶ reserve ─▶ start ─▶ observe ─▶ end
//	                  one at a time, in order     │ claim, slot, attempt: one transaction
//	                                              └ nothing is written to a session before it is committed
//
// What it promises: at most one write per attempt, at least one attempt, and never a second while the first may be alive.
// Every doubt keeps the slot. A resend needs a fresh look that saw the failure itself, absence needs three complete searches
// in a row over an hour in which an engine was awake, and what a session accepted is never called undelivered. What it does
// not promise: that a turn which went wrong half-way did nothing. Its card says which attempt it is.
//
// States of a delivery (testigo.CanDeliver; a test keeps this picture true):
//
//	WAITING        → BUSY HELD UNAVAILABLE SENDING FAILED ACKNOWLEDGED CANCELLED
//	BUSY           → WAITING HELD UNAVAILABLE SENDING FAILED ACKNOWLEDGED CANCELLED
//	HELD           → WAITING BUSY UNAVAILABLE SENDING FAILED ACKNOWLEDGED CANCELLED
//	UNAVAILABLE    → WAITING BUSY HELD SENDING FAILED ACKNOWLEDGED CANCELLED
//	OWNER_REJECTED → WAITING BUSY HELD UNAVAILABLE SENDING FAILED ACKNOWLEDGED CANCELLED
//	SENDING        → WAITING BUSY UNAVAILABLE OWNER_REJECTED UNCERTAIN ACCEPTED RUNNING RETURNED FAILED CANCELLED
//	UNCERTAIN      → WAITING ACCEPTED RUNNING RETURNED FAILED CANCELLED
//	ACCEPTED       → UNCERTAIN RUNNING RETURNED FAILED CANCELLED
//	RUNNING        → UNCERTAIN ACCEPTED RETURNED FAILED CANCELLED
//	RETURNED       → (over)
//	FAILED         → WAITING RUNNING RETURNED
//	ACKNOWLEDGED   → (over)
//	CANCELLED      → (over)
//	DUPLICATE      → WAITING CANCELLED
//
// One engine holds the lease of a store. Every write names its generation and every change names the row as it was seen, so
// whatever a process decided before it was overtaken, put to sleep or killed is not written. Providers are asked outside of
// transactions only.
//
// A handoff that was sent inside a turn is one hop further than what started the turn; after testigo.MaxHops it is stored
// and not pushed. Automatic words (notices) are notifications of service:delivery and service:deadline: they wake nobody, so
// they cannot answer each other.
package engine
