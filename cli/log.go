package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
)

type logOptions struct{ ID string }

func newLogCmd(a *app, run func(context.Context, logOptions) error) *cobra.Command {
	var o logOptions
	run = orRun(a, run, runLog)
	cmd := &cobra.Command{
		Use:     "log ID",
		GroupID: groupHandoffs,
		Short:   "What happened to a handoff",
		Long: `Tell what happened to a handoff, oldest first: who wrote it, who took it, how it ended.

ID may be shortened to six characters behind "h_" when they are unique. A fact's versions are "testigo history NAME".`,
		Example: `  testigo log h_1a2b3c4d
  testigo log h_1a2b3c --json`,
		Args: arguments(1, 1, "ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.ID = handoffID(args[0])
			return run(cmd.Context(), o)
		},
	}
	a.projectFlag(cmd)
	return cmd
}

func runLog(ctx context.Context, a *app, o logOptions) error {
	return a.at(ctx, func(d *desk) error {
		res, err := d.hand.Log(ctx, d.caller, o.ID)
		if err != nil {
			return err
		}
		return a.print(res, func(p *page) { p.log(res) })
	})
}

func (p *page) log(res handoff.LogResult) {
	p.queue([]handoff.QueueItem{res.Handoff})
	p.line("%s", p.state(res.Handoff.State))
	p.events(res.Events)
	if res.Outcome != "" {
		p.line("outcome: %s", visibleLine(res.Outcome))
	}
	if res.More {
		p.line("%s", p.dim("… there are more events"))
	}
}

// events lists what happened, one line each.
func (p *page) events(list []testigo.Event) {
	rows := make([][]string, len(list))
	for i, e := range list {
		rows[i] = []string{p.stamp(e.At), p.bold(visibleLine(e.Kind)), visibleLine(e.Actor), p.dim(details(e))}
	}
	p.rows("  ", rows)
}

// details puts an event's data on one line, in an order that stays.
func details(e testigo.Event) string {
	var m map[string]any
	if json.Unmarshal(e.Data, &m) != nil {
		return ""
	}
	parts := make([]string, 0, len(m))
	for k, v := range m {
		if v != "" && v != nil {
			parts = append(parts, visibleLine(strings.ReplaceAll(k, "_", " ")+" "+detail(v)))
		}
	}
	sort.Strings(parts)
	return strings.Join(parts, ", ")
}

// detail is one value of an event's data in words: no brackets of a list, no point of a whole number.
func detail(v any) string {
	switch v := v.(type) {
	case []any:
		words := make([]string, len(v))
		for i, it := range v {
			words[i] = detail(it)
		}
		return strings.Join(words, " and ")
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case map[string]any:
		b, err := json.Marshal(v)
		if err != nil {
			return ""
		}
		return string(b)
	}
	return fmt.Sprint(v)
}
