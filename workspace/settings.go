package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/pelletier/go-toml/v2"
)

// settingsName is the file in which a repository may describe itself. Cloning brings it along, so nothing in it counts
// before the user says so.
const settingsName = ".testigo.toml"

// maxSettingsBytes is far above any honest settings file (64 KiB).
const maxSettingsBytes = 64 << 10

// settingsFile returns the nearest settings file between the directory and the top of its project, "" if there is none.
func (o Options) settingsFile(s spot) string {
	if s.dir == "" || s.none != "" {
		return ""
	}
	for d := s.dir; ; d = filepath.Dir(d) {
		if s.inRepo && !below(d, s.repo.root) || !s.inRepo && o.noProject(d) != "" {
			return ""
		}
		path := filepath.Join(d, settingsName)
		if _, err := os.Lstat(path); err == nil {
			return path
		}
		if d == filepath.Dir(d) {
			return ""
		}
	}
}

// readSettings returns the project key of a settings file.
func readSettings(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", errors.New("it is not readable")
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("it is not a regular file")
	}
	text, err := readSmall(path, maxSettingsBytes)
	if err != nil {
		return "", err
	}
	var v struct {
		Project string `toml:"project"`
	}
	if err := toml.Unmarshal(text, &v); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, _ := at.Position()
			return "", fmt.Errorf("line %d is not as expected", line)
		}
		return "", errors.New("it is not valid TOML")
	}
	return v.Project, nil
}

// quote shows foreign text on one line, at most 80 characters of it.
func quote(s string) string { return strconv.Quote(clip(s, 80)) }

func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n]) + "…"
}
