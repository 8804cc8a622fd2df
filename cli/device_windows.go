package cli

import "path/filepath"

// deviceOf says on which volume a folder lies.
func deviceOf(dir string) string {
	if v := filepath.VolumeName(dir); v != "" {
		return "volume " + v
	}
	return ""
}
