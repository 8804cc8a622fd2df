package handoff

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/memory"
)

// QueueItem is one handoff that waits, without its content.
type QueueItem struct {
	ID        string               `json:"id"`
	Kind      testigo.HandoffKind  `json:"kind"`
	State     testigo.HandoffState `json:"state"`
	From      string               `json:"from"`
	To        string               `json:"to,omitempty"`
	Project   *string              `json:"project"`
	Title     string               `json:"title"`
	WrittenAt time.Time            `json:"written_at"`
	Age       string               `json:"age"`
	Holder    *Holder              `json:"holder,omitempty"`
}

// queuePage is how many items one answer lists.
const queuePage = 20

// queue lists what waits for the caller, oldest first, and claims nothing. A person at the terminal sees everybody's.
func (s *Service) queue(ctx context.Context, c Caller, p ResumeParams, project testigo.Project) (ResumeResult, error) {
	after := int64(0)
	if p.Cursor != "" {
		var err error
		if after, err = strconv.ParseInt(strings.TrimPrefix(p.Cursor, "q"), 10, 64); err != nil || !strings.HasPrefix(p.Cursor, "q") {
			return ResumeResult{}, testigo.Invalid("cursor", "does not belong to this list").WithNext("repeat the call without cursor")
		}
	}
	res := ResumeResult{Project: projectField(project.ID), Queue: []QueueItem{}}
	f := queueFilter(c, p, project)
	f.States = append(f.States, testigo.Claimed) // those whose holder is gone wait as well
	f.AfterSeq, f.Limit = after, queuePage+1
	now := s.mem.Now()
	dead, err := s.deadHolders(ctx, c, p, "handoff_id", "", project)
	if err != nil {
		return ResumeResult{}, err
	}
	err = s.store.Read(ctx, func(r testigo.Reader) error {
		list, err := r.Handoffs(ctx, f)
		if err != nil {
			return err
		}
		fillQueue(c, list, dead, now, &res)
		return s.counts(ctx, r, c, p, project, &res)
	})
	if err != nil {
		return ResumeResult{}, err
	}
	switch {
	case len(res.Queue) == 0 && after == 0:
		res.Summary = nothing(c, project, res)
	default:
		res.Summary = fmt.Sprintf("%d shown of %d waiting; nothing was claimed", len(res.Queue), max(res.Waiting, len(res.Queue)))
	}
	return res, nil
}

// fillQueue lists what fits a page and the caller's budget; the cursor stands where it stopped.
func fillQueue(c Caller, list []testigo.Handoff, dead map[string]int, now time.Time, res *ResumeResult) {
	used := headerBytes
	last := int64(0)
	for i, h := range list {
		it := item(h, now)
		used += jsonSize(it) + 1
		if i == queuePage || c.Budget > 0 && used > c.Budget && len(res.Queue) > 0 {
			res.Cursor = "q" + strconv.FormatInt(last, 10)
			return
		}
		last = h.Seq
		free := h.State == testigo.Open || takeover(now, h, dead) != ""
		if free && !past(h, now) && eligible(c, h) {
			res.Queue = append(res.Queue, it)
		}
	}
}

// queueFilter selects what a peek lists.
func queueFilter(c Caller, p ResumeParams, project testigo.Project) testigo.HandoffFilter {
	f := testigo.HandoffFilter{States: []testigo.HandoffState{testigo.Open}, Kinds: pickedUp, From: p.FromAgent}
	if testigo.IsPerson(c.Agent) {
		return f
	}
	f.To, f.Unaddressed, f.Projects = c.Agent, true, []string{project.ID}
	return f
}

func item(h testigo.Handoff, now time.Time) QueueItem {
	it := QueueItem{ID: h.ID, Kind: h.Kind, State: h.State, From: h.From, To: h.To, Project: projectField(h.Project), Title: h.Title,
		WrittenAt: h.CreatedAt, Age: memory.Age(now, h.CreatedAt)}
	if h.State == testigo.Claimed {
		it.Holder = &Holder{Agent: h.Claim.Agent, Generation: h.Claim.Generation, Since: h.Claim.At}
	}
	return it
}

// counts fills in how many more wait for the caller, and how many belong to others or expired: numbers only.
func (s *Service) counts(ctx context.Context, r testigo.HandoffReader, c Caller, p ResumeParams, project testigo.Project, res *ResumeResult) error {
	mine := queueFilter(c, p, project)
	mine.Limit = maxCounted
	list, err := r.Handoffs(ctx, mine)
	if err != nil {
		return err
	}
	ranOut := 0
	for _, h := range list {
		switch {
		case past(h, s.mem.Now()):
			ranOut++
		case eligible(c, h):
			res.Waiting++
		}
	}
	all, err := r.CountHandoffs(ctx, testigo.HandoffFilter{States: []testigo.HandoffState{testigo.Open}, Kinds: pickedUp, From: p.FromAgent})
	if err != nil {
		return err
	}
	res.Others = max(0, all-len(list))
	res.Expired, err = r.CountHandoffs(ctx, testigo.HandoffFilter{States: []testigo.HandoffState{testigo.Expired}, Kinds: pickedUp, From: p.FromAgent})
	if err != nil {
		return err
	}
	res.Expired += ranOut
	res.Unread, err = unread(ctx, r, c, s.mem.Now())
	return err
}

// maxCounted bounds how many waiting handoffs are looked at for a count.
const maxCounted = 500

// past reports whether an open handoff's time is over; its move to expired is written by whoever would have claimed it.
func past(h testigo.Handoff, now time.Time) bool {
	return h.State == testigo.Open && !h.ExpiresAt.IsZero() && !h.ExpiresAt.After(now)
}

// show opens one packet without claiming it.
func (s *Service) show(ctx context.Context, c Caller, p ResumeParams, id, dir string, project testigo.Project) (ResumeResult, error) {
	var h testigo.Handoff
	var pins []pinState
	res := ResumeResult{Project: projectField(project.ID)}
	err := s.store.Read(ctx, func(r testigo.Reader) (err error) {
		if h, err = find(ctx, r, "handoff_id", id); err != nil {
			return err
		}
		if !visibleTo(c, h, project.ID) {
			return notHere("handoff_id", id)
		}
		if pins, err = resolve(ctx, r, h.Pins); err != nil {
			return err
		}
		return s.counts(ctx, r, c, p, project, &res)
	})
	if err != nil {
		return ResumeResult{}, err
	}
	if h.State == testigo.Open && eligible(c, h) && res.Waiting > 0 && (h.To == "" || h.To == c.Agent || testigo.IsPerson(c.Agent)) {
		res.Waiting-- // "more" does not count the one that is shown
	}
	if res, err = s.answer(ctx, c, p, h, pins, dir, project, res); err == nil {
		res.Notes = append(res.Notes, "shown only; nothing was claimed")
	}
	return res, err
}
