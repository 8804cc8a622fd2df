-- Deliveries, the engine's lease and its notices. Lists come by the narrowest of nine ways in; what else a filter says is
-- checked on the row. Parameters of all lists, in this order: states (JSON list), recipient, sender, original, due by, not
-- final (1), limit.

-- fragment: delivery
d.id, d.sender, d.recipient, d.place, d.priority, d.request, d.body, d.provider, d.endpoint, d.cwd, d.settings, d.state,
d.attempts, d.version, d.created_at, d.updated_at, d.next_check, d.not_before, d.detail, d.receipt, d.duplicate_of, d.lease

-- fragment: delivery_rest
(?1 = '' OR d.state IN (SELECT value FROM json_each(?1))) AND (?2 = '' OR d.recipient = ?2) AND (?3 = '' OR d.sender = ?3)
AND (?4 = '' OR d.duplicate_of = ?4) AND (?5 IS NULL OR d.next_check <= ?5)
AND (?6 = 0 OR d.state <> 'FAILED' OR d.final = 0)

-- The order of either kind of list: by next check when it asks what is due, as queues do otherwise.
-- fragment: delivery_order
ORDER BY CASE WHEN ?5 IS NULL THEN NULL ELSE d.next_check END,
    CASE WHEN ?5 IS NULL THEN d.priority END DESC, d.place, d.id LIMIT ?7

-- name: delivery_get
-- Primary key.
SELECT {{delivery}} FROM deliveries d WHERE d.id = ?1;

-- name: deliveries_due
-- Partial index deliveries_due, in its order: live rows only.
SELECT {{delivery}} FROM deliveries d INDEXED BY deliveries_due
WHERE d.live = 1 AND d.next_check IS NOT NULL AND d.next_check <= ?5 AND {{delivery_rest}}
ORDER BY d.next_check, d.place, d.id LIMIT ?7;

-- name: deliveries_late
-- Partial index deliveries_due. What is due, live or not, is sorted.
SELECT {{delivery}} FROM deliveries d INDEXED BY deliveries_due
WHERE d.live IN (0, 1) AND d.next_check IS NOT NULL AND d.next_check <= ?5 AND {{delivery_rest}}
ORDER BY d.next_check, d.place, d.id LIMIT ?7;

-- name: deliveries_queue
-- Partial index deliveries_queue, in its order: live rows of a recipient.
SELECT {{delivery}} FROM deliveries d INDEXED BY deliveries_queue
WHERE d.live = 1 AND d.recipient = ?2 AND {{delivery_rest}}
ORDER BY d.priority DESC, d.place, d.id LIMIT ?7;

-- name: deliveries_repeats
-- Partial index deliveries_repeats. Few wait on one original, so they are sorted.
SELECT {{delivery}} FROM deliveries d INDEXED BY deliveries_repeats
WHERE d.duplicate_of = ?4 AND d.duplicate_of > '' AND {{delivery_rest}} {{delivery_order}};

-- name: deliveries_waiting
-- Index deliveries_recipient. One recipient's rows in the states asked for are sorted.
SELECT {{delivery}} FROM deliveries d INDEXED BY deliveries_recipient
WHERE d.recipient = ?2 AND d.state IN (SELECT value FROM json_each(?1)) AND {{delivery_rest}} {{delivery_order}};

-- name: deliveries_to
-- Index deliveries_recipient. All that one recipient ever had is sorted.
SELECT {{delivery}} FROM deliveries d INDEXED BY deliveries_recipient WHERE d.recipient = ?2 AND {{delivery_rest}} {{delivery_order}};

-- name: deliveries_sent
-- Index deliveries_sender. All that one sender ever sent is sorted.
SELECT {{delivery}} FROM deliveries d INDEXED BY deliveries_sender WHERE d.sender = ?3 AND {{delivery_rest}} {{delivery_order}};

-- name: deliveries_in
-- Index deliveries_state. All in these states are sorted.
SELECT {{delivery}} FROM deliveries d INDEXED BY deliveries_state
WHERE d.state IN (SELECT value FROM json_each(?1)) AND {{delivery_rest}} {{delivery_order}};

-- name: deliveries_any
-- Exception: sorts all deliveries, for a list without a filter.
SELECT {{delivery}} FROM deliveries d WHERE {{delivery_rest}} {{delivery_order}};

-- name: deliveries_count
-- Exception: counts all deliveries by index deliveries_state.
SELECT state, count(*) FROM deliveries GROUP BY state;

-- name: delivery_next
-- Partial index deliveries_due, its first live row.
SELECT next_check FROM deliveries INDEXED BY deliveries_due WHERE live = 1 AND next_check IS NOT NULL
ORDER BY next_check LIMIT 1;

-- name: handoffs_unenrolled
-- Agents by primary key, whole, because they are few; for each partial index handoffs_unenrolled; packets and deliveries by
-- primary key. What waits is sorted.
SELECT {{handoff}}
FROM agents a CROSS JOIN handoffs h INDEXED BY handoffs_unenrolled ON h.recipient = a.name AND h.created_at >= a.addressed_at
JOIN packets p ON p.handoff = h.seq
WHERE a.name > '' AND a.provider > '' AND a.provider <> ?1 AND h.enrolled = 0 AND h.state = 'open' AND h.read_at IS NULL
    AND h.kind <> 'notification' AND h.recipient > '' AND (p.expires_at IS NULL OR p.expires_at > ?2)
    AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.id = h.id)
ORDER BY h.seq LIMIT ?3;

-- name: delivery_insert
-- Primary key of deliveries; the trigger finds the handoff by its unique index on id.
INSERT INTO deliveries (id, sender, recipient, place, priority, request, body, provider, endpoint, cwd, settings, state,
    live, attempts, version, created_at, updated_at, next_check, not_before, detail, receipt, final, duplicate_of, lease)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24);

-- name: delivery_move
-- Primary key.
UPDATE deliveries SET state = ?5, live = ?6, priority = ?7, request = ?8, attempts = ?9, version = version + 1,
    updated_at = ?10, next_check = ?11, not_before = ?12, detail = ?13, receipt = ?14, final = ?15, duplicate_of = ?16,
    lease = ?17
WHERE id = ?1 AND state = ?2 AND request = ?3 AND version = ?4;

-- name: delivery_state
-- Primary key.
SELECT state, request, version FROM deliveries WHERE id = ?1;

-- name: lease_get
-- Primary key.
SELECT generation, pid, pid_started, pid_boot, name, taken_at, renewed_at, until FROM lease WHERE one = 1;

-- name: lease_put
-- Primary key.
INSERT INTO lease (one, generation, pid, pid_started, pid_boot, name, taken_at, renewed_at, until)
VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
ON CONFLICT (one) DO UPDATE SET generation = ?1, pid = ?2, pid_started = ?3, pid_boot = ?4, name = ?5, taken_at = ?6,
    renewed_at = ?7, until = ?8;

-- name: notice_get
-- Primary key.
SELECT at FROM notices WHERE handoff = ?1 AND kind = ?2;

-- name: notice_put
-- Primary key.
INSERT INTO notices (handoff, kind, at) VALUES (?1, ?2, ?3);
