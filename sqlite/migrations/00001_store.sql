-- +goose Up

-- Times are integers: milliseconds since 1970, UTC. A time that is not set is NULL. Lists and values are JSON text.
-- A seq is the store's own order of writes (log.next_seq), unique over all tables and never reused.

CREATE TABLE store (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    id         TEXT    NOT NULL, -- random, made with the store
    flat       INTEGER NOT NULL, -- 1: knows no projects
    created_at INTEGER NOT NULL,
    schema     INTEGER NOT NULL  -- the last migration applied; user_version rises only when older programs must stay out
) STRICT;

-- The one row that every write transaction changes: the order, the frontier of the Merkle log, and counters of the
-- search index, kept here so that they cost no statement of their own.
CREATE TABLE log (
    one           INTEGER PRIMARY KEY CHECK (one = 1),
    next_seq      INTEGER NOT NULL,
    size          INTEGER NOT NULL,
    frontier      BLOB    NOT NULL, -- 32 bytes per complete subtree, largest first
    root          BLOB    NOT NULL,
    docs          INTEGER NOT NULL, -- rows of fact_text
    body_terms    INTEGER NOT NULL, -- and the sums of its counts
    context_terms INTEGER NOT NULL,
    changes       INTEGER NOT NULL  -- of fact_text: what was counted at one number is still true at the same number
) STRICT;
INSERT INTO log VALUES (1, 1, 0, x'', x'', 0, 0, 0, 0);

-- What is remembered of a fact beside its versions: the newest one's number and hash, so that taking it away is seen.
CREATE TABLE facts (
    id      INTEGER PRIMARY KEY,
    project TEXT    NOT NULL, -- '' is none
    scope   TEXT    NOT NULL,
    key     TEXT    NOT NULL,
    seq     INTEGER NOT NULL,
    number  INTEGER NOT NULL,
    hash    BLOB    NOT NULL,
    UNIQUE (project, scope, key)
) STRICT;
CREATE INDEX facts_key ON facts (project, key);

-- Who wrote where. Versions point here: the three texts together are longer than most values.
CREATE TABLE writers (
    id      INTEGER PRIMARY KEY,
    author  TEXT NOT NULL,
    session TEXT NOT NULL,
    project TEXT NOT NULL,
    UNIQUE (author, session, project)
) STRICT;

CREATE TABLE versions (
    seq              INTEGER PRIMARY KEY,
    fact             INTEGER NOT NULL REFERENCES facts (id),
    number           INTEGER NOT NULL,
    writer           INTEGER NOT NULL REFERENCES writers (id),
    value            TEXT, -- NULL after erasure
    tags             TEXT,
    sources          TEXT,
    confidence       REAL    NOT NULL,
    success          INTEGER NOT NULL,
    minor_failure    INTEGER NOT NULL,
    failure          INTEGER NOT NULL,
    critical_failure INTEGER NOT NULL,
    unknown          INTEGER NOT NULL,
    created_at       INTEGER NOT NULL,
    superseded_at    INTEGER, -- NULL while current
    confirmed_at     INTEGER,
    confirmed_by     TEXT,
    erased_at        INTEGER,
    salt             BLOB,
    prev_hash        BLOB    NOT NULL,
    body_hash        BLOB    NOT NULL,
    hash             BLOB    NOT NULL,
    leaf             INTEGER NOT NULL UNIQUE,
    UNIQUE (fact, number)
) STRICT;
CREATE INDEX versions_writer ON versions (writer);

CREATE TABLE erasures (
    leaf    INTEGER PRIMARY KEY,
    version INTEGER NOT NULL UNIQUE, -- its seq
    fact    INTEGER NOT NULL, -- facts.id, without a constraint: each new fact would look here for orphans
    number  INTEGER NOT NULL,
    target  BLOB    NOT NULL,
    by      TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    hash    BLOB    NOT NULL
) STRICT;

-- The searchable form of each current version that was not erased, and the index over it. The numbers of terms are kept
-- because the averages that ranking needs must not cost a scan.
CREATE TABLE fact_text (
    seq           INTEGER PRIMARY KEY,
    filter        TEXT    NOT NULL,
    body          TEXT    NOT NULL,
    context       TEXT    NOT NULL,
    body_terms    INTEGER NOT NULL,
    context_terms INTEGER NOT NULL
) STRICT;
CREATE VIRTUAL TABLE fact_fts USING fts5 (
    filter, body, context, content = 'fact_text', content_rowid = 'seq', tokenize = 'ascii', columnsize = 1
);

CREATE TABLE outcomes (
    seq     INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    project TEXT    NOT NULL,
    scope   TEXT    NOT NULL,
    key     TEXT    NOT NULL,
    number  INTEGER NOT NULL,
    kind    TEXT    NOT NULL, -- '' is an opinion given with a repeated write
    ref     TEXT    NOT NULL,
    note    TEXT    NOT NULL,
    agent   TEXT    NOT NULL,
    session TEXT    NOT NULL,
    handoff TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    before  REAL    NOT NULL,
    after   REAL    NOT NULL
) STRICT;
CREATE INDEX outcomes_version ON outcomes (version);
CREATE INDEX outcomes_by ON outcomes (version, agent, ref) WHERE kind <> '';

CREATE TABLE touched (
    seq     INTEGER PRIMARY KEY,
    agent   TEXT    NOT NULL,
    session TEXT    NOT NULL,
    project TEXT    NOT NULL,
    scope   TEXT    NOT NULL,
    key     TEXT    NOT NULL,
    number  INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    UNIQUE (agent, session, project, scope, key)
) STRICT;

CREATE TABLE agents (
    name       TEXT PRIMARY KEY,
    provider   TEXT NOT NULL,
    first_seen INTEGER,
    last_seen  INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE requests (
    id      INTEGER PRIMARY KEY,
    agent   TEXT    NOT NULL,
    key     TEXT    NOT NULL,
    tool    TEXT    NOT NULL,
    content BLOB    NOT NULL,
    result  TEXT, -- NULL after the version it is about was erased, and content is zero then: it could confirm a guess
    version INTEGER NOT NULL, -- 0: about none
    at      INTEGER NOT NULL,
    UNIQUE (agent, key)
) STRICT;
CREATE INDEX requests_version ON requests (version) WHERE version > 0;

-- The part of a handoff that changes, and what lists are made by. Small rows: a holder's every call renews its claim.
CREATE TABLE handoffs (
    seq            INTEGER PRIMARY KEY,
    id             TEXT    NOT NULL UNIQUE,
    kind           TEXT    NOT NULL,
    state          TEXT    NOT NULL,
    project        TEXT    NOT NULL,
    sender         TEXT    NOT NULL,
    sender_session TEXT    NOT NULL,
    recipient      TEXT    NOT NULL, -- '' is whoever resumes next
    content        BLOB    NOT NULL,
    created_at     INTEGER NOT NULL,
    holder         TEXT    NOT NULL, -- '' is nobody
    holder_session TEXT    NOT NULL,
    generation     INTEGER NOT NULL,
    claimed_at     INTEGER,
    renewed_at     INTEGER,
    pid            INTEGER NOT NULL,
    pid_started    TEXT    NOT NULL,
    pid_boot       TEXT    NOT NULL,
    stale_shown    TEXT, -- JSON
    closed_at      INTEGER,
    closed_by      TEXT    NOT NULL,
    outcome        TEXT    NOT NULL,
    outcome_ref    TEXT    NOT NULL
) STRICT;
CREATE INDEX handoffs_recipient ON handoffs (recipient, state, project);
CREATE INDEX handoffs_state ON handoffs (state);
CREATE INDEX handoffs_holder ON handoffs (holder, holder_session) WHERE holder > '';
CREATE INDEX handoffs_sent ON handoffs (sender, sender_session, content);

-- The part of a handoff that never changes.
CREATE TABLE packets (
    handoff        INTEGER PRIMARY KEY REFERENCES handoffs (seq),
    title          TEXT NOT NULL,
    summary        TEXT NOT NULL,
    next_steps     TEXT, -- JSON, as the following
    open_questions TEXT,
    tried          TEXT,
    workspace      TEXT,
    notify         TEXT NOT NULL,
    expires_at     INTEGER,
    due_at         INTEGER
) STRICT;

CREATE TABLE pins (
    handoff  INTEGER NOT NULL REFERENCES handoffs (seq),
    position INTEGER NOT NULL,
    project  TEXT    NOT NULL,
    scope    TEXT    NOT NULL,
    key      TEXT    NOT NULL,
    number   INTEGER NOT NULL,
    PRIMARY KEY (handoff, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    seq     INTEGER PRIMARY KEY,
    subject TEXT    NOT NULL,
    kind    TEXT    NOT NULL,
    actor   TEXT    NOT NULL,
    session TEXT    NOT NULL,
    at      INTEGER NOT NULL,
    data    TEXT
) STRICT;
CREATE INDEX events_subject ON events (subject);

PRAGMA user_version = 1;

-- +goose Down

-- There is no way back that keeps the data, so there is none.
SELECT 1;
