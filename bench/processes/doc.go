// Command processes measures many processes that write one store at once: 1, 4 and 16 of them, each calling remember in a
// loop, against as many processes of SQLite built in C that have busy_timeout alone between them.
//
// All start together and write for the same time. What counts is not the total alone but the slowest write, and how much
// the slowest process got done of what the fastest did: a process that starves is an agent that hangs. A lock error that
// reaches a caller counts as a failed write.
//
//	processes   prints a Markdown table
//
// Environment: BENCH_WORK, CSQLITE, QUICK.
package main
