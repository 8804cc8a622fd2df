-- Counts for people. These scan; nothing on a hot path asks them.

-- name: stats_counts
-- Exception: counts whole tables.
SELECT (SELECT count(*) FROM facts), (SELECT count(*) FROM versions), (SELECT count(*) FROM erasures),
    (SELECT count(*) FROM outcomes), (SELECT count(*) FROM agents), (SELECT count(*) FROM events);

-- name: stats_authors
-- Exception: groups all versions by writer, then the few writers by author.
SELECT w.author, sum(s.n), sum(s.total) / sum(s.n)
FROM (SELECT writer, count(*) AS n, sum(confidence) AS total FROM versions GROUP BY writer) s
JOIN writers w ON w.id = s.writer GROUP BY w.author ORDER BY w.author;

-- name: stats_scopes
-- Exception: walks all facts by their unique index; versions by primary key.
SELECT f.project, CASE instr(f.scope, '/') WHEN 0 THEN f.scope ELSE substr(f.scope, 1, instr(f.scope, '/') - 1) END AS first,
    count(*), sum(v.confidence)
FROM facts f JOIN versions v ON v.seq = f.seq GROUP BY f.project, first ORDER BY f.project, first;

-- name: stats_handoffs
-- Exception: counts all handoffs by index handoffs_state.
SELECT state, count(*) FROM handoffs GROUP BY state;
