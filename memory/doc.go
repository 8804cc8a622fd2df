// Package memory holds the use cases on facts: remember, recall, history, outcomes, statistics, verification, erasure.
// The command line, MCP and every later face call these functions with the same parameter structs, so a rule stands here
// once.
//
// A write goes through these gates, in this order:
//
//	arguments → redact → canonical JSON → sources hashed     outside the transaction
//	request key → unchanged? → expected version? → append    inside it: version, chain link, log leaf, index text
//
// Reading never writes facts. What a session has seen is remembered in its Caller and stored with its next write.
package memory
