// Package faces tells the same story through every face of Testigo and compares what comes back.
//
// The faces are the use cases called directly, the command line with --json, and MCP. Each gets a fresh store, the same
// agents, sessions, project and directory, and the same arguments in the same order. Two tables say what may differ: noise
// (ids, times, hashes), which no two runs share, and differences, each with its reason. A row of differences that no
// longer makes a difference fails the test, so the table cannot outlive what it excuses.
//
// A second story is of refusals: the same bad argument has to break the same rule with the same code everywhere. A third
// test holds every parameter struct against what each face offers.
//
// There is no product code here.
package faces
