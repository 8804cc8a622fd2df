package cli

import (
	"context"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

type versionOptions struct{}

// build describes this program.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	// Modified: the source was not what was committed.
	Modified bool   `json:"modified,omitempty"`
	Time     string `json:"time,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// thisBuild reads what the compiler wrote into the program.
func thisBuild() build {
	b := build{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func newVersionCmd(a *app, run func(context.Context, versionOptions) error) *cobra.Command {
	run = orRun(a, run, runVersion)
	return &cobra.Command{
		Use:     "version",
		GroupID: groupStore,
		Short:   "The version of this program",
		Long:    `Print the version of this program. "testigo doctor" lists every testigo on PATH.`,
		Example: `  testigo version
  testigo version --json`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), versionOptions{}) },
	}
}

func runVersion(_ context.Context, a *app, _ versionOptions) error {
	b := thisBuild()
	return a.print(b, func(p *page) {
		p.line("testigo %s", b.Version)
		if b.Commit != "" {
			changed := ""
			if b.Modified {
				changed = ", with changes that are not committed"
			}
			p.line("%s", p.dim("commit "+shortHash(b.Commit)+changed))
		}
		p.line("%s", p.dim(b.Go+" "+b.Platform))
	})
}
