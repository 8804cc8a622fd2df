package stdio

import (
	"os"
	"path/filepath"
)

// Testigo is the command that serves the store at path to an agent that works in repo. Its home is a directory of the
// benchmark's, so that no setting of the user has a part in it.
func Testigo(home, path, repo string) Command {
	program := os.Getenv("TESTIGO_BIN")
	if program == "" {
		program = filepath.Join("bin", "testigo")
	}
	if abs, err := filepath.Abs(program); err == nil {
		program = abs
	}
	return Command{Args: []string{program, "mcp", "--agent", "bench"}, Dir: repo, Env: Environment(home, "TESTIGO_DB="+path)}
}

// Environment is a clean environment with a home of its own, and what is added.
func Environment(home string, more ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "LANG=C.UTF-8"}, more...)
}
