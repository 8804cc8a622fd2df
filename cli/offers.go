package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
)

// offers says what a shell offers for the arguments and the flags of one command.
type offers struct {
	args  completer
	flags map[string]completer
}

// words offers those of a few fixed words that begin as they should.
func words(list ...string) completer {
	return func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		var out []string
		for _, w := range list {
			if strings.HasPrefix(w, begun) {
				out = append(out, w)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// addOffers teaches the commands what to offer.
func (a *app) addOffers(root *cobra.Command) {
	facts, agents, tags := a.factNames(), a.agentNames(), a.tagNames()
	named := words(outcomeKinds()...)
	to := func(f testigo.HandoffFilter) func(string) testigo.HandoffFilter {
		return func(agent string) testigo.HandoffFilter { f.To = agent; return f }
	}
	by := func(f testigo.HandoffFilter) func(string) testigo.HandoffFilter {
		return func(agent string) testigo.HandoffFilter { f.From = agent; return f }
	}
	held := func(agent string) testigo.HandoffFilter {
		return testigo.HandoffFilter{HolderAgent: agent, States: []testigo.HandoffState{testigo.Claimed}}
	}
	waiting := func(agent string) testigo.HandoffFilter {
		if testigo.IsPerson(agent) { // who sees everybody's
			return testigo.HandoffFilter{States: []testigo.HandoffState{testigo.Open}}
		}
		return testigo.HandoffFilter{To: agent, Unaddressed: true, States: []testigo.HandoffState{testigo.Open}}
	}
	work := []testigo.HandoffKind{testigo.KindWork}
	under := []testigo.HandoffState{testigo.Open, testigo.Claimed}
	mine := a.handoffIDs(a.visibleHandoffs()...)
	table := map[string]offers{
		"recall":   {first(facts), map[string]completer{"tag": tags}},
		"history":  {args: first(facts)},
		"forget":   {args: first(facts)},
		"remember": {first(facts), map[string]completer{"tag": tags}},
		"handoff":  {flags: map[string]completer{"ref": facts, "to": agents, "notify": words("none", "quiet", "wake")}},
		"outcome": {func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return named(cmd, args, begun)
			}
			return behind(2, facts)(cmd, args, begun)
		}, map[string]completer{"ref": facts, "handoff": a.handoffIDs(held)}},
		"resume": {first(a.handoffIDs(waiting, held)), map[string]completer{"from": agents}},
		"log":    {args: first(mine)},
		"status": {args: first(mine)},
		"send":   {first(agents), map[string]completer{"to": agents, "ref": facts, "reply-to": mine}},
		"inbox":  {args: first(agents)},
		"read": {args: first(a.handoffIDs(to(testigo.HandoffFilter{
			Kinds: []testigo.HandoffKind{testigo.KindMessage, testigo.KindWork, testigo.KindNotification}})))},
		"accept": {args: first(a.handoffIDs(to(testigo.HandoffFilter{Kinds: work, States: under[:1]})))},
		"return": {args: first(a.handoffIDs(to(testigo.HandoffFilter{Kinds: work, States: under})))},
		"close": {args: func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return words(decisions()...)(cmd, args, begun)
			}
			return first(a.handoffIDs(by(testigo.HandoffFilter{Kinds: work, States: append(under, testigo.Returned)})))(cmd, args, begun)
		}},
		"cancel": {args: first(a.handoffIDs(by(testigo.HandoffFilter{States: under})))},
		"allow":  {args: agents},
		"block":  {args: agents},
		"config": {args: func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return words("connections")(cmd, args, begun)
			}
			return nth(1, words(connectionModes...))(cmd, args, begun)
		}},
	}
	for _, cmd := range root.Commands() {
		o := table[cmd.Name()]
		if o.args != nil {
			cmd.ValidArgsFunction = o.args
		}
		for name, c := range o.flags {
			cmd.RegisterFlagCompletionFunc(name, c) //nolint:errcheck // a test asks for each of them
		}
	}
	root.RegisterFlagCompletionFunc("as", agents) //nolint:errcheck // as above
}

// visibleHandoffs selects what an agent may look at: what it sent and what was sent to it. A person may look at all.
func (a *app) visibleHandoffs() []func(string) testigo.HandoffFilter {
	return []func(string) testigo.HandoffFilter{
		func(agent string) testigo.HandoffFilter {
			if testigo.IsPerson(agent) {
				return testigo.HandoffFilter{}
			}
			return testigo.HandoffFilter{To: agent}
		},
		func(agent string) testigo.HandoffFilter { return testigo.HandoffFilter{From: agent} },
	}
}
