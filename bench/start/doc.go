// Command start measures how long an agent waits for its memory: from starting `testigo mcp` to its first tools/list
// answer, in both protocol eras, on a new store and on a filled one, and the resident memory at that point.
//
//	start   prints a Markdown table
//
// Environment: TESTIGO_BIN (the program, bin/testigo by default), BENCH_WORK, QUICK.
package main
