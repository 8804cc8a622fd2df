package cli

import (
	"github.com/testigo/testigo/sqlite"
)

// scanCommand is how the store starts this program to search its raw files after an erasure: a process that has the
// database open must not open the file a second time. It is no command for people and loads nothing of the rest.
const scanCommand = sqlite.ScanCommand

func runScanFiles(env Env) int { return sqlite.ScanFilesMain(env.Args[1:], env.In) }
