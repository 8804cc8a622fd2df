-- Transactions, the store's own rows, and upkeep.
-- Each query: "-- name: X", then a comment that says which index it relies on, then the statement.

-- name: begin_write
-- No index. Takes the write lock at once: a lock taken later could fail after work was done.
BEGIN IMMEDIATE;

-- name: begin_read
-- No index. The snapshot begins with the first question.
BEGIN;

-- name: commit
-- No index.
COMMIT;

-- name: rollback
-- No index.
ROLLBACK;

-- name: store_get
-- Primary key.
SELECT id, flat, schema FROM store WHERE one = 1;

-- name: store_put
-- Primary key.
INSERT INTO store (one, id, flat, created_at, schema) VALUES (1, ?1, ?2, ?3, ?4)
ON CONFLICT (one) DO UPDATE SET schema = excluded.schema;

-- name: log_get
-- Primary key.
SELECT next_seq, size, frontier, root, docs, body_terms, context_terms, changes FROM log WHERE one = 1;

-- name: log_put
-- Primary key.
UPDATE log SET next_seq = ?1, size = ?2, frontier = ?3, root = ?4, docs = ?5, body_terms = ?6, context_terms = ?7,
    changes = ?8
WHERE one = 1;

-- name: index_optimize
-- Rewrites the index as one segment, which drops what deleted rows left in it.
INSERT INTO fact_fts (fact_fts) VALUES ('optimize');

-- name: index_rebuild
-- Makes the index anew from fact_text.
INSERT INTO fact_fts (fact_fts) VALUES ('rebuild');

-- name: index_drop
-- Takes the index away, whatever is left of it.
DROP TABLE IF EXISTS fact_fts;

-- name: index_create
-- The index as the migrations make it.
CREATE VIRTUAL TABLE IF NOT EXISTS fact_fts USING fts5 (
    filter, body, context, content = 'fact_text', content_rowid = 'seq', tokenize = 'ascii', columnsize = 1
);

-- name: index_unwanted_drop
-- Exception: scans fact_text, for reindexing.
DELETE FROM fact_text
WHERE seq IN (SELECT t.seq FROM fact_text t LEFT JOIN versions v ON v.seq = t.seq
              WHERE v.seq IS NULL OR v.superseded_at IS NOT NULL OR v.erased_at IS NOT NULL);

-- name: index_counts
-- Exception: scans fact_text, for checking and reindexing.
SELECT count(*), coalesce(sum(body_terms), 0), coalesce(sum(context_terms), 0) FROM fact_text;

-- name: vacuum
-- Rewrites the whole file without its free pages.
VACUUM;
