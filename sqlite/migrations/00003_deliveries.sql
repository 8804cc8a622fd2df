-- +goose Up

-- What the engine keeps. It only adds: programs of schemas 1 and 2 go on working on this file, so user_version stays.

CREATE TABLE deliveries (
    id           TEXT PRIMARY KEY, -- the handoff's
    sender       TEXT    NOT NULL,
    recipient    TEXT    NOT NULL,
    place        INTEGER NOT NULL,
    priority     INTEGER NOT NULL,
    request      TEXT    NOT NULL,
    body         BLOB    NOT NULL, -- hash
    provider     TEXT    NOT NULL, -- the target, with the following three
    endpoint     TEXT    NOT NULL,
    cwd          TEXT    NOT NULL,
    settings     TEXT,             -- JSON
    state        TEXT    NOT NULL,
    live         INTEGER NOT NULL, -- 1: pending, active, or failed and not final: an engine looks at it by itself
    attempts     INTEGER NOT NULL,
    version      INTEGER NOT NULL,
    created_at   INTEGER,
    updated_at   INTEGER,
    next_check   INTEGER,
    not_before   INTEGER,
    detail       TEXT    NOT NULL,
    receipt      TEXT    NOT NULL, -- JSON
    final        INTEGER NOT NULL, -- the receipt's, for lists
    duplicate_of TEXT    NOT NULL, -- '' is none
    lease        INTEGER NOT NULL
) STRICT;

-- Finished deliveries only become more, so the two questions that an engine asks all the time never meet them, and their
-- answers come in order: what is due, and a recipient's queue.
CREATE INDEX deliveries_due ON deliveries (live, next_check, place, id) WHERE next_check IS NOT NULL;
CREATE INDEX deliveries_queue ON deliveries (recipient, priority DESC, place, id) WHERE live = 1;
-- Lists for people.
CREATE INDEX deliveries_state ON deliveries (state);
CREATE INDEX deliveries_recipient ON deliveries (recipient, state, priority DESC, place);
CREATE INDEX deliveries_sender ON deliveries (sender);
CREATE INDEX deliveries_repeats ON deliveries (duplicate_of) WHERE duplicate_of > '';

-- What an engine has still to take up is found without passing by what it took up long ago. An older program writes its
-- handoffs with the default; the mark is made here for all programs alike.
ALTER TABLE handoffs ADD COLUMN enrolled INTEGER NOT NULL DEFAULT 0;
CREATE INDEX handoffs_unenrolled ON handoffs (recipient, created_at)
    WHERE enrolled = 0 AND state = 'open' AND read_at IS NULL AND kind <> 'notification' AND recipient > '';
-- +goose StatementBegin
CREATE TRIGGER deliveries_enrol AFTER INSERT ON deliveries
BEGIN
    UPDATE handoffs SET enrolled = 1 WHERE id = new.id;
END;
-- +goose StatementEnd

CREATE TABLE lease (
    one         INTEGER PRIMARY KEY CHECK (one = 1),
    generation  INTEGER NOT NULL,
    pid         INTEGER NOT NULL,
    pid_started TEXT    NOT NULL,
    pid_boot    TEXT    NOT NULL,
    name        TEXT    NOT NULL,
    taken_at    INTEGER,
    renewed_at  INTEGER,
    until       INTEGER
) STRICT;

CREATE TABLE notices (
    handoff TEXT NOT NULL,
    kind    TEXT NOT NULL,
    at      INTEGER,
    PRIMARY KEY (handoff, kind)
) STRICT, WITHOUT ROWID;

-- +goose Down

-- There is no way back that keeps the data, so there is none.
SELECT 1;
