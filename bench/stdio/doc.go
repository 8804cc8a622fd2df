// Package stdio is a small MCP client over standard input and output, for measuring servers from the outside. It speaks
// two protocol eras: 2025-06-18 with its handshake, and 2026-07-28, where every request says for itself who asks.
//
// One request is under way at a time. Notifications and log lines of the server are read past.
package stdio
