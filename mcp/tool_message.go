package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/testigo/testigo"
	"github.com/testigo/testigo/handoff"
	"github.com/testigo/testigo/memory"
)

var sendTool = tool{
	name:  "send_handoff",
	title: "Send a message or work",
	about: "Send a message to one agent. With title it is work: the agent accepts and returns it, you close it. " +
		"For a packet of pinned facts use handoff.",
	params: []param{
		{name: "to", kind: text, required: true, about: "agent; see list_agents"},
		{name: "message", kind: text, required: true, about: "all it needs to know"},
		{name: "title", kind: text, about: "one line; makes it work"},
		{name: "due_minutes", kind: integer, min: testigo.MinDueMinutes, max: testigo.MaxDueMinutes, about: "from now; work only"},
		{name: "key", kind: text, about: "for retries"},
		{name: "reply_to", kind: text, about: "id this answers"},
		{name: "refs", kind: list, items: refsItems, about: "facts to pin: scope/key[@version]"},
		{name: "next_steps", kind: list, items: textItems, about: "in order"},
		{name: "open_questions", kind: list, items: textItems, about: "to answer"},
	},
	run: func(ctx context.Context, c *call) (any, error) {
		var p handoff.SendParams
		if err := c.decode(&p); err != nil {
			return nil, err
		}
		p.To = strings.TrimSpace(p.To)
		if p.Key == "" {
			p.Key = c.hostKey
		}
		res, err := c.hand.Send(ctx, c.caller, p)
		if err != nil {
			return nil, err
		}
		return fitSent(res), nil
	},
}

var inboxTool = tool{
	name:  "inbox",
	title: "List messages and work for you",
	about: "List what was sent to you, unread and oldest first, with the beginning of each text. Marks nothing read: " +
		"read_message does. For packets use resume.",
	readOnly: true, idempotent: true,
	params: []param{
		{name: "unread_only", kind: boolean, initial: "true", about: "false: read ones too, newest first"},
		{name: "limit", kind: integer, min: 1, max: 100, initial: "20", about: "messages in one answer"},
		cursorParam,
		waitParam,
	},
	run: runInbox,
}

// runInbox answers at once when anything is unread, else when something comes or the time to wait is over.
func runInbox(ctx context.Context, c *call) (any, error) {
	var p struct {
		UnreadOnly *bool `json:"unread_only"`
		handoff.InboxParams
		Wait int `json:"wait_seconds"`
	}
	if err := c.decode(&p); err != nil {
		return nil, err
	}
	p.All = p.UnreadOnly != nil && !*p.UnreadOnly
	var res handoff.InboxResult
	err := c.await(ctx, p.Wait, func() (bool, error) {
		var err error
		res, err = c.hand.Inbox(ctx, c.caller, p.InboxParams)
		return res.Unread > 0 || !p.All && len(res.Messages) > 0, err
	})
	for err == nil && !fits(res) && len(res.Messages) > 1 {
		c.caller.Budget /= 2
		res, err = c.hand.Inbox(ctx, c.caller, p.InboxParams)
	}
	if err != nil {
		return nil, err
	}
	return fitInbox(res), nil
}

var readTool = tool{
	name:  "read_message",
	title: "Read a message or work",
	about: "Open one message, work or return that was sent to you or by you, and tell what to call next. Your first look at " +
		"one sent to you marks it read. To see what there is use inbox.",
	idempotent: true,
	params:     []param{idParam("of the message"), maxCharsParam(), cursorParam},
	run:        runRead,
}

// runRead asks again for a smaller part while the answer does not fit: what the use case counts are bytes before they
// are escaped. The first look stays the first.
func runRead(ctx context.Context, c *call) (any, error) {
	var p handoff.ReadParams
	if err := c.decode(&p); err != nil {
		return nil, err
	}
	p.ID = strings.TrimSpace(p.ID)
	asked := p.MaxChars > memory.DefaultMaxChars
	res, err := c.hand.ReadMessage(ctx, c.caller, p)
	marked := res.MarkedRead
	for err == nil && !asked && c.caller.Budget > 500 {
		size := len(encode(res))
		if size <= answerLimit {
			break
		}
		less := func(n int) int { return max(min(n, 1), n*min(900, 950*answerLimit/size)/1_000) }
		c.caller.Budget, p.MaxChars = less(c.caller.Budget), less(p.MaxChars)
		res, err = c.hand.ReadMessage(ctx, c.caller, p)
	}
	if err != nil {
		return nil, err
	}
	res.MarkedRead = marked
	if asked {
		return res, nil
	}
	return fitRead(res), nil
}

var statusTool = tool{
	name:  "handoff_status",
	title: "Where a handoff is",
	about: "Tell how one handoff you sent or received stands, with its history; without id what you sent last and the work " +
		"that is open, for you and by you. To open it use read_message.",
	readOnly: true, idempotent: true,
	params: []param{
		{name: "id", kind: text, about: "this one"},
		{name: "wait_seconds", kind: integer, max: maxWait, initial: "0", about: "with id: wait this long for a change"},
	},
	run: runStatus,
}

// runStatus answers when the handoff has moved on since the call began, or at once when nothing is to be waited for.
func runStatus(ctx context.Context, c *call) (any, error) {
	var p struct {
		handoff.StatusParams
		Wait int `json:"wait_seconds"`
	}
	if err := c.decode(&p); err != nil {
		return nil, err
	}
	if p.ID = strings.TrimSpace(p.ID); p.ID == "" && p.Wait > 0 {
		return nil, testigo.Invalid("wait_seconds", "needs an id: only one handoff can be waited for").WithNext("give id, or wait with inbox")
	}
	var res handoff.StatusResult
	before := ""
	err := c.await(ctx, p.Wait, func() (bool, error) {
		var err error
		if res, err = c.hand.Status(ctx, c.caller, p.StatusParams); err != nil {
			return false, err
		}
		now := stand(res)
		if before == "" {
			before = now
		}
		return now != before || settled(c.caller.Agent, res), nil
	})
	for err == nil && !fits(res) && res.Message == nil && c.caller.Budget > 500 {
		c.caller.Budget = c.caller.Budget * 2 / 3
		res, err = c.hand.Status(ctx, c.caller, p.StatusParams)
	}
	if err != nil {
		return nil, err
	}
	return fitStatus(res), nil
}

// stand is what has to differ for a handoff to have moved on.
func stand(res handoff.StatusResult) string {
	last := int64(0)
	for _, e := range res.History {
		last = max(last, e.Seq)
	}
	if res.Message == nil {
		return "list"
	}
	return fmt.Sprintf("%s %s %t %d", res.Message.State, res.Message.Receipt, res.Message.Read, last)
}

// settled reports whether nobody else will move a handoff: it has ended, or it is the asking agent's own turn.
func settled(agent string, res handoff.StatusResult) bool {
	if res.Message == nil {
		return true
	}
	switch res.Message.State {
	case testigo.Closed, testigo.Expired, testigo.Withdrawn:
		return true
	case testigo.Returned:
		return res.Message.From == agent
	}
	return false
}

var agentsTool = tool{
	name:  "list_agents",
	title: "List the agents",
	about: "List the agents that are known here, when each was last seen, and whether you may send to it. " +
		"To write to one use send_handoff. Writes nothing.",
	readOnly: true, idempotent: true,
	run: func(ctx context.Context, c *call) (any, error) {
		if err := c.decode(&struct{}{}); err != nil {
			return nil, err
		}
		for {
			res, err := c.hand.Peers(ctx, c.caller)
			if err != nil {
				return nil, err
			}
			if fits(res) || len(res.Agents) < 2 {
				return res, nil
			}
			c.caller.Budget /= 2
		}
	},
}

// idParam names a handoff.
func idParam(about string) param {
	return param{name: "id", kind: text, required: true, about: about}
}
