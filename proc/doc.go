// Package proc tells operating-system processes apart. A process number alone does not: numbers are used again. A
// number, the kernel's start time and the boot they belong to do.
//
// It answers two questions: does the process that once took something still live, and has the parent of this process
// ended. "I cannot tell" is an answer of its own: a process seen by another machine, or from another container, may
// well be alive although its number means nothing here.
//
//	Boot = boot id "/" machine "/" process number space
//
//	same boot, same space       → number and start time decide
//	same boot, other space      → cannot tell
//	other boot, same machine    → the machine was restarted: ended
//	other boot, other machine   → cannot tell
//
// Start time and boot are opaque to everybody else. On systems other than Linux, macOS and Windows only the number is
// known, and so a process is never Known.
package proc
