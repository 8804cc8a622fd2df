package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
)

type returnOptions struct {
	ID       string
	Summary  string
	Evidence string
	Claims   []string
	Blocked  bool
}

func newReturnCmd(a *app, run func(context.Context, returnOptions) error) *cobra.Command {
	var o returnOptions
	run = orRun(a, run, runReturn)
	cmd := &cobra.Command{
		Use:     "return ID --summary TEXT",
		GroupID: groupMessages,
		Short:   "Answer work that you hold",
		Long: `Answer the work ID, once: what came of it goes to its sender as a message, whose id is printed. Work that nobody holds
is accepted by this. ID may be a claim, as ID#generation.

A claim is what you say is so. As plain text it is stated and no more; as JSON it may name a command or a hash that
shows it: {"claim":"tests pass","how":"command","ref":"go test ./...","exit_code":0} or "how":"hash" with path@sha256.`,
		Example: `  testigo return h_1a2b3c4d --summary 'Sent; they answer within two days.' --as executor
  testigo return h_1a2b3c4d --summary - --evidence 'ci run 4711' --claim 'the form took it' < summary.md
  testigo return h_1a2b3c4d --blocked --summary 'The position was filled.' --as executor`,
		Args: arguments(1, 1, "ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.ID = handoffID(args[0])
			if !cmd.Flags().Changed("summary") {
				return usage(cmd.CommandPath(), "--summary is missing: the sender wants to know what came of it")
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&o.Summary, "summary", "m", "", "what came of it, as a `TEXT` (- reads the standard input)")
	f.StringVar(&o.Evidence, "evidence", "", "where that can be seen, as a `TEXT`")
	f.StringArrayVar(&o.Claims, "claim", nil, "one thing that is so, as text or `JSON`; repeat for more")
	f.BoolVar(&o.Blocked, "blocked", false, "it could not be done")
	return cmd
}

func runReturn(ctx context.Context, a *app, o returnOptions) error {
	claims, err := claimsOf(o.Claims)
	if err != nil {
		return err
	}
	if o.Summary == "-" {
		if o.Summary, err = a.readInput(ctx, "summary"); err != nil {
			return err
		}
	}
	return a.at(ctx, func(d *desk) error {
		res, err := d.hand.ReturnWork(ctx, d.caller, handoff.ReturnParams{ID: o.ID, Summary: o.Summary, Evidence: o.Evidence, Blocked: o.Blocked, Claims: claims})
		if err != nil {
			return err
		}
		what := "returned"
		if res.Blocked {
			what = "returned as blocked"
		}
		a.say("%s %s; %s carries it to its sender", what, res.MessageID, res.ReturnMessageID)
		a.redacted(res.Redacted)
		return a.print(res, func(p *page) { p.line("%s", visibleLine(res.ReturnMessageID)) })
	})
}

// claimsOf reads claims: JSON where one begins like an object, else a plain statement.
func claimsOf(texts []string) ([]testigo.ReturnClaim, error) {
	var out []testigo.ReturnClaim
	for i, text := range texts {
		if !strings.HasPrefix(strings.TrimSpace(text), "{") {
			out = append(out, testigo.ReturnClaim{Claim: text})
			continue
		}
		var c testigo.ReturnClaim
		dec := json.NewDecoder(strings.NewReader(text))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&c); err != nil || dec.More() {
			return nil, testigo.Invalid(fmt.Sprintf("claims[%d]", i), "is not a claim: an object with claim, how (stated, hash or command), ref and exit_code").
				WithNext(`--claim '{"claim":"tests pass","how":"command","ref":"make test","exit_code":0}'`)
		}
		out = append(out, c)
	}
	return out, nil
}
