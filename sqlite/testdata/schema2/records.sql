-- Outcomes, what sessions touched, requests, events.

-- fragment: outcome
seq, version, project, scope, key, number, kind, ref, note, agent, session, handoff, at, before, after

-- name: outcome_insert
-- Primary key of outcomes.
INSERT INTO outcomes ({{outcome}}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15);

-- name: outcomes_of
-- Index outcomes_version; its rows are in order of seq.
SELECT {{outcome}} FROM outcomes WHERE version = ?1 ORDER BY seq LIMIT ?2;

-- name: outcome_by
-- Partial index outcomes_by.
SELECT {{outcome}} FROM outcomes WHERE version = ?1 AND agent = ?2 AND ref = ?3 AND kind <> '' ORDER BY seq LIMIT 1;

-- name: touched_put
-- Unique index of touched. The new row takes the old one's place in the order, too.
INSERT OR REPLACE INTO touched (seq, agent, session, project, scope, key, number, at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8);

-- name: touched_list
-- Unique index of touched on (agent, session, …). A session touches few enough facts to sort them.
SELECT project, scope, key, number, at FROM touched WHERE agent = ?1 AND session = ?2 ORDER BY seq DESC LIMIT ?3;

-- name: request_get
-- Unique index of requests.
SELECT tool, content, result, version, at FROM requests WHERE agent = ?1 AND key = ?2;

-- name: request_insert
-- Unique index of requests.
INSERT INTO requests (agent, key, tool, content, result, version, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7);

-- name: event_insert
-- Primary key of events.
INSERT INTO events (seq, subject, kind, actor, session, at, data) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7);

-- name: events_list
-- Index events_subject; its rows are in order of seq.
SELECT seq, kind, actor, session, at, data FROM events WHERE subject = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3;
