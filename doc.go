// Package testigo is the domain of Testigo: shared versioned memory and handoffs for AI coding agents.
//
// What it promises:
//
//   - A fact is a JSON value under scope/key. Every write is a new immutable version in a hash chain; nothing is
//     overwritten. Confidence and outcome counts are opinions about a version and do move.
//   - A handoff packet pins exact versions. Whoever picks it up is told which of them are no longer current, and is never
//     silently given the newer value.
//   - A claim on a packet is held by one (agent, session) under a generation number, so that a holder who was replaced
//     cannot finish over its successor.
//   - What was acknowledged is on disk.
//
// The package imports the standard library only. Around it:
//
//	cli  mcp                      faces: parse, call a use case, print
//	 └────┴─→ memory  handoff     use cases: the rules, each written once
//	             │        ↘
//	             │   search redact workspace witness canonical proc    leaves
//	             ↓
//	          testigo             this package: types, tables, the Store interface
//	             ↑
//	       sqlite  storetest      technologies that implement it
package testigo
