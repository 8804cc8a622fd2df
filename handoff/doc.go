// Package handoff holds the use cases on packets: write one, pick one up, report how it went.
//
// A packet's life is the table in the root package (testigo.CanMove):
//
//	          resume                 record_outcome
//	open ───────────────▶ claimed ───────────────────▶ closed
//	  │  ◀───────────────    │  ▲
//	  │   put back           └──┘ taken over: generation + 1
//	  ▼
//	expired, withdrawn
//
// A claim is held by (agent, session) under a generation. Everything that acts on a claim names both; whoever was
// replaced is told so and changes nothing.
//
// Whether a holder's process still lives is asked outside the transaction; the write then names the generation that was
// judged, so a claim that moved meanwhile is not touched.
package handoff
