package cli

import (
	"context"
	"strings"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/redact"
)

// secretRows are rows that were stored before redaction knew what it knows today. They are named and never shown, and
// nothing happens to them: rewriting them would break what was signed, erasing them is a person's decision.
type secretRows struct {
	Looked int         `json:"looked"`
	All    bool        `json:"all"`
	Rows   []secretRow `json:"rows"`
}

type secretRow struct {
	Name    string `json:"name"`
	Project string `json:"project,omitempty"`
	Rule    string `json:"rule"`
}

const (
	// secretsQuick is how many of the newest rows are looked through without --full: well below a second.
	secretsQuick = 2_000
	// secretsBatch rows are read in one short transaction.
	secretsBatch = 500
	// secretsShown bounds the list.
	secretsShown = 100
)

// findSecrets looks through the newest rows, or all of them.
func findSecrets(ctx context.Context, store testigo.Store, all bool) (secretRows, error) {
	out := secretRows{All: true, Rows: []secretRow{}}
	if err := out.facts(ctx, store, all); err != nil {
		return out, err
	}
	return out, out.handoffs(ctx, store, all)
}

func (s *secretRows) facts(ctx context.Context, store testigo.Store, all bool) error {
	var log testigo.LogState
	err := store.Read(ctx, func(r testigo.Reader) (err error) {
		log, err = r.Log(ctx)
		return err
	})
	if err != nil {
		return err
	}
	from := int64(0)
	if !all && log.Size > secretsQuick {
		from, s.All = log.Size-secretsQuick, false
	}
	for from < log.Size {
		var leaves []testigo.Leaf
		err := store.Read(ctx, func(r testigo.Reader) (err error) {
			leaves, err = r.Leaves(ctx, from, secretsBatch)
			return err
		})
		if err != nil || len(leaves) == 0 {
			return err
		}
		for _, l := range leaves {
			if v := l.Version; v != nil && !v.Erased() {
				s.fact(*v)
			}
		}
		from = leaves[len(leaves)-1].Position + 1
	}
	return nil
}

func (s *secretRows) fact(v testigo.Version) {
	s.Looked++
	_, found, err := redact.JSON(v.Value)
	if err != nil {
		return // verification names a value that is no JSON any more
	}
	text := redact.Text(v.Name.String() + "\n" + strings.Join(v.Tags, "\n"))
	for _, f := range append(found.Findings, text.Findings...) {
		s.add(secretRow{Name: v.Name.Ref(v.Number), Project: v.Name.Project, Rule: f.Rule})
		return
	}
}

func (s *secretRows) handoffs(ctx context.Context, store testigo.Store, all bool) error {
	for after, looked := int64(0), 0; ; {
		var list []testigo.Handoff
		err := store.Read(ctx, func(r testigo.Reader) (err error) {
			list, err = r.Handoffs(ctx, testigo.HandoffFilter{AfterSeq: after, Limit: secretsBatch})
			return err
		})
		if err != nil || len(list) == 0 {
			return err
		}
		for _, h := range list {
			s.handoff(h)
		}
		after = list[len(list)-1].Seq
		if looked += len(list); !all && looked >= secretsQuick {
			s.All = false
			return nil
		}
	}
}

func (s *secretRows) handoff(h testigo.Handoff) {
	s.Looked++
	parts := append([]string{h.Title, h.Summary}, h.NextSteps...)
	parts = append(append(parts, h.OpenQuestions...), h.Tried...)
	for _, p := range parts {
		if r := redact.Text(p); len(r.Findings) > 0 {
			s.add(secretRow{Name: h.ID, Project: h.Project, Rule: r.Findings[0].Rule})
			return
		}
	}
}

func (s *secretRows) add(r secretRow) {
	if len(s.Rows) < secretsShown {
		s.Rows = append(s.Rows, r)
	}
}
