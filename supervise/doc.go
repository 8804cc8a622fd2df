// Package supervise owns running turns: commands that an engine started and that must outlive it.
//
// Each turn has one small detached process, its supervisor, and one file, <runs>/<request id>. The file decides who was
// first and says what became of the turn; the supervisor never opens the store and ends with its turn.
//
//	engine ── Start ──► supervisor ── creates the run file (or stops: somebody was first)
//	   │                    │  spawns a gate: our own program, waiting
//	   │                    │  writes the gate's pid, start time and boot to the run file
//	   │                    │  opens the gate, which becomes the command (same pid)
//	   │                    ▼
//	   └── Look ◄──── run file: starting → running → ended
//	                             └────────► not_started
//	   DeclareNotSent ─► run file: not_sent (or the answer that the supervisor was first)
//
// Because the pid is on disk before the first instruction of the command, a supervisor that was killed leaves one of three
// situations, and Look tells them apart: no command ever ran (not_started), the command still runs (orphaned), or it is gone
// and its exit code with it (interrupted). Whether a process is gone is decided by number, start time and boot together;
// where that cannot be told (another machine or container) the answer is unclear, never a guess.
//
// A supervisor waits for its command and not for the end of the output: a grandchild that keeps the pipe open delays the
// result by the drain time and no longer, and its later writes fail. Output is read without end and kept as 20 lines of 500
// characters. At the timeout, or when the supervisor is told to end, the command's process group gets SIGTERM, five
// seconds later SIGKILL. A command that moves a child into a session of its own takes it out of that reach.
//
// What runs: Linux and macOS. On macOS the remaining members of a group whose leader is gone cannot be recognised and are left
// alone. On Windows the package builds, and Start says that it cannot run turns there: process groups, the gate and
// signals are missing. On a file system without hard links a supervisor killed within its first write leaves an
// empty run file; Look calls that unclear.
package supervise
