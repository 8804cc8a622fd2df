package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

type doctorOptions struct {
	Full    bool
	Reindex bool
}

// checkup is what doctor found. A store that cannot be opened is a finding, not the end of the examination.
type checkup struct {
	Program  build              `json:"program"`
	Store    place              `json:"store"`
	Info     *testigo.StoreInfo `json:"info,omitempty"`
	Device   string             `json:"device,omitempty"`
	Files    []storeFile        `json:"files"`
	Writer   string             `json:"writer,omitempty"`
	Settings []setting          `json:"settings"`
	Programs []installed        `json:"programs"`
	// Index is the quick check; Verification the full one.
	Index        []testigo.Damage     `json:"index_damage,omitempty"`
	Verification *memory.Verification `json:"verification,omitempty"`
	Secrets      secretRows           `json:"secrets"`
	Reindexed    bool                 `json:"reindexed,omitempty"`
	// hidden warns of projects that are not seen this way.
	hidden string
	// Problems lists what deserves attention, in words.
	Problems []string `json:"problems"`
}

func newDoctorCmd(a *app, run func(context.Context, doctorOptions) error) *cobra.Command {
	var o doctorOptions
	run = orRun(a, run, runDoctor)
	cmd := &cobra.Command{
		Use:     "doctor",
		GroupID: groupStore,
		Short:   "Look at the store, its place and this program, and say what is wrong",
		Long: `Examine the store and what is around it: path and file system, modes and sizes of its files, who writes, the search
index, rows that today's redaction would not let in (names only), every testigo on PATH, and which settings decided. It
repairs nothing and removes nothing. --full recomputes every hash and looks through every row; --reindex makes the
search index anew from the texts kept with the rows.`,
		Example: `  testigo doctor
  testigo doctor --full
  testigo doctor --json`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), o) },
	}
	cmd.Flags().BoolVar(&o.Full, "full", false, "recompute every hash and look through every row")
	cmd.Flags().BoolVar(&o.Reindex, "reindex", false, "make the search index anew")
	return cmd
}

func runDoctor(ctx context.Context, a *app, o doctorOptions) error {
	c := checkup{Program: thisBuild(), Settings: a.settings(), Problems: []string{}, Files: []storeFile{}}
	var err error
	if c.Store, err = a.store(); err != nil {
		return err
	}
	bad := a.at(ctx, func(d *desk) error { return a.examine(ctx, d, o, &c) })
	c.Files = filesOf(c.Store.Value)
	c.Device = deviceOf(filepath.Dir(c.Store.Value))
	c.Writer = writerOf(c.Store.Value)
	c.Programs = a.installedOnPath(ctx)
	c.judge(bad)
	if err := a.print(c, func(p *page) { p.checkup(c) }); err != nil {
		return err
	}
	switch {
	case bad != nil:
		return bad
	case c.Verification != nil:
		return damageFound(*c.Verification)
	case len(c.Index) > 0:
		return damagedStore(c.Index)
	}
	return nil
}

// damagedStore is the error for what a check found: an index that differs can be made anew, anything else is for verify
// to tell.
func damagedStore(found []testigo.Damage) error {
	for _, d := range found {
		if d.Kind != testigo.IndexDiffers {
			return testigo.Errorf(testigo.CodeDamaged, "the store is damaged in %s", memory.Count(len(found), "place", "places")).
				WithNext("testigo verify names each damaged row")
		}
	}
	return testigo.Errorf(testigo.CodeDamaged, "the search index differs from the rows in %s; the rows are not affected", memory.Count(len(found), "place", "places")).
		WithNext("testigo doctor --reindex")
}

// examine asks the open store.
func (a *app) examine(ctx context.Context, d *desk, o doctorOptions, c *checkup) error {
	info, err := d.store.Info(ctx)
	if err != nil {
		return err
	}
	c.Info = &info
	if c.hidden, err = hiddenProjects(ctx, d); err != nil {
		return err
	}
	if o.Reindex {
		if err := d.store.Reindex(ctx); err != nil {
			return err
		}
		c.Reindexed = true
	}
	if o.Full {
		step, end := a.progress("verifying")
		res, err := d.mem.Verify(ctx, step)
		end()
		if err != nil {
			return err
		}
		c.Verification = &res
	} else if c.Index, err = d.store.CheckIndex(ctx); err != nil {
		return err
	}
	c.Secrets, err = findSecrets(ctx, d.store, o.Full)
	return err
}

// judge lists what deserves attention.
func (c *checkup) judge(bad error) {
	add := func(format string, args ...any) { c.Problems = append(c.Problems, fmt.Sprintf(format, args...)) }
	if bad != nil {
		add("the store cannot be examined: %s", testigo.AsError(bad).Msg)
	}
	if c.Info != nil && c.Info.Warning != "" {
		add("%s", c.Info.Warning)
	}
	if c.hidden != "" {
		add("%s", c.hidden)
	}
	for _, f := range c.Files {
		if f.Open {
			add("%s can be read by others (mode %s)", f.Path, f.Mode)
		}
	}
	for _, s := range c.Settings {
		for _, i := range s.Ignored {
			add("%s is set and has no effect: %s decides the %s", i, s.From, s.What)
		}
	}
	if n := len(c.Index); n > 0 {
		add("the search index or other parts do not fit the rows in %s", memory.Count(n, "place", "places"))
	}
	if c.Verification != nil && !c.Verification.OK {
		add("%s damaged", memory.Count(c.Verification.Found, "row is", "rows are"))
	}
	if n := len(c.Secrets.Rows); n > 0 {
		add("%s what redaction would not let in today; only a person can decide what happens", memory.Count(n, "row holds", "rows hold"))
	}
	if differ(c.Programs) {
		add("there are different versions of testigo on PATH; a host starts the first")
	}
}
