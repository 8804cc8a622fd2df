package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
)

const rootLong = `Testigo keeps what a team of coding agents knows, and passes work between them.

Facts live under scope/key; every write is a new version and nothing is overwritten. A handoff packet pins exact
versions, and whoever picks it up is told which of them moved on. One file holds everything; no service is needed.

Start here:
  testigo demo                                    the whole story, in two processes, on a file of its own
  testigo remember boards/example/rate-limit 30   store a fact
  testigo recall rate limit                       find it
  testigo mcp --agent NAME                        serve it to an agent

Data goes to stdout, talk to stderr. --json makes stdout one JSON object and an error one JSON object on stderr.`

// groups order the commands in the help text.
const (
	groupFacts    = "facts"
	groupHandoffs = "handoffs"
	groupMessages = "messages"
	groupStore    = "store"
)

// newRootCmd builds the command tree. Building costs every start, so constructors only describe.
func newRootCmd(a *app) *cobra.Command {
	var version bool
	root := &cobra.Command{
		Use:               "testigo",
		Short:             "Shared, versioned memory and handoffs for AI coding agents",
		Long:              rootLong + "\n\n" + exitTable() + "\n\n" + environment,
		Args:              cobra.ArbitraryArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0:
				return unknownCommand(cmd, args[0])
			case version:
				return runVersion(cmd.Context(), a, versionOptions{})
			}
			return cmd.Help()
		},
	}
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) { a.cmd = cmd }
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return &flagError{cmd.CommandPath(), err} })
	root.Flags().BoolVarP(&version, "version", "v", false, "print the version of this program")
	a.narrowHelp(root)
	f := root.PersistentFlags()
	f.SortFlags = false
	f.StringVar(&a.global.DB, "db", "", "the store's `FILE`")
	f.StringVar(&a.global.As, "as", "", "the `AGENT` to act as")
	f.BoolVar(&a.global.JSON, "json", false, "print JSON")
	f.BoolVar(&a.global.NoColor, "no-color", false, "print without colours (also NO_COLOR, TERM=dumb)")
	f.BoolVar(&a.global.ReadOnly, "read-only", false, "open the store without writing to it")
	root.AddGroup(&cobra.Group{ID: groupFacts, Title: "Facts:"}, &cobra.Group{ID: groupHandoffs, Title: "Handoffs:"},
		&cobra.Group{ID: groupMessages, Title: "Messages and work:"},
		&cobra.Group{ID: groupStore, Title: "The store and this program:"})
	root.SetHelpCommandGroupID(groupStore)
	root.SetCompletionCommandGroupID(groupStore)
	root.SetHelpCommand(newHelpCmd(root))
	root.AddCommand(
		newRememberCmd(a, nil), newRecallCmd(a, nil), newHistoryCmd(a, nil), newForgetCmd(a, nil),
		newHandoffCmd(a, nil), newResumeCmd(a, nil), newOutcomeCmd(a, nil), newLogCmd(a, nil),
		newSendCmd(a, nil), newInboxCmd(a, nil), newReadCmd(a, nil), newAcceptCmd(a, nil), newReturnCmd(a, nil), newCloseCmd(a, nil),
		newCancelCmd(a, nil), newStatusCmd(a, nil), newAllowCmd(a, nil), newBlockCmd(a, nil), newConfigCmd(a, nil), newAgentCmd(a, nil),
		newStatsCmd(a, nil), newVerifyCmd(a, nil), newDoctorCmd(a, nil), newInitCmd(a, nil), newWhoamiCmd(a, nil),
		newMCPCmd(a, nil), newDemoCmd(a, nil), newVersionCmd(a, nil), newManCmd(a, nil),
	)
	a.addOffers(root)
	return root
}

// narrowHelp breaks help texts, which are laid out by hand, to the width of a terminal that is narrower.
func (a *app) narrowHelp(root *cobra.Command) {
	plain := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if a.env.Width == 0 {
			plain(cmd, args)
			return
		}
		var text strings.Builder
		cmd.SetOut(&text)
		plain(cmd, args)
		cmd.SetOut(a.env.Out)
		fmt.Fprintln(a.env.Out, reflow(strings.TrimSuffix(text.String(), "\n"), a.env.Width))
	})
}

// newHelpCmd replaces cobra's own, which ends with 0 for a command that does not exist.
func newHelpCmd(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		GroupID: groupStore,
		Short:   "What a command is for and how it is used",
		Long:    "Show what a command is for, its flags and examples.",
		Example: "  testigo help recall",
		Args:    arguments(0, 2, ""),
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(root, strings.Join(args, " "))
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

// addCompletion adds cobra's completion command and makes it refuse a shell that it does not know.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Args = cobra.ArbitraryArgs
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return usage(cmd.CommandPath(), "there is no completion for %q", visibleLine(args[0]))
		}
	}
}

// projectFlag gives a command the flag --project. Only commands that honour it have it: a scope that is accepted and
// ignored ends in somebody else's project.
func (a *app) projectFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.global.Project, "project", "", "the `PROJECT` to work in; \"none\" is what all share")
}

func unknownCommand(cmd *cobra.Command, name string) error {
	e := testigo.Errorf(testigo.CodeInvalid, "there is no command %q", visibleLine(name))
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		return e.WithNext("did you mean %s? testigo --help lists all", strings.Join(near, ", "))
	}
	return e.WithNext("testigo --help lists the commands")
}

// exitTable lists the exit codes with the word codes that lead to them, from the one table there is.
func exitTable() string {
	byExit := map[int][]string{}
	for _, c := range testigo.Codes() {
		byExit[c.Exit()] = append(byExit[c.Exit()], string(c))
	}
	rows := []struct {
		code int
		what string
	}{
		{testigo.ExitOK, "done"},
		{testigo.ExitFailed, "refused or failed"},
		{testigo.ExitUsage, "wrong usage"},
		{testigo.ExitDamaged, "damage was found"},
		{testigo.ExitInterrupted, "interrupted"},
	}
	var b strings.Builder
	b.WriteString("Exit codes (in brackets the codes of --json):")
	for _, r := range rows {
		fmt.Fprintf(&b, "\n  %-4d%s", r.code, r.what)
		if words := byExit[r.code]; len(words) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(words, ", "))
		}
	}
	return b.String()
}

const environment = `Environment (a flag wins over a variable, an earlier variable over a later one):
  TESTIGO_DB, HANDOFFS_DB, MEMORY_DB          the store; one named by MEMORY_DB knows no projects
  TESTIGO_AGENT, HANDOFFS_AGENT, AGENT_ID     who acts; otherwise person:LOGIN
  TESTIGO_PROJECT                             the project, whatever the directory is
  NO_COLOR                                    no colours
  TESTIGO_DEBUG                               causes of errors`
