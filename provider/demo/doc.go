// Package demo is a provider whose sessions are simulated: it shows deliveries without any agent. What a turn does is
// decided by its request alone, the same in every process:
//
//	sha256(seed, request id) ── outcome   80 % finished, 10 % failed, 10 % stopped
//	                         ├─ duration  4 to 15 s, divided by the speed
//	                         └─ summary   one of eight, and the pins that the card names
//
// Turns are kept in a file beside the database, so that all processes see the same; a lock keeps writers apart and every
// write replaces the file whole. Without a path everything is in memory. The newest thousand turns are kept. Once something
// was dropped, or the file was damaged, or in memory, the provider no longer claims that a request was never started.
//
// The simulated agent acts when a finished turn is first observed: Options.Finish then returns the work or resumes the packet,
// named by the turn and never by what a text says. If acting fails three times the turn has ended without it, and says so.
package demo
