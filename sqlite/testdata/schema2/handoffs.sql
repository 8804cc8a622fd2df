-- Single handoffs: one by its id, its pins, and what is written of it. Lists stand in handoff_lists.sql.

-- fragment: handoff
h.seq, h.id, h.kind, h.state, h.project, h.sender, h.sender_session, h.recipient, h.content, h.created_at, h.holder,
h.holder_session, h.generation, h.claimed_at, h.renewed_at, h.pid, h.pid_started, h.pid_boot, h.stale_shown, h.closed_at,
h.closed_by, h.outcome, h.outcome_ref, h.thread, h.return_for, h.read_at, h.accepted_at, h.returned, h.closure, p.title,
p.summary, p.next_steps, p.open_questions, p.tried, p.workspace, p.notify, p.expires_at, p.due_at, p.reply_to, p.round

-- name: handoff_get
-- Unique index of handoffs on id; packets by primary key.
SELECT {{handoff}} FROM handoffs h JOIN packets p ON p.handoff = h.seq WHERE h.id = ?1;

-- name: handoff_prefix
-- Unique index of handoffs on id, as a range.
SELECT id FROM handoffs WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3;

-- name: handoff_recent
-- Index handoffs_sent; its rows are in order of seq.
SELECT {{handoff}} FROM handoffs h JOIN packets p ON p.handoff = h.seq
WHERE h.sender = ?1 AND h.sender_session = ?2 AND h.content = ?3 AND h.created_at >= ?4 ORDER BY h.seq DESC LIMIT 1;

-- name: handoff_insert
-- Primary key and unique index of handoffs. The due time comes with the packet, by trigger packets_due.
INSERT INTO handoffs (seq, id, kind, state, project, sender, sender_session, recipient, content, created_at, holder,
    holder_session, generation, claimed_at, renewed_at, pid, pid_started, pid_boot, stale_shown, closed_at, closed_by,
    outcome, outcome_ref, thread, return_for, read_at, accepted_at, returned, closure)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24,
    ?25, ?26, ?27, ?28, ?29);

-- name: packet_insert
-- Primary key; the trigger finds its handoff by primary key.
INSERT INTO packets (handoff, title, summary, next_steps, open_questions, tried, workspace, notify, expires_at, due_at,
    reply_to, round)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12);

-- name: pin_insert
-- Primary key.
INSERT INTO pins (handoff, position, project, scope, key, number) VALUES (?1, ?2, ?3, ?4, ?5, ?6);

-- name: pins_of
-- Primary key of pins, as a range.
SELECT project, scope, key, number FROM pins WHERE handoff = ?1 ORDER BY position;

-- name: handoff_move
-- Unique index of handoffs on id.
UPDATE handoffs SET state = ?4, holder = ?5, holder_session = ?6, generation = ?7, claimed_at = ?8, renewed_at = ?9,
    pid = ?10, pid_started = ?11, pid_boot = ?12, stale_shown = ?13, closed_at = ?14, closed_by = ?15, outcome = ?16,
    outcome_ref = ?17, read_at = ?18, accepted_at = ?19, returned = ?20, closure = ?21
WHERE id = ?1 AND state = ?2 AND generation = ?3;

-- name: handoff_state
-- Unique index of handoffs on id.
SELECT state, generation FROM handoffs WHERE id = ?1;
