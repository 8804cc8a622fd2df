// Package cli is the command line: the face of Testigo that people and scripts see, and the composition root that opens
// the store, makes callers and starts the server.
//
// One file holds one command: an options struct, a constructor that only parses, a run function that only works. The
// constructor takes a replacement for the run function, so that parsing is tested without a store.
//
//	Run ── root ── newRecallCmd ── recallOptions ──▶ runRecall ── at ──▶ memory.Recall ──▶ print
//	                    (parse)                         (work)     │
//	                                        settings → sqlite.Open → Caller
//
// # What scripts may rely on
//
//   - stdout holds the answer and nothing else; everything said to people goes to stderr.
//   - With --json stdout is one object on one line, the same that MCP answers with as structured content, and stderr is
//     silent unless the command fails. Notes in it speak of tools, as MCP does. Fields may be added; ignore those you do
//     not know. The files in testdata/golden hold one example for each command.
//   - An error is exit code 1, 2, 3 or 130 (see the root help) and, with --json, one object on stderr:
//     {"error":{"code":"not_found","message":"…","field":"…","next":"…","data":{…}}}. code is a word of the table in the
//     root package or "interrupted"; field names a flag or an argument of the command; field, next and data may be absent.
//     A command that found damage answers on stdout too.
//   - next names a step that destroys nothing. A test looks through all of them.
//   - Times in JSON are UTC. Times in text are the reader's own, with their offset.
//   - In JSON, characters that would act on a terminal are written as \u escapes; in text they are made visible.
//
// # What decides
//
//	store     --db, TESTIGO_DB, HANDOFFS_DB, MEMORY_DB (flat), the user's data folder
//	agent     --as, TESTIGO_AGENT, HANDOFFS_AGENT, AGENT_ID, person:LOGIN; a server needs one of the first four
//	session   the host's id where the command was started from inside a session, else none
//	project   --project, TESTIGO_PROJECT, then the directory (package workspace)
//
// An empty variable counts as not set. `testigo whoami` tells what was decided and by what.
//
// A command that acts as a named agent, or inside a host's session, makes that agent known and keeps what was read, also
// when it only reads. On a store that cannot be written it reads all the same and says so.
package cli
