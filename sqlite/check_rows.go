package sqlite

import (
	"context"
	"database/sql"
	"math"

	"github.com/testigo/testigo"
)

// rowCheck looks at a table in pieces; needs is an index without which it would take forever.
type rowCheck struct {
	end, query string
	needs      string
	kind       testigo.DamageKind
	detail     string // a format for what names the row beside the fact
}

var rowChecks = []rowCheck{
	{"end_versions", "check_confidence", "", testigo.ChainBroken, "its confidence is not between 0 and 1%s"},
	{"end_versions", "check_opinion", "outcomes_version", testigo.ChainBroken, "its confidence is not the one that the last outcome left%s"},
	{"end_pins", "check_pins", "", testigo.RowMissing, "handoff %s pins a version that is not there"},
	{"end_handoffs", "check_no_packet", "", testigo.RowMissing, "handoff %s has no content: its packet is not there"},
	{"end_packets", "check_no_handoff", "", testigo.RowMissing, "the packet %q belongs to a handoff that is not there"},
	{"end_outcomes", "check_outcomes", "", testigo.ValueChanged, "an outcome by %s has a time that no calendar has"},
	{"end_events", "check_events", "", testigo.ValueChanged, "an event of %s cannot be read"},
	{"end_requests", "check_requests", "", testigo.ValueChanged, "the kept answer to request %s cannot be read"},
	{"end_touched", "check_touched", "", testigo.ValueChanged, "the time at which %s touched it is none that a calendar has"},
	{"end_facts", "check_unindexed", "", testigo.IndexDiffers, "a current version is not in the index%s"},
	{"end_entries", "check_no_text", "", testigo.IndexDiffers, "the index holds a row without an index text%s"},
}

// wholeChecks look at tables that are small.
var wholeChecks = []rowCheck{
	{query: "check_agents", kind: testigo.ValueChanged, detail: "settings or a time of agent %s cannot be read"},
	{query: "check_connections", kind: testigo.ValueChanged, detail: "the time of the rule for %s cannot be read"},
	{query: "check_settings", kind: testigo.ValueChanged, detail: "the setting %s cannot be read"},
}

// rows checks that rows agree with each other.
func (c *checker) rows(ctx context.Context) error {
	for _, check := range rowChecks {
		if c.gone[check.needs] {
			continue
		}
		err := c.s.pieces(ctx, func(v *view, after int64) (last int64, err error) {
			if err := v.k.row(check.end, []any{after, checkedRows}, &last); err != nil || last == after {
				return after, err
			}
			before := len(c.list)
			err = c.ask(ctx, v, check.query, []any{after, last, reportedDamage}, check.kind, check.detail)
			if len(c.list)-before >= reportedDamage {
				return after, err // enough of this kind
			}
			return last, err
		})
		if err := c.found(err); err != nil {
			return err
		}
	}
	for _, check := range wholeChecks {
		err := c.s.question(ctx, func(v *view) error {
			return c.ask(ctx, v, check.query, []any{reportedDamage}, check.kind, check.detail)
		})
		if err := c.found(err); err != nil {
			return err
		}
	}
	return nil
}

// handoffs reads every handoff as its readers do and names those of which they see only a part.
func (c *checker) handoffs(ctx context.Context) error {
	args, err := filterArgs(testigo.HandoffFilter{Limit: checkedRows / 10}) // whole packets are read
	if err != nil {
		return err
	}
	return c.s.pieces(ctx, func(v *view, after int64) (int64, error) {
		args[12], args[13] = after, int64(math.MaxInt64)
		err := v.k.each(ctx, "handoffs_any", args[:], func(rows *sql.Rows) error {
			h, bad, err := scanHandoff(rows)
			if err != nil {
				return err
			}
			after = h.Seq
			if len(bad) > 0 {
				c.add(testigo.ValueChanged, "of handoff %s cannot be read: %s", h.ID, bad)
			}
			return nil
		})
		return after, err
	})
}
