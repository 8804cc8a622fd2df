package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// installed is one testigo on PATH (fault U12).
type installed struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	// First is the one that a shell or host starts; This the one that runs now.
	First bool `json:"first,omitempty"`
	This  bool `json:"this,omitempty"`
}

// askVersion bounds the question to another program, which may be anything.
const askVersion = 2 * time.Second

// installedOnPath lists every testigo that PATH leads to, in its order.
func (a *app) installedOnPath(ctx context.Context) []installed {
	name := "testigo"
	if a.env.OS == "windows" {
		name += ".exe"
	}
	own, ownErr := os.Stat(a.env.Exe)
	out := []installed{}
	var seen []os.FileInfo
	for _, dir := range filepath.SplitList(a.env.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue // what a relative entry means changes with every directory
		}
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err != nil || info.IsDir() || (a.env.OS != "windows" && info.Mode().Perm()&0o111 == 0) || known(seen, info) {
			continue
		}
		seen = append(seen, info)
		p := installed{Path: path, First: len(out) == 0, This: ownErr == nil && os.SameFile(own, info)}
		b := thisBuild()
		if !p.This {
			b = versionOf(ctx, path)
		}
		p.Version, p.Commit = b.Version, b.Commit
		out = append(out, p)
	}
	return out
}

func known(seen []os.FileInfo, info os.FileInfo) bool {
	for _, s := range seen {
		if os.SameFile(s, info) {
			return true
		}
	}
	return false
}

// versionOf asks another program for its version. One that does not answer as ours do is reported as it is.
func versionOf(ctx context.Context, path string) build {
	ctx, cancel := context.WithTimeout(ctx, askVersion)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "version", "--json")
	cmd.WaitDelay = askVersion
	var b build
	out, err := cmd.Output()
	if err != nil || json.Unmarshal(bytes.TrimSpace(out), &b) != nil || b.Version == "" {
		return build{Version: "unknown (it does not answer `version --json`)"}
	}
	return b
}

// differ reports whether the programs found are not all the same version.
func differ(list []installed) bool {
	for _, p := range list {
		if p.Version != list[0].Version || p.Commit != list[0].Commit {
			return true
		}
	}
	return false
}

// setting is a setting with what decided it.
type setting struct {
	What string `json:"what"`
	decided
}

// settings lists what the environment and the flags decided. What is wrong with one of them is told by the command that
// uses it.
func (a *app) settings() []setting {
	store, _ := a.store() //nolint:errcheck // the doctor reports it where it opens the store
	agent, _ := a.agent() //nolint:errcheck // as above
	project := a.env.first("--project", a.global.Project, []string{"TESTIGO_PROJECT"})
	if project.Value == "" {
		project.Value, project.From = "derived", "the directory"
	}
	return []setting{{"store", store.decided}, {"agent", agent}, {"project", project}, {"session", a.session()}}
}
