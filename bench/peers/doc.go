// Command peers runs other memory servers and testigo through the same small MCP client over standard input and output: the
// same writes, reads by name and searches, one after another, as one agent would send them.
//
// The servers are installed from npm at fixed versions into .cache/bench/peers, without their install scripts, and run
// with a home of their own. What a write promises differs, and the table says it: testigo syncs every write to disk and
// keeps the version before it.
//
//	peers   prints a Markdown table
//
// Environment: TESTIGO_BIN, BENCH_WORK, BENCH_PEERS (where peers are installed), QUICK.
package main
