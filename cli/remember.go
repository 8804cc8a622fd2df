package cli

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

type rememberOptions struct {
	Name      string
	Value     string
	ValueFile string
	// HasValue tells an empty VALUE from none.
	HasValue        bool
	Text            bool
	Tags            []string
	Sources         []string
	Commits         []string
	Confidence      *float64
	ExpectedVersion *int
	RequestKey      string
}

func newRememberCmd(a *app, run func(context.Context, rememberOptions) error) *cobra.Command {
	var o rememberOptions
	var confidence float64
	var expected int
	run = orRun(a, run, runRemember)
	cmd := &cobra.Command{
		Use:     "remember NAME [VALUE]",
		GroupID: groupFacts,
		Short:   "Store a fact, or a new version of one",
		Long: `Store VALUE under NAME (scope/key) as the fact's new current version. Earlier versions stay readable.

VALUE is JSON when it can be read as JSON, otherwise a text; --string makes any VALUE a text. "-" reads it from the
standard input. An equal value adds no version: it confirms the one there is.`,
		Example: `  testigo remember boards/example/rate-limit 30
  testigo remember listing/482/assessment '{"fit":"good","rate":95}' --tag listing --confidence 0.8
  testigo remember api/base-url https://api.example.org --source config/app.yml
  testigo remember notes/outage - < outage.txt
  testigo remember boards/example/rate-limit 60 --expected-version 1`,
		Args: arguments(1, 2, "NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name = args[0]
			if o.HasValue = len(args) == 2; o.HasValue {
				o.Value = args[1]
			}
			if cmd.Flags().Changed("confidence") {
				o.Confidence = &confidence
			}
			if cmd.Flags().Changed("expected-version") {
				o.ExpectedVersion = &expected
			}
			if o.HasValue == (o.ValueFile != "") {
				return usage(cmd.CommandPath(), "give the value once: as VALUE, as - for the standard input, or with --value-file")
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.Text, "string", false, "take VALUE as text even if it could be read as JSON")
	f.StringVar(&o.ValueFile, "value-file", "", "read the value from `PATH` (- is the standard input)")
	f.StringArrayVar(&o.Tags, "tag", nil, "a `TAG`; repeat for more")
	f.Float64Var(&confidence, "confidence", testigo.DefaultConfidence, "how sure you are, 0 to 1")
	f.StringArrayVar(&o.Sources, "source", nil, "a file inside the repository that says so, as a `PATH`; repeat for more")
	f.StringArrayVar(&o.Commits, "commit", nil, "a `COMMIT` that says so; repeat for more")
	f.IntVar(&expected, "expected-version", 0, "write only if this is the current version `N`; 0: only if there is none")
	f.StringVar(&o.RequestKey, "request-key", "", "a `KEY` that makes repeating this very call harmless")
	a.projectFlag(cmd)
	return cmd
}

func runRemember(ctx context.Context, a *app, o rememberOptions) error {
	raw, note, err := a.valueOf(ctx, o)
	if err != nil {
		return err
	}
	return a.at(ctx, func(d *desk) error {
		p := memory.RememberParams{Project: a.global.Project, Key: o.Name, Value: raw, Tags: o.Tags, Confidence: o.Confidence,
			ExpectedVersion: o.ExpectedVersion, RequestKey: o.RequestKey}
		if p.Sources, err = a.sources(ctx, d, o); err != nil {
			return err
		}
		res, err := d.mem.Remember(ctx, d.caller, p)
		if err != nil {
			return err
		}
		if note != "" && !res.Repeated {
			res.Notes = append(res.Notes, note)
		}
		a.saidOf(res)
		return a.print(res, func(p *page) { p.line("%s@%d", visibleLine(res.Name), res.Version) })
	})
}

// saidOf tells a person what the write meant.
func (a *app) saidOf(res memory.RememberResult) {
	switch {
	case res.Repeated:
		a.say("this request was answered before; nothing was written now")
	case res.Unchanged:
		a.say("unchanged: version %d holds this value already and is confirmed by you now", res.Version)
	case res.Superseded > 0:
		a.say("remembered in %s; version %d stays readable", projectWords(res.Project), res.Superseded)
	default:
		a.say("remembered in %s", projectWords(res.Project))
	}
	for _, f := range res.Redacted {
		a.say("note: %d × %s was removed from the value before it was stored", f.Count, f.Rule)
	}
	a.notes(res.Notes)
}

func projectWords(project *string) string {
	if project == nil {
		return "what all projects share"
	}
	return "project " + *project
}

// sources turns paths as a person writes them, absolute or from where they stand, into paths from the project's root. A
// path that leads outside is passed on for the use case to refuse.
func (a *app) sources(ctx context.Context, d *desk, o rememberOptions) ([]testigo.Source, error) {
	var out []testigo.Source
	if len(o.Sources) > 0 {
		project, err := d.mem.Project(ctx, d.caller, a.global.Project)
		if err != nil {
			return nil, err
		}
		for _, path := range o.Sources {
			out = append(out, testigo.Source{Path: a.fromRoot(project.Root, path)})
		}
	}
	for _, c := range o.Commits {
		out = append(out, testigo.Source{Commit: c})
	}
	return out, nil
}

func (a *app) fromRoot(root, path string) string {
	if root == "" {
		return path
	}
	whole := path
	if !filepath.IsAbs(path) {
		whole = filepath.Join(a.env.workDir(), path)
	}
	real, err := filepath.EvalSymlinks(filepath.Dir(whole)) // the file itself may be a link, which the use case judges
	if err != nil {
		return path
	}
	if resolved, err := filepath.EvalSymlinks(root); err == nil {
		root = resolved
	}
	rel, err := filepath.Rel(root, filepath.Join(real, filepath.Base(whole)))
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return filepath.ToSlash(rel)
}
