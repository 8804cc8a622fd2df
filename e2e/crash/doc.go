// Package crash kills real processes and counts what is left.
//
// A child process (this test's own binary, started again) opens a store and works: it remembers, hands over, resumes and
// reports, and prints one line per answer it got. At a named point (after_begin, before_commit, after_commit,
// in_checkpoint, in_migration) or at any instant it is killed by SIGKILL. The parent then opens the store and compares:
// everything acknowledged is there, nothing is there twice, the chain and the log verify, the index equals the rows.
package crash
