package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
)

// notice tells a handoff's sender something about it, once per kind. Nobody is told about what a part of Testigo sent, so a
// notice has none of its own; a person looks at the page. A sender that blocks the service is not told, and the notice
// counts as given.
func (e *Engine) notice(ctx context.Context, tx testigo.Tx, h testigo.Handoff, kind testigo.NoticeKind, text string) error {
	if testigo.IsService(h.From) || testigo.IsPerson(h.From) {
		return nil
	}
	if told, err := tx.Noticed(ctx, h.ID, kind); err != nil || told {
		return err
	}
	if err := tx.PutNotice(ctx, h.ID, kind, tx.Now()); err != nil {
		return err
	}
	from := handoff.ServiceDelivery
	if kind == testigo.NoticeOverdue {
		from = ServiceDeadline
	}
	if ok, err := handoff.Allowed(ctx, tx, from, h.From); err != nil || !ok {
		return err
	}
	n := testigo.Handoff{Kind: testigo.KindNotification, State: testigo.Open, Project: h.Project, From: from, To: h.From,
		Summary: fmt.Sprintf("%s (%s): %s", h.ID, label(h), text), Notify: "none", CreatedAt: tx.Now(), ReplyTo: h.ID, Thread: h.Thread,
		ExpiresAt: tx.Now().Add(testigo.MessageLife)}
	if n.Thread == "" {
		n.Thread = h.ID
	}
	if h.Kind == testigo.KindPacket && h.Notify == "wake" { // its sender asked to be woken
		n.Kind, n.Notify = testigo.KindMessage, "wake"
	}
	var err error
	if n.ID, err = e.newID(ctx, tx); err != nil {
		return err
	}
	n.Seq, n.ContentHash = tx.NextSeq(), bodyHash(n)
	if err := tx.PutHandoff(ctx, n); err != nil {
		return err
	}
	return e.event(ctx, tx, n.ID, "written", map[string]any{"to": n.To, "kind": n.Kind, "about": h.ID, "notice": kind})
}

// label names a handoff in one line.
func label(h testigo.Handoff) string {
	if h.Title != "" {
		return h.Title
	}
	return strings.Join(strings.Fields(memory.CutText(h.Summary, 80)), " ")
}

// overdue tells the senders of work whose time is over. It returns how many were told.
func (e *Engine) overdue(ctx context.Context) (told int, err error) {
	f := testigo.HandoffFilter{States: []testigo.HandoffState{testigo.Open, testigo.Claimed}, Kinds: []testigo.HandoffKind{testigo.KindWork}, Limit: enrolBatch}
	for {
		var late []testigo.Handoff
		last := 0
		err := e.store.Read(ctx, func(r testigo.Reader) error {
			f.DueBefore = e.o.Clock().Add(time.Millisecond)
			list, err := r.Handoffs(ctx, f)
			if last = len(list); err != nil || last == 0 {
				return err
			}
			f.AfterSeq = list[last-1].Seq
			for _, h := range list {
				if was, err := r.Noticed(ctx, h.ID, testigo.NoticeOverdue); err != nil {
					return err
				} else if !was && !testigo.IsService(h.From) && !testigo.IsPerson(h.From) {
					late = append(late, h)
				}
			}
			return nil
		})
		if err != nil {
			return told, err
		}
		if len(late) > 0 {
			n, err := e.tellOverdue(ctx, late)
			if told += n; err != nil {
				return told, err
			}
		}
		if last < f.Limit {
			return told, nil
		}
	}
}

func (e *Engine) tellOverdue(ctx context.Context, late []testigo.Handoff) (told int, err error) {
	err = e.write(ctx, func(tx testigo.Tx) error {
		told = 0
		for _, h := range late {
			now, err := tx.Handoff(ctx, h.ID)
			if err != nil {
				return err
			}
			if now.State != testigo.Open && now.State != testigo.Claimed {
				continue
			}
			text := fmt.Sprintf("overdue since %s; %s has not returned it. `testigo status %s` shows where it is",
				h.DueAt.Format("2006-01-02 15:04 UTC"), h.To, h.ID)
			if err := e.notice(ctx, tx, now, testigo.NoticeOverdue, text); err != nil {
				return err
			}
			told++
		}
		return nil
	})
	return told, err
}

// stuck tells a sender that nothing has moved for a day, unless a due time will do so. A notice is only given once, so the
// row is looked at whenever it is due anyway.
func (e *Engine) stuck(ctx context.Context, tx testigo.Tx, h testigo.Handoff, d testigo.Delivery) error {
	if !h.DueAt.IsZero() || tx.Now().Sub(d.CreatedAt) < stuckAfter {
		return nil
	}
	switch d.State {
	case testigo.Held, testigo.Unavailable, testigo.Busy, testigo.Uncertain:
		return e.notice(ctx, tx, h, testigo.NoticeStuck, fmt.Sprintf("not delivered to %s since %s: %s", h.To,
			d.CreatedAt.Format("2006-01-02 15:04 UTC"), d.Detail))
	}
	return nil
}
