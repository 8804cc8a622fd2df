-- +goose Up

-- Messages, work, and where agents are reached. It only adds: a program that knows schema 1 goes on working on this file,
-- so every new column is NULL or has a default, what it inserts stays valid, and user_version stays.

ALTER TABLE handoffs ADD COLUMN thread TEXT NOT NULL DEFAULT ''; -- the first of the chain; '' on rows of schema 1
ALTER TABLE handoffs ADD COLUMN return_for TEXT NOT NULL DEFAULT ''; -- the work whose return this carries
ALTER TABLE handoffs ADD COLUMN read_at INTEGER;
ALTER TABLE handoffs ADD COLUMN accepted_at INTEGER;
ALTER TABLE handoffs ADD COLUMN returned TEXT; -- JSON
ALTER TABLE handoffs ADD COLUMN closure TEXT; -- JSON
ALTER TABLE handoffs ADD COLUMN due_at INTEGER; -- the packet's, beside the state, for handoffs_due

-- Without seq in them, because it ends every index anyway: a page of one recipient's unread comes out in order.
CREATE INDEX handoffs_unread ON handoffs (recipient) WHERE read_at IS NULL;
CREATE INDEX handoffs_to ON handoffs (recipient); -- an inbox with what was read, newest first
CREATE INDEX handoffs_from ON handoffs (sender); -- what an agent sent, newest first
CREATE INDEX handoffs_due ON handoffs (state, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX handoffs_thread ON handoffs (thread) WHERE thread > '';
CREATE INDEX handoffs_return_for ON handoffs (return_for) WHERE return_for > '';

-- A program of schema 1 writes the due time into packets only. The copy is made here for it and for all others alike.
-- +goose StatementBegin
CREATE TRIGGER packets_due AFTER INSERT ON packets WHEN new.due_at IS NOT NULL
BEGIN
    UPDATE handoffs SET due_at = new.due_at WHERE seq = new.handoff;
END;
-- +goose StatementEnd
UPDATE handoffs SET due_at = p.due_at FROM packets p WHERE p.handoff = handoffs.seq AND p.due_at IS NOT NULL;

ALTER TABLE packets ADD COLUMN reply_to TEXT NOT NULL DEFAULT '';
ALTER TABLE packets ADD COLUMN round INTEGER NOT NULL DEFAULT 0;

ALTER TABLE agents ADD COLUMN title TEXT NOT NULL DEFAULT '';
ALTER TABLE agents ADD COLUMN endpoint TEXT NOT NULL DEFAULT '';
ALTER TABLE agents ADD COLUMN cwd TEXT NOT NULL DEFAULT '';
ALTER TABLE agents ADD COLUMN settings TEXT; -- JSON
ALTER TABLE agents ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agents ADD COLUMN addressed_at INTEGER;

CREATE TABLE connections (
    sender     TEXT    NOT NULL,
    recipient  TEXT    NOT NULL,
    allow      INTEGER NOT NULL,
    updated_at INTEGER,
    PRIMARY KEY (sender, recipient)
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL -- JSON
) STRICT, WITHOUT ROWID;

-- +goose Down

-- There is no way back that keeps the data, so there is none.
SELECT 1;
