package sqlite

import (
	"os"
	"runtime"
	"testing"
)

// TestMain lets the test binary stand in for the program: as the searcher of raw files, and as further processes on the
// same store.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == ScanCommand {
		os.Exit(ScanFilesMain(os.Args[2:], os.Stdin))
	}
	if job := os.Getenv(childJob); job != "" {
		os.Exit(runChild(job))
	}
	os.Exit(m.Run())
}

// skipOnWindows skips a test for what Windows does not let a program do: links without a privilege, renaming an open file,
// copying with a Unix tool. Anywhere else it is a failure.
func skipOnWindows(t *testing.T, err error) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip(err)
	}
	t.Fatal(err)
}
