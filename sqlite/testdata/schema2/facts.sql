-- Facts and their versions.

-- fragment: version
f.project, f.scope, f.key, v.seq, v.fact, v.number, w.author, w.session, v.value, v.tags, v.sources, v.confidence,
v.success, v.minor_failure, v.failure, v.critical_failure, v.unknown, v.created_at, v.superseded_at, v.confirmed_at,
v.confirmed_by, v.erased_at, v.salt, v.prev_hash, v.body_hash, v.hash, v.leaf

-- name: fact_current
-- Unique index of facts on (project, scope, key); versions and writers by primary key.
SELECT {{version}} FROM facts f JOIN versions v ON v.seq = f.seq JOIN writers w ON w.id = v.writer
WHERE f.project = ?1 AND f.scope = ?2 AND f.key = ?3;

-- name: fact_version
-- Unique indexes of facts on (project, scope, key) and of versions on (fact, number).
SELECT {{version}} FROM facts f JOIN versions v ON v.fact = f.id JOIN writers w ON w.id = v.writer
WHERE f.project = ?1 AND f.scope = ?2 AND f.key = ?3 AND v.number = ?4;

-- name: fact_as_of
-- As fact_version; walks the versions from the newest.
SELECT {{version}} FROM facts f JOIN versions v ON v.fact = f.id JOIN writers w ON w.id = v.writer
WHERE f.project = ?1 AND f.scope = ?2 AND f.key = ?3 AND v.created_at <= ?4 ORDER BY v.number DESC LIMIT 1;

-- name: fact_versions
-- As fact_version.
SELECT {{version}} FROM facts f JOIN versions v ON v.fact = f.id JOIN writers w ON w.id = v.writer
WHERE f.project = ?1 AND f.scope = ?2 AND f.key = ?3 AND v.number > ?4 ORDER BY v.number LIMIT ?5;

-- name: fact_head
-- Unique index of facts on (project, scope, key).
SELECT id, seq, number FROM facts WHERE project = ?1 AND scope = ?2 AND key = ?3;

-- name: fact_insert
-- Unique index of facts.
INSERT INTO facts (project, scope, key, seq, number, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING id;

-- name: fact_update
-- Primary key.
UPDATE facts SET seq = ?2, number = ?3, hash = ?4 WHERE id = ?1;

-- name: fact_heads
-- Unique index of facts on (project, scope, key), as a range.
SELECT project, scope, key, number, hash FROM facts
WHERE (project, scope, key) > (?1, ?2, ?3) ORDER BY project, scope, key LIMIT ?4;

-- name: fact_leaves
-- Unique index of versions on leaf; facts and writers by primary key.
SELECT {{version}} FROM versions v JOIN facts f ON f.id = v.fact JOIN writers w ON w.id = v.writer
WHERE v.leaf >= ?1 ORDER BY v.leaf LIMIT ?2;

-- name: fact_before
-- Unique index of writers, index versions_writer (its rows are in order of seq); facts by primary key.
SELECT {{version}} FROM writers w JOIN versions v ON v.writer = w.id JOIN facts f ON f.id = v.fact
WHERE w.author = ?1 AND w.session = ?2 AND w.project = ?3 AND v.seq < ?4 ORDER BY v.seq DESC LIMIT ?5;

-- name: fact_after
-- As fact_before.
SELECT {{version}} FROM writers w JOIN versions v ON v.writer = w.id JOIN facts f ON f.id = v.fact
WHERE w.author = ?1 AND w.session = ?2 AND w.project = ?3 AND v.seq > ?4 ORDER BY v.seq LIMIT ?5;

-- name: writer_get
-- Unique index of writers.
SELECT id FROM writers WHERE author = ?1 AND session = ?2 AND project = ?3;

-- name: writer_put
-- Unique index of writers.
INSERT INTO writers (author, session, project) VALUES (?1, ?2, ?3) RETURNING id;

-- name: version_insert
-- Primary key and unique indexes of versions.
INSERT INTO versions (seq, fact, number, writer, value, tags, sources, confidence, success, minor_failure, failure,
    critical_failure, unknown, created_at, superseded_at, confirmed_at, confirmed_by, erased_at, salt, prev_hash,
    body_hash, hash, leaf)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23);

-- name: version_supersede
-- Primary key.
UPDATE versions SET superseded_at = ?2 WHERE seq = ?1;

-- name: version_opinion
-- Primary key.
UPDATE versions SET confidence = ?2, success = ?3, minor_failure = ?4, failure = ?5, critical_failure = ?6, unknown = ?7
WHERE seq = ?1;

-- name: version_confirm
-- Primary key.
UPDATE versions SET confirmed_by = ?2, confirmed_at = ?3 WHERE seq = ?1;

-- name: version_erase
-- Primary key.
UPDATE versions SET value = NULL, tags = NULL, sources = NULL, salt = NULL, erased_at = ?2 WHERE seq = ?1
RETURNING fact;

-- name: version_exists
-- Primary key.
SELECT 1 FROM versions WHERE seq = ?1;

-- name: erasure_insert
-- Primary key and unique index of erasures.
INSERT INTO erasures (leaf, version, fact, number, target, by, at, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8);

-- name: erasure_of
-- Unique index of erasures on version; facts by primary key.
SELECT e.leaf, e.version, f.project, f.scope, f.key, e.number, e.target, e.by, e.at, e.hash
FROM erasures e JOIN facts f ON f.id = e.fact WHERE e.version = ?1;

-- name: erasure_leaves
-- Primary key of erasures; facts by primary key.
SELECT e.leaf, e.version, f.project, f.scope, f.key, e.number, e.target, e.by, e.at, e.hash
FROM erasures e JOIN facts f ON f.id = e.fact WHERE e.leaf >= ?1 ORDER BY e.leaf LIMIT ?2;

-- name: erase_requests
-- Partial index requests_version.
UPDATE requests SET result = NULL, content = zeroblob(32) WHERE version = ?1 AND version > 0;

-- name: erase_notes
-- Index outcomes_version.
UPDATE outcomes SET note = '' WHERE version = ?1 AND note <> '';

-- name: names_by_key
-- Index facts_key.
SELECT project, scope, key FROM facts WHERE project = ?1 AND key = ?2 ORDER BY id LIMIT ?3;

-- name: names_by_scope
-- Unique index of facts on (project, scope, key).
SELECT project, scope, key FROM facts WHERE project = ?1 AND scope = ?2 ORDER BY key LIMIT ?3;

-- name: names_by_scope_range
-- Unique index of facts on (project, scope, key), as a range.
SELECT project, scope, key FROM facts WHERE project = ?1 AND scope >= ?2 AND scope < ?3 ORDER BY scope, key LIMIT ?4;

-- name: names_by_key_range
-- Index facts_key, as a range.
SELECT project, scope, key FROM facts WHERE project = ?1 AND key >= ?2 AND key < ?3 ORDER BY key LIMIT ?4;

-- name: projects
-- Unique index of facts, jumping from the first name of a project to the first of the next.
WITH RECURSIVE p (project) AS (
    SELECT min(project) FROM facts
    UNION ALL
    SELECT (SELECT min(f.project) FROM facts f WHERE f.project > p.project) FROM p WHERE p.project IS NOT NULL
)
SELECT project FROM p WHERE project IS NOT NULL;
