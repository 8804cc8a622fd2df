-- Handoffs. Lists come by the narrowest of five ways in; what else a filter says is checked on the row.
-- Parameters of all lists and counts, in this order: states (JSON list), recipient, unaddressed (1: recipient is ''),
-- projects (JSON list, for unaddressed ones), sender, holder, holder's session, after this seq, limit.

-- fragment: handoff
h.seq, h.id, h.kind, h.state, h.project, h.sender, h.sender_session, h.recipient, h.content, h.created_at, h.holder,
h.holder_session, h.generation, h.claimed_at, h.renewed_at, h.pid, h.pid_started, h.pid_boot, h.stale_shown, h.closed_at,
h.closed_by, h.outcome, h.outcome_ref, p.title, p.summary, p.next_steps, p.open_questions, p.tried, p.workspace,
p.notify, p.expires_at, p.due_at

-- fragment: handoff_rest
AND (?1 = '' OR h.state IN (SELECT value FROM json_each(?1)))
AND (?4 = '' OR h.recipient > '' OR h.project IN (SELECT value FROM json_each(?4)))
AND (?5 = '' OR h.sender = ?5) AND (?6 = '' OR h.holder = ?6) AND (?7 = '' OR h.holder_session = ?7) AND h.seq > ?8

-- fragment: handoff_either
((?2 = '' AND ?3 = 0) OR (?2 > '' AND h.recipient = ?2) OR (?3 = 1 AND h.recipient = ''))

-- fragment: handoff_to
h.recipient = ?2 {{handoff_rest}}

-- fragment: handoff_held
h.holder = ?6 AND h.holder > '' AND {{handoff_either}} {{handoff_rest}}

-- fragment: handoff_sent
h.sender = ?5 AND {{handoff_either}} {{handoff_rest}}

-- fragment: handoff_in
h.state IN (SELECT value FROM json_each(?1)) {{handoff_rest}}

-- fragment: handoff_any
h.seq > ?8 {{handoff_rest}}

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

-- name: handoffs_to
-- Index handoffs_recipient; packets by primary key.
SELECT {{handoff}} FROM handoffs h JOIN packets p ON p.handoff = h.seq WHERE {{handoff_to}} ORDER BY h.seq LIMIT ?9;

-- name: handoffs_held
-- Partial index handoffs_holder; packets by primary key.
SELECT {{handoff}} FROM handoffs h JOIN packets p ON p.handoff = h.seq WHERE {{handoff_held}} ORDER BY h.seq LIMIT ?9;

-- name: handoffs_sent
-- Index handoffs_sent; packets by primary key.
SELECT {{handoff}} FROM handoffs h JOIN packets p ON p.handoff = h.seq WHERE {{handoff_sent}} ORDER BY h.seq LIMIT ?9;

-- name: handoffs_in
-- Index handoffs_state; packets by primary key.
SELECT {{handoff}} FROM handoffs h JOIN packets p ON p.handoff = h.seq WHERE {{handoff_in}} ORDER BY h.seq LIMIT ?9;

-- name: handoffs_any
-- Primary key of handoffs with a LIMIT; packets by primary key.
SELECT {{handoff}} FROM handoffs h JOIN packets p ON p.handoff = h.seq WHERE {{handoff_any}} ORDER BY h.seq LIMIT ?9;

-- name: count_to
-- Index handoffs_recipient.
SELECT count(*) FROM handoffs h WHERE {{handoff_to}};

-- name: count_held
-- Partial index handoffs_holder.
SELECT count(*) FROM handoffs h WHERE {{handoff_held}};

-- name: count_sent
-- Index handoffs_sent.
SELECT count(*) FROM handoffs h WHERE {{handoff_sent}};

-- name: count_in
-- Index handoffs_state.
SELECT count(*) FROM handoffs h WHERE {{handoff_in}};

-- name: count_any
-- Primary key of handoffs; counting all of them is a statistic.
SELECT count(*) FROM handoffs h WHERE {{handoff_any}};

-- name: handoff_insert
-- Primary key and unique index of handoffs.
INSERT INTO handoffs (seq, id, kind, state, project, sender, sender_session, recipient, content, created_at, holder,
    holder_session, generation, claimed_at, renewed_at, pid, pid_started, pid_boot, stale_shown, closed_at, closed_by,
    outcome, outcome_ref)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23);

-- name: packet_insert
-- Primary key.
INSERT INTO packets (handoff, title, summary, next_steps, open_questions, tried, workspace, notify, expires_at, due_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10);

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
    outcome_ref = ?17
WHERE id = ?1 AND state = ?2 AND generation = ?3;

-- name: handoff_state
-- Unique index of handoffs on id.
SELECT state, generation FROM handoffs WHERE id = ?1;
