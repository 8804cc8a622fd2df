-- Agents with their addresses, who may send to whom, and settings of the whole store.

-- fragment: agent
name, provider, title, endpoint, cwd, settings, paused, addressed_at, first_seen, last_seen

-- name: agent_get
-- Primary key.
SELECT {{agent}} FROM agents WHERE name = ?1;

-- name: agents_list
-- Primary key, whole: agents are few.
SELECT {{agent}} FROM agents WHERE name > '' ORDER BY name;

-- name: agent_put
-- Primary key.
INSERT INTO agents ({{agent}}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
ON CONFLICT (name) DO UPDATE SET provider = ?2, title = ?3, endpoint = ?4, cwd = ?5, settings = ?6, paused = ?7,
    addressed_at = ?8, first_seen = ?9, last_seen = ?10;

-- name: agent_delete
-- Primary key.
DELETE FROM agents WHERE name = ?1;

-- name: connection_get
-- Primary key.
SELECT sender, recipient, allow, updated_at FROM connections WHERE sender = ?1 AND recipient = ?2;

-- name: connections_list
-- Primary key, whole: rules are few.
SELECT sender, recipient, allow, updated_at FROM connections WHERE sender >= '' ORDER BY sender, recipient;

-- name: connection_put
-- Primary key.
INSERT INTO connections (sender, recipient, allow, updated_at) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (sender, recipient) DO UPDATE SET allow = ?3, updated_at = ?4;

-- name: setting_get
-- Primary key.
SELECT value FROM settings WHERE name = ?1;

-- name: setting_put
-- Primary key.
INSERT INTO settings (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2;
