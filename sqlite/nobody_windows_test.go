package sqlite

import (
	"errors"
	"os/exec"
	"testing"
)

func asNobody(*testing.T, *exec.Cmd, string) bool { return false }

func copyFiles(string, string) ([]byte, error) { return nil, errors.New("not on Windows") }
