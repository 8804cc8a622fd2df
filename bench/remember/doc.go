// Command remember measures one writer: remember through the use case on SQLite, durable (FULL), against the same rows
// written by bare SQL with the same driver, and by bare SQL through SQLite built in C.
//
// Each round gives every contender a new store and the same writes, one transaction each; see package measure for how
// rounds become ratios, and package bare for what the limit does and does not do. Between the two stands "store alone": the
// sqlite package with versions computed beforehand, to tell what the use case costs from what the store costs.
//
//	remember              prints a Markdown table
//	remember profile DIR  writes cpu.prof and heap.prof of the use case into DIR
//
// Environment: BENCH_WORK (where stores are made), CSQLITE (the C program), QUICK (small sizes).
package main
