package mcp

import (
	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
)

// The use cases bound lists and bodies by size. What is left for here is what stands around one body: a result with
// evidence and claims, a decision's note, the events of a history.

const wholeReturn = "the message that returned it shows all"

func fitSent(res handoff.SendResult) handoff.SendResult {
	return fit(res, func(r handoff.SendResult, n int) handoff.SendResult {
		r.Pins = first(r.Pins, n, "pins", "read_message "+r.MessageID+" lists them", &r.Notes)
		return r
	})
}

func fitInbox(res handoff.InboxResult) handoff.InboxResult {
	return fit(res, func(r handoff.InboxResult, n int) handoff.InboxResult {
		r.Messages = lessOfEach(res.Messages, n)
		return r
	})
}

func fitRead(res handoff.ReadResult) handoff.ReadResult {
	return fit(res, func(r handoff.ReadResult, n int) handoff.ReadResult {
		r.Message = lessAround(r.Message, n)
		r.Pins = r.Pins[:min(len(r.Pins), n)]
		return r
	})
}

func fitStatus(res handoff.StatusResult) handoff.StatusResult {
	return fit(res, func(r handoff.StatusResult, n int) handoff.StatusResult {
		if r.Message != nil {
			m := lessAround(*r.Message, n)
			r.Message = &m
		}
		r.History = nil
		for _, e := range res.History {
			if len(e.Data) > 20*n {
				e.Data = nil
			}
			r.History = append(r.History, e)
		}
		r.Sent, r.Mine, r.Orders = lessOfEach(res.Sent, n), lessOfEach(res.Mine, n), lessOfEach(res.Orders, n)
		return r
	})
}

func lessOfEach(list []handoff.Message, n int) []handoff.Message {
	if list == nil {
		return nil
	}
	out := []handoff.Message{}
	for _, m := range list {
		out = append(out, lessAround(m, n))
	}
	return out
}

// lessAround keeps the beginnings of the texts that stand around a message's body.
func lessAround(m handoff.Message, n int) handoff.Message {
	chars := max(60, 10*n)
	m.Preview = clipped(m.Preview, chars)
	if m.Work == nil {
		return m
	}
	w := *m.Work
	if w.Result != nil {
		w.Result = lessResult(*w.Result, n, chars)
	}
	if w.Closure != nil {
		c := *w.Closure
		c.Note = clipped(c.Note, chars)
		w.Closure = &c
	}
	m.Work = &w
	return m
}

// lessResult shows fewer claims of a return, and says so where a reader looks for them.
func lessResult(r testigo.Return, n, chars int) *testigo.Return {
	r.Summary, r.Evidence = clipped(r.Summary, chars), clipped(r.Evidence, chars)
	var left []string
	claims := first(r.Claims, n/4, "claims", wholeReturn, &left)
	r.Claims = nil
	for _, c := range claims {
		c.Claim, c.Ref = clipped(c.Claim, chars), clipped(c.Ref, chars)
		r.Claims = append(r.Claims, c)
	}
	for _, l := range left {
		r.Evidence += " [" + l + "]"
	}
	return &r
}
