-- What CheckIndex asks. Tables are walked in short reads: an "end" query says where the next piece of a table ends, the
-- checks look at the rows after ?1 up to ?2 and list at most ?3 of what is wrong, always as project, scope, key, number,
-- leaf, and what else names the row.

-- fragment: no_time
NOT BETWEEN -62167219200000 AND 253402300799999

-- fragment: no_fact
'', '', '', 0, -1

-- name: schema_names
-- Exception: SQLite's own table of tables, which is small.
SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite\_%' ESCAPE '\';

-- name: page_check
-- SQLite's own check of one table and its indexes; of an index for full text, whether it agrees with itself.
SELECT quick_check FROM pragma_quick_check(?1, 'main') LIMIT ?2;

-- name: end_versions
-- Primary key, as a range.
SELECT coalesce(max(seq), ?1) FROM (SELECT seq FROM versions WHERE seq > ?1 ORDER BY seq LIMIT ?2);

-- name: end_facts
-- Primary key, as a range.
SELECT coalesce(max(id), ?1) FROM (SELECT id FROM facts WHERE id > ?1 ORDER BY id LIMIT ?2);

-- name: end_pins
-- Primary key, as a range; all pins of the last handoff belong to the piece.
SELECT coalesce(max(handoff), ?1) FROM (SELECT handoff FROM pins WHERE handoff > ?1 ORDER BY handoff LIMIT ?2);

-- name: end_handoffs
-- Primary key, as a range.
SELECT coalesce(max(seq), ?1) FROM (SELECT seq FROM handoffs WHERE seq > ?1 ORDER BY seq LIMIT ?2);

-- name: end_packets
-- Primary key, as a range.
SELECT coalesce(max(handoff), ?1) FROM (SELECT handoff FROM packets WHERE handoff > ?1 ORDER BY handoff LIMIT ?2);

-- name: end_outcomes
-- Primary key, as a range.
SELECT coalesce(max(seq), ?1) FROM (SELECT seq FROM outcomes WHERE seq > ?1 ORDER BY seq LIMIT ?2);

-- name: end_events
-- Primary key, as a range.
SELECT coalesce(max(seq), ?1) FROM (SELECT seq FROM events WHERE seq > ?1 ORDER BY seq LIMIT ?2);

-- name: end_requests
-- Primary key, as a range.
SELECT coalesce(max(id), ?1) FROM (SELECT id FROM requests WHERE id > ?1 ORDER BY id LIMIT ?2);

-- name: end_touched
-- Primary key, as a range.
SELECT coalesce(max(seq), ?1) FROM (SELECT seq FROM touched WHERE seq > ?1 ORDER BY seq LIMIT ?2);

-- name: end_entries
-- Primary key of the index's table of row sizes, as a range.
SELECT coalesce(max(id), ?1) FROM (SELECT id FROM fact_fts_docsize WHERE id > ?1 ORDER BY id LIMIT ?2);

-- name: check_confidence
-- Primary key of versions, as a range; facts by primary key.
SELECT f.project, f.scope, f.key, v.number, v.leaf, ''
FROM versions v LEFT JOIN facts f ON f.id = v.fact
WHERE v.seq > ?1 AND v.seq <= ?2 AND NOT (v.confidence >= 0 AND v.confidence <= 1) LIMIT ?3;

-- name: check_opinion
-- Primary key of versions, as a range; index outcomes_version, from its end; facts by primary key.
SELECT f.project, f.scope, f.key, v.number, v.leaf, ''
FROM versions v LEFT JOIN facts f ON f.id = v.fact
WHERE v.seq > ?1 AND v.seq <= ?2
    AND v.confidence <> (SELECT o.after FROM outcomes o WHERE o.version = v.seq ORDER BY o.seq DESC LIMIT 1)
LIMIT ?3;

-- name: check_unindexed
-- Primary key of facts, as a range; versions and fact_text by primary key.
SELECT f.project, f.scope, f.key, v.number, v.leaf, ''
FROM facts f JOIN versions v ON v.seq = f.seq LEFT JOIN fact_text t ON t.seq = v.seq
WHERE f.id > ?1 AND f.id <= ?2 AND t.seq IS NULL AND v.erased_at IS NULL LIMIT ?3;

-- name: check_no_text
-- Primary key of the index's table of row sizes, as a range; fact_text, versions and facts by primary key.
SELECT f.project, f.scope, f.key, v.number, v.leaf, ''
FROM fact_fts_docsize d LEFT JOIN fact_text t ON t.seq = d.id
LEFT JOIN versions v ON v.seq = d.id LEFT JOIN facts f ON f.id = v.fact
WHERE d.id > ?1 AND d.id <= ?2 AND t.seq IS NULL LIMIT ?3;

-- name: check_texts
-- Primary key of fact_text, as a range; the index's table of row sizes, versions and facts by primary key.
SELECT t.seq, t.filter, t.body, t.context, d.sz,
    v.seq IS NOT NULL AND f.seq IS v.seq AND v.superseded_at IS NULL AND v.erased_at IS NULL,
    f.project, f.scope, f.key, v.number, v.leaf
FROM fact_text t LEFT JOIN fact_fts_docsize d ON d.id = t.seq
LEFT JOIN versions v ON v.seq = t.seq LEFT JOIN facts f ON f.id = v.fact
WHERE t.seq > ?1 ORDER BY t.seq LIMIT ?2;

-- name: check_found
-- Full text, restricted to one row.
SELECT count(*) FROM fact_fts WHERE fact_fts MATCH ?1 AND rowid = ?2;

-- name: check_pins
-- Primary key of pins, as a range; unique indexes of facts and of versions; handoffs by primary key.
SELECT p.project, p.scope, p.key, p.number, -1, coalesce(h.id, '')
FROM pins p LEFT JOIN handoffs h ON h.seq = p.handoff
LEFT JOIN facts f ON f.project = p.project AND f.scope = p.scope AND f.key = p.key
LEFT JOIN versions v ON v.fact = f.id AND v.number = p.number
WHERE p.handoff > ?1 AND p.handoff <= ?2 AND v.seq IS NULL LIMIT ?3;

-- name: check_no_packet
-- Primary key of handoffs, as a range; packets by primary key.
SELECT {{no_fact}}, h.id FROM handoffs h LEFT JOIN packets p ON p.handoff = h.seq
WHERE h.seq > ?1 AND h.seq <= ?2 AND p.handoff IS NULL LIMIT ?3;

-- name: check_no_handoff
-- Primary key of packets, as a range; handoffs by primary key.
SELECT {{no_fact}}, p.title FROM packets p LEFT JOIN handoffs h ON h.seq = p.handoff
WHERE p.handoff > ?1 AND p.handoff <= ?2 AND h.seq IS NULL LIMIT ?3;

-- name: check_outcomes
-- Primary key of outcomes, as a range.
SELECT o.project, o.scope, o.key, o.number, -1, o.agent FROM outcomes o
WHERE o.seq > ?1 AND o.seq <= ?2 AND o.at {{no_time}} LIMIT ?3;

-- name: check_events
-- Primary key of events, as a range.
SELECT {{no_fact}}, e.subject FROM events e
WHERE e.seq > ?1 AND e.seq <= ?2 AND (e.at {{no_time}} OR NOT json_valid(e.data)) LIMIT ?3;

-- name: check_requests
-- Primary key of requests, as a range.
SELECT {{no_fact}}, r.agent || ' ' || r.key FROM requests r
WHERE r.id > ?1 AND r.id <= ?2 AND (r.at {{no_time}} OR NOT json_valid(r.result)) LIMIT ?3;

-- name: check_touched
-- Primary key of touched, as a range.
SELECT t.project, t.scope, t.key, t.number, -1, t.agent FROM touched t
WHERE t.seq > ?1 AND t.seq <= ?2 AND t.at {{no_time}} LIMIT ?3;

-- name: check_agents
-- Primary key, whole: agents are few.
SELECT {{no_fact}}, a.name FROM agents a
WHERE a.name > '' AND (NOT json_valid(a.settings) OR a.addressed_at {{no_time}} OR a.first_seen {{no_time}} OR a.last_seen {{no_time}})
LIMIT ?1;

-- name: check_connections
-- Primary key, whole: rules are few.
SELECT {{no_fact}}, c.sender || ' to ' || c.recipient FROM connections c WHERE c.sender >= '' AND c.updated_at {{no_time}} LIMIT ?1;

-- name: check_settings
-- Primary key, whole: settings are few.
SELECT {{no_fact}}, s.name FROM settings s WHERE s.name > '' AND NOT json_valid(s.value) LIMIT ?1;

-- name: check_late_leaves
-- Unique index of versions on leaf, as a range; facts by primary key.
SELECT f.project, f.scope, f.key, v.number, v.leaf, '' FROM versions v LEFT JOIN facts f ON f.id = v.fact
WHERE v.leaf >= ?1 ORDER BY v.leaf LIMIT ?2;

-- name: check_late_erasures
-- Primary key of erasures, as a range; facts by primary key.
SELECT f.project, f.scope, f.key, e.number, e.leaf, '' FROM erasures e LEFT JOIN facts f ON f.id = e.fact
WHERE e.leaf >= ?1 ORDER BY e.leaf LIMIT ?2;

-- name: largest_seq
-- Primary keys, their ends.
SELECT max(coalesce((SELECT max(seq) FROM versions), 0), coalesce((SELECT max(seq) FROM outcomes), 0),
    coalesce((SELECT max(seq) FROM touched), 0), coalesce((SELECT max(seq) FROM handoffs), 0),
    coalesce((SELECT max(seq) FROM events), 0));
