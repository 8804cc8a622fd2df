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

-- name: index_check
-- SQLite's own comparison of the index with fact_text.
INSERT INTO fact_fts (fact_fts, rank) VALUES ('integrity-check', 1);

-- name: index_unwanted_drop
-- Exception: scans fact_text, for reindexing.
DELETE FROM fact_text
WHERE seq IN (SELECT t.seq FROM fact_text t LEFT JOIN versions v ON v.seq = t.seq
              WHERE v.seq IS NULL OR v.superseded_at IS NOT NULL OR v.erased_at IS NOT NULL);

-- name: index_counts
-- Exception: scans fact_text, for checking and reindexing.
SELECT count(*), coalesce(sum(body_terms), 0), coalesce(sum(context_terms), 0) FROM fact_text;

-- name: check_unindexed
-- Exception: scans facts; versions and fact_text by primary key.
SELECT f.project, f.scope, f.key, v.number, v.leaf
FROM facts f JOIN versions v ON v.seq = f.seq LEFT JOIN fact_text t ON t.seq = v.seq
WHERE t.seq IS NULL AND v.erased_at IS NULL ORDER BY v.seq LIMIT ?1;

-- name: check_unwanted
-- Exception: scans fact_text; versions and facts by primary key.
SELECT coalesce(f.project, ''), coalesce(f.scope, ''), coalesce(f.key, ''), coalesce(v.number, 0), coalesce(v.leaf, -1)
FROM fact_text t LEFT JOIN versions v ON v.seq = t.seq LEFT JOIN facts f ON f.id = v.fact
WHERE v.seq IS NULL OR f.seq IS NOT v.seq OR v.superseded_at IS NOT NULL OR v.erased_at IS NOT NULL
ORDER BY t.seq LIMIT ?1;

-- name: check_no_entry
-- Exception: scans fact_text; the index's own table of row sizes, versions and facts by primary key.
SELECT coalesce(f.project, ''), coalesce(f.scope, ''), coalesce(f.key, ''), coalesce(v.number, 0), coalesce(v.leaf, -1)
FROM fact_text t LEFT JOIN fact_fts_docsize d ON d.id = t.seq
LEFT JOIN versions v ON v.seq = t.seq LEFT JOIN facts f ON f.id = v.fact
WHERE d.id IS NULL ORDER BY t.seq LIMIT ?1;

-- name: check_no_text
-- Exception: scans the index's table of row sizes; fact_text, versions and facts by primary key.
SELECT coalesce(f.project, ''), coalesce(f.scope, ''), coalesce(f.key, ''), coalesce(v.number, 0), coalesce(v.leaf, -1)
FROM fact_fts_docsize d LEFT JOIN fact_text t ON t.seq = d.id
LEFT JOIN versions v ON v.seq = d.id LEFT JOIN facts f ON f.id = v.fact
WHERE t.seq IS NULL ORDER BY d.id LIMIT ?1;

-- name: check_sample
-- Primary key of fact_text with a LIMIT; versions and facts by primary key.
SELECT t.seq, t.body, t.context, f.project, f.scope, f.key, v.number, v.leaf
FROM fact_text t JOIN versions v ON v.seq = t.seq JOIN facts f ON f.id = v.fact
WHERE t.seq >= ?1 ORDER BY t.seq LIMIT ?2;

-- name: check_found
-- Full text, restricted to one row.
SELECT count(*) FROM fact_fts WHERE fact_fts MATCH ?1 AND rowid = ?2;

-- name: max_text
-- Primary key, its end.
SELECT coalesce(max(seq), 0) FROM fact_text;

-- name: vacuum
-- Rewrites the whole file without its free pages.
VACUUM;
