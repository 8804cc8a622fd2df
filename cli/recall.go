package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo/memory"
)

type recallOptions struct {
	// Name is set for a read of one fact; everything else is a search.
	Name          string
	Version       int
	AsOf          string
	MaxChars      int
	Query         string
	Scope         string
	Tag           string
	MinConfidence *float64
	Limit         int
	AllProjects   bool
	Explain       bool
	Cursor        string
}

func newRecallCmd(a *app, run func(context.Context, recallOptions) error) *cobra.Command {
	var o recallOptions
	var least float64
	run = orRun(a, run, runRecall)
	cmd := &cobra.Command{
		Use:     "recall [NAME | WORD...]",
		GroupID: groupFacts,
		Short:   "Read one fact by name, or search",
		Long: `Read the fact NAME, or search what is there.

One argument with a slash and no space is a NAME: the fact of exactly that name is read, or it is an error. NAME@3
reads version 3. Everything else is a search: several words, a word without a slash, and any call with --query, --scope,
--tag, --min-confidence, --all-projects, --limit or --explain. Whatever is searched for is text, never query syntax.
Without any argument the newest facts are listed.`,
		Example: `  testigo recall boards/example/rate-limit
  testigo recall boards/example/rate-limit@1
  testigo recall boards/example/rate-limit --as-of 2026-03-01T09:00:00+01:00
  testigo recall rate limit
  testigo recall --query src/api/client.go
  testigo recall --scope listing --tag assessment --min-confidence 0.6`,
		Args: arguments(0, -1, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("min-confidence") {
				o.MinConfidence = &least
			}
			if err := notZero(cmd, "version", "max-chars", "limit"); err != nil {
				return err
			}
			if err := o.take(cmd, args); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.IntVar(&o.Version, "version", 0, "read version `N` of NAME")
	f.StringVar(&o.AsOf, "as-of", "", "read NAME as it stood at a `TIME` (RFC 3339)")
	f.IntVar(&o.MaxChars, "max-chars", 0, "show at most `N` characters of the value")
	f.StringVarP(&o.Query, "query", "q", "", "search for `TEXT`")
	f.StringVar(&o.Scope, "scope", "", "search below `SCOPE`")
	f.StringVar(&o.Tag, "tag", "", "search among facts with this `TAG`")
	f.Float64Var(&least, "min-confidence", 0, "search among facts with at least this confidence")
	f.IntVar(&o.Limit, "limit", 0, "show at most `N` facts, 1 to 100 (default 10)")
	f.BoolVar(&o.AllProjects, "all-projects", false, "search in every project")
	f.BoolVar(&o.Explain, "explain", false, "say what each result's rank is made of")
	f.StringVar(&o.Cursor, "cursor", "", "go on where an answer stopped")
	a.projectFlag(cmd)
	return cmd
}

// take decides between a read by name and a search.
func (o *recallOptions) take(cmd *cobra.Command, args []string) error {
	search := false
	for _, name := range []string{"query", "scope", "tag", "min-confidence", "all-projects", "limit", "explain"} {
		search = search || cmd.Flags().Changed(name)
	}
	if !search && len(args) == 1 && isName(args[0]) {
		return o.takeName(cmd, args[0])
	}
	switch {
	case len(args) > 0 && o.Query != "":
		return usage(cmd.CommandPath(), "unused argument %q: --query says already what to search for", visibleLine(args[0]))
	case o.Version != 0 || o.AsOf != "" || o.MaxChars != 0:
		return usage(cmd.CommandPath(), "--version, --as-of and --max-chars read one fact by NAME, such as scope/key")
	case len(args) > 0:
		o.Query = strings.Join(args, " ")
	}
	return nil
}

func isName(arg string) bool {
	return strings.Contains(arg, "/") && !strings.ContainsAny(arg, " \t\n")
}

// takeName reads NAME or NAME@version.
func (o *recallOptions) takeName(cmd *cobra.Command, arg string) error {
	name, version := arg, 0
	if i := strings.LastIndexByte(arg, '@'); i > 0 && i < len(arg)-1 && strings.Trim(arg[i+1:], "0123456789") == "" {
		n, err := strconv.Atoi(arg[i+1:])
		if err != nil || n < 1 {
			return usage(cmd.CommandPath(), "%q names no version: versions are numbers from 1", visibleLine(arg))
		}
		name, version = arg[:i], n
	}
	switch {
	case version == 0:
	case o.Version != 0 && o.Version != version:
		return usage(cmd.CommandPath(), "%q and --version %d name different versions", visibleLine(arg), o.Version)
	default:
		o.Version = version
	}
	o.Name = name
	return nil
}

func runRecall(ctx context.Context, a *app, o recallOptions) error {
	p := memory.RecallParams{Project: a.global.Project, AllProjects: o.AllProjects, Scope: o.Scope, Key: o.Name, Version: o.Version,
		AsOf: o.AsOf, Tag: o.Tag, Query: o.Query, MinConfidence: o.MinConfidence, Limit: o.Limit, Explain: o.Explain,
		MaxChars: o.MaxChars, Cursor: o.Cursor}
	if p.Key != "" && p.MaxChars == 0 {
		p.MaxChars = memory.MaxMaxChars // a person's terminal scrolls; what is longer is read on with the cursor
	}
	return a.at(ctx, func(d *desk) error {
		res, err := d.mem.Recall(ctx, d.caller, p)
		if err != nil {
			return err
		}
		across := o.AllProjects || a.global.Project == everyProject
		if err := a.print(res, func(p *page) { p.recalled(res, across) }); err != nil {
			return err
		}
		if res.Summary != "" {
			a.say("%s", a.typed(res.Summary))
		}
		cursor := res.Cursor
		if res.Fact != nil {
			cursor = res.Fact.Cursor
		}
		if cursor != "" {
			a.next(a.again(cursor))
		}
		a.notes(res.Notes)
		return nil
	})
}
