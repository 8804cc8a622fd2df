-- Lists and counts of handoffs. They come by the narrowest of ten ways in; what else a filter says is checked on the row.
-- Parameters of all of them, in this order: states (JSON list), recipient, unaddressed (1: recipient is ''), projects (JSON
-- list, for unaddressed ones), sender, holder, holder's session, kinds (JSON list), unread (1), thread, return for, due
-- before, after this seq, before this seq, limit.

-- fragment: handoff_rest
AND (?1 = '' OR h.state IN (SELECT value FROM json_each(?1)))
AND (?4 = '' OR h.recipient > '' OR h.project IN (SELECT value FROM json_each(?4)))
AND (?5 = '' OR h.sender = ?5) AND (?6 = '' OR h.holder = ?6) AND (?7 = '' OR h.holder_session = ?7)
AND (?8 = '' OR h.kind IN (SELECT value FROM json_each(?8))) AND (?9 = 0 OR h.read_at IS NULL)
AND (?10 = '' OR h.thread = ?10) AND (?11 = '' OR h.return_for = ?11) AND (?12 IS NULL OR h.due_at < ?12)
AND h.seq > ?13 AND h.seq < ?14

-- fragment: handoff_either
((?2 = '' AND ?3 = 0) OR (?2 > '' AND h.recipient = ?2) OR (?3 = 1 AND h.recipient = ''))

-- fragment: handoff_return
h.return_for = ?11 AND h.return_for > '' AND {{handoff_either}} {{handoff_rest}}

-- fragment: handoff_thread
h.thread = ?10 AND h.thread > '' AND {{handoff_either}} {{handoff_rest}}

-- fragment: handoff_held
h.holder = ?6 AND h.holder > '' AND {{handoff_either}} {{handoff_rest}}

-- fragment: handoff_due
h.state IN (SELECT value FROM json_each(?1)) AND h.due_at < ?12 AND {{handoff_either}} {{handoff_rest}}

-- fragment: handoff_unread
h.recipient = ?2 AND h.read_at IS NULL {{handoff_rest}}

-- fragment: handoff_waiting
h.recipient = ?2 AND h.state IN (SELECT value FROM json_each(?1)) {{handoff_rest}}

-- fragment: handoff_to
h.recipient = ?2 {{handoff_rest}}

-- fragment: handoff_sent
h.sender = ?5 AND {{handoff_either}} {{handoff_rest}}

-- fragment: handoff_in
h.state IN (SELECT value FROM json_each(?1)) {{handoff_rest}}

-- fragment: handoff_any
h.seq > ?13 AND h.seq < ?14 {{handoff_rest}}

-- name: handoffs_return
-- Partial index handoffs_return_for; packets by primary key. Its rows are in order of seq.
SELECT {{handoff}} FROM handoffs h JOIN packets p ON p.handoff = h.seq WHERE {{handoff_return}} ORDER BY h.seq LIMIT ?15;

-- name: newest_return
-- As handoffs_return, from the other end.
SELECT {{handoff}} FROM handoffs h JOIN packets p ON p.handoff = h.seq WHERE {{handoff_return}} ORDER BY h.seq DESC LIMIT ?15;

-- name: count_return
-- Partial index handoffs_return_for.
SELECT count(*) FROM handoffs h WHERE {{handoff_return}};

-- name: handoffs_thread
-- Partial index handoffs_thread; packets by primary key. Its rows are in order of seq.
SELECT {{handoff}} FROM handoffs h JOIN packets p ON p.handoff = h.seq WHERE {{handoff_thread}} ORDER BY h.seq LIMIT ?15;

-- name: newest_thread
-- As handoffs_thread, from the other end.
SELECT {{handoff}} FROM handoffs h JOIN packets p ON p.handoff = h.seq WHERE {{handoff_thread}} ORDER BY h.seq DESC LIMIT ?15;

-- name: count_thread
-- Partial index handoffs_thread.
SELECT count(*) FROM handoffs h WHERE {{handoff_thread}};

-- name: handoffs_held
-- Partial index handoffs_holder; packets by primary key. A holder holds few enough to sort them.
SELECT {{handoff}} FROM handoffs h JOIN packets p ON p.handoff = h.seq WHERE {{handoff_held}} ORDER BY h.seq LIMIT ?15;

-- name: newest_held
-- As handoffs_held, from the other end.
SELECT {{handoff}} FROM handoffs h JOIN packets p ON p.handoff = h.seq WHERE {{handoff_held}} ORDER BY h.seq DESC LIMIT ?15;

-- name: count_held
-- Partial index handoffs_holder.
SELECT count(*) FROM handoffs h WHERE {{handoff_held}};

-- name: handoffs_due
-- Partial index handoffs_due; packets by primary key. Few are overdue at a time, so they are sorted; the
-- planner would rather walk over all that is open.
SELECT {{handoff}} FROM handoffs h INDEXED BY handoffs_due JOIN packets p ON p.handoff = h.seq WHERE {{handoff_due}} ORDER BY h.seq LIMIT ?15;

-- name: newest_due
-- As handoffs_due, from the other end.
SELECT {{handoff}} FROM handoffs h INDEXED BY handoffs_due JOIN packets p ON p.handoff = h.seq WHERE {{handoff_due}} ORDER BY h.seq DESC LIMIT ?15;

-- name: count_due
-- Partial index handoffs_due.
SELECT count(*) FROM handoffs h INDEXED BY handoffs_due WHERE {{handoff_due}};

-- name: handoffs_unread
-- Partial index handoffs_unread; packets by primary key. Its rows are in order of seq.
SELECT {{handoff}} FROM handoffs h INDEXED BY handoffs_unread JOIN packets p ON p.handoff = h.seq WHERE {{handoff_unread}} ORDER BY h.seq LIMIT ?15;

-- name: newest_unread
-- As handoffs_unread, from the other end.
SELECT {{handoff}} FROM handoffs h INDEXED BY handoffs_unread JOIN packets p ON p.handoff = h.seq WHERE {{handoff_unread}} ORDER BY h.seq DESC LIMIT ?15;

-- name: count_unread
-- Partial index handoffs_unread.
SELECT count(*) FROM handoffs h INDEXED BY handoffs_unread WHERE {{handoff_unread}};

-- name: handoffs_waiting
-- Index handoffs_recipient; packets by primary key. Those in a few states are sorted.
SELECT {{handoff}} FROM handoffs h INDEXED BY handoffs_recipient JOIN packets p ON p.handoff = h.seq WHERE {{handoff_waiting}} ORDER BY h.seq LIMIT ?15;

-- name: newest_waiting
-- As handoffs_waiting, from the other end.
SELECT {{handoff}} FROM handoffs h INDEXED BY handoffs_recipient JOIN packets p ON p.handoff = h.seq WHERE {{handoff_waiting}} ORDER BY h.seq DESC LIMIT ?15;

-- name: count_waiting
-- Index handoffs_recipient.
SELECT count(*) FROM handoffs h INDEXED BY handoffs_recipient WHERE {{handoff_waiting}};

-- name: handoffs_to
-- Index handoffs_to, in its order; packets by primary key.
SELECT {{handoff}} FROM handoffs h JOIN packets p ON p.handoff = h.seq WHERE {{handoff_to}} ORDER BY h.seq LIMIT ?15;

-- name: newest_to
-- As handoffs_to, from the other end.
SELECT {{handoff}} FROM handoffs h JOIN packets p ON p.handoff = h.seq WHERE {{handoff_to}} ORDER BY h.seq DESC LIMIT ?15;

-- name: count_to
-- Index handoffs_to.
SELECT count(*) FROM handoffs h WHERE {{handoff_to}};

-- name: handoffs_sent
-- Index handoffs_from, in its order; packets by primary key.
SELECT {{handoff}} FROM handoffs h JOIN packets p ON p.handoff = h.seq WHERE {{handoff_sent}} ORDER BY h.seq LIMIT ?15;

-- name: newest_sent
-- As handoffs_sent, from the other end.
SELECT {{handoff}} FROM handoffs h JOIN packets p ON p.handoff = h.seq WHERE {{handoff_sent}} ORDER BY h.seq DESC LIMIT ?15;

-- name: count_sent
-- Index handoffs_from.
SELECT count(*) FROM handoffs h WHERE {{handoff_sent}};

-- name: handoffs_in
-- Index handoffs_state; packets by primary key. All in these states are sorted.
SELECT {{handoff}} FROM handoffs h JOIN packets p ON p.handoff = h.seq WHERE {{handoff_in}} ORDER BY h.seq LIMIT ?15;

-- name: newest_in
-- As handoffs_in, from the other end.
SELECT {{handoff}} FROM handoffs h JOIN packets p ON p.handoff = h.seq WHERE {{handoff_in}} ORDER BY h.seq DESC LIMIT ?15;

-- name: count_in
-- Index handoffs_state.
SELECT count(*) FROM handoffs h WHERE {{handoff_in}};

-- name: handoffs_any
-- Primary key of handoffs with a LIMIT; packets by primary key. From its end for the newest.
SELECT {{handoff}} FROM handoffs h JOIN packets p ON p.handoff = h.seq WHERE {{handoff_any}} ORDER BY h.seq LIMIT ?15;

-- name: newest_any
-- As handoffs_any, from the other end.
SELECT {{handoff}} FROM handoffs h JOIN packets p ON p.handoff = h.seq WHERE {{handoff_any}} ORDER BY h.seq DESC LIMIT ?15;

-- name: count_any
-- Primary key of handoffs; counting all of them is a statistic.
SELECT count(*) FROM handoffs h WHERE {{handoff_any}};
