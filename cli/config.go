package cli

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
)

type configOptions struct{ Key, Value string }

// connectionModes are the values of the setting connections.
var connectionModes = []string{"open", "explicit"}

func newConfigCmd(a *app, run func(context.Context, configOptions) error) *cobra.Command {
	var o configOptions
	run = orRun(a, run, runConfig)
	return &cobra.Command{
		Use:     "config [KEY [VALUE]]",
		GroupID: groupMessages,
		Short:   "Show or change what the whole store goes by",
		Long: `Show all settings of the store, show KEY, or set it to VALUE.

  connections   open: anybody may send to anybody but where a rule says no (the default)
                explicit: nobody may send to anybody but where a rule says yes

Rules are made with "testigo allow" and "testigo block".`,
		Example: `  testigo config
  testigo config connections
  testigo config connections explicit`,
		Args: arguments(0, 2, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.Key = args[0]
			}
			if len(args) > 1 {
				o.Value = args[1]
			}
			if o.Key != "" && o.Key != handoff.SettingConnections {
				return usage(cmd.CommandPath(), "there is no setting %q; there is %s", visibleLine(o.Key), handoff.SettingConnections)
			}
			if len(args) > 1 && o.Value == "" {
				return usage(cmd.CommandPath(), "VALUE is empty")
			}
			return run(cmd.Context(), o)
		},
	}
}

func runConfig(ctx context.Context, a *app, o configOptions) error {
	return a.at(ctx, func(d *desk) error {
		if o.Value != "" {
			if err := d.hand.SetConnections(ctx, d.caller, o.Value); err != nil {
				return err
			}
		}
		mode, err := connectionsOf(ctx, d)
		if err != nil {
			return err
		}
		return a.print(map[string]string{handoff.SettingConnections: mode}, func(p *page) {
			if o.Key != "" {
				p.line("%s", visibleLine(mode))
				return
			}
			p.rows("", [][]string{{p.bold(handoff.SettingConnections), visibleLine(mode)}})
		})
	})
}

// connectionsOf reads the setting; where it was never made, or is damaged, it says what is gone by then.
func connectionsOf(ctx context.Context, d *desk) (string, error) {
	mode := connectionModes[0]
	err := d.store.Read(ctx, func(r testigo.Reader) error {
		raw, err := r.Setting(ctx, handoff.SettingConnections)
		switch {
		case testigo.CodeOf(err) == testigo.CodeNotFound:
			return nil
		case err != nil:
			return err
		case json.Unmarshal(raw, &mode) != nil:
			mode = connectionModes[1]
		}
		return nil
	})
	return mode, err
}
