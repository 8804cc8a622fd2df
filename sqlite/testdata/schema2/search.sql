-- The search index. {{candidate}} is a version with its index text.

-- fragment: candidate
{{version}}, t.filter, t.body, t.context

-- fragment: candidate_of
JOIN fact_text t ON t.seq = c.seq JOIN versions v ON v.seq = c.seq
JOIN facts f ON f.id = v.fact JOIN writers w ON w.id = v.writer

-- name: text_insert
-- Primary key.
INSERT INTO fact_text (seq, filter, body, context, body_terms, context_terms) VALUES (?1, ?2, ?3, ?4, ?5, ?6);

-- name: text_get
-- Primary key.
SELECT filter, body, context, body_terms, context_terms FROM fact_text WHERE seq = ?1;

-- name: text_delete
-- Primary key.
DELETE FROM fact_text WHERE seq = ?1 RETURNING body_terms, context_terms;

-- name: index_insert
-- The index takes what text_insert stored.
INSERT INTO fact_fts (rowid, filter, body, context) VALUES (?1, ?2, ?3, ?4);

-- name: index_delete
-- Primary key. The index has to be told the text that it indexed, so this goes before text_delete.
INSERT INTO fact_fts (fact_fts, rowid, filter, body, context)
SELECT 'delete', seq, filter, body, context FROM fact_text WHERE seq = ?1;

-- name: search_ranked
-- Full text; the rest by primary key. The context counts about a ninth of the body, the filter nothing. bm25() by name and
-- not the hidden column rank: that one sorts every match, this one keeps the best.
SELECT {{candidate}}
FROM (SELECT rowid AS seq FROM fact_fts WHERE fact_fts MATCH ?1
      ORDER BY bm25(fact_fts, 0, 3, 0.35) LIMIT ?2) c
{{candidate_of}};

-- name: search_ranked_sure
-- As search_ranked, with a least confidence by primary key of versions. Rows come in order of rank and stop at the limit.
SELECT {{candidate}}
FROM (SELECT rowid AS seq FROM fact_fts WHERE fact_fts MATCH ?1 AND rank MATCH 'bm25(0, 3, 0.35)'
        AND (SELECT s.confidence FROM versions s WHERE s.seq = fact_fts.rowid) >= ?3
      ORDER BY rank LIMIT ?2) c
{{candidate_of}};

-- name: search_newest
-- Primary key of fact_text, from its end; the rest by primary key.
SELECT {{candidate}}
FROM (SELECT n.seq FROM fact_text n JOIN versions s ON s.seq = n.seq
      WHERE n.seq < ?1 AND s.confidence >= ?2 ORDER BY n.seq DESC LIMIT ?3) c
{{candidate_of}} ORDER BY c.seq DESC;

-- name: search_newest_within
-- Full text in descending order of rowid; the rest by primary key.
SELECT {{candidate}}
FROM (SELECT rowid AS seq FROM fact_fts WHERE fact_fts MATCH ?4 AND rowid < ?1
        AND (?2 <= 0 OR (SELECT s.confidence FROM versions s WHERE s.seq = fact_fts.rowid) >= ?2)
      ORDER BY rowid DESC LIMIT ?3) c
{{candidate_of}} ORDER BY c.seq DESC;

-- name: count_matches
-- Full text, at most ?2 rows of it.
SELECT count(*) FROM (SELECT rowid FROM fact_fts WHERE fact_fts MATCH ?1 LIMIT ?2);

-- name: count_matches_sure
-- Full text, at most ?2 rows that count; versions by primary key.
SELECT count(*) FROM (SELECT rowid FROM fact_fts WHERE fact_fts MATCH ?1
        AND (SELECT s.confidence FROM versions s WHERE s.seq = fact_fts.rowid) >= ?3 LIMIT ?2);

-- name: count_sure
-- Primary key of fact_text with a LIMIT; versions by primary key.
SELECT count(*) FROM (SELECT n.seq FROM fact_text n JOIN versions s ON s.seq = n.seq
        WHERE n.seq > 0 AND s.confidence >= ?1 LIMIT ?2);

-- name: term_rows
-- Full text: the first rows of one term. As many as asked for: there may be more, and they reach up to the last one.
SELECT count(*), coalesce(max(rowid), 0) FROM (SELECT rowid FROM fact_fts WHERE fact_fts MATCH ?1 ORDER BY rowid LIMIT ?2);

-- name: text_ends
-- Primary key of fact_text, both ends.
SELECT coalesce((SELECT min(seq) FROM fact_text), 0), coalesce((SELECT max(seq) FROM fact_text), 0);
