// Package handoff holds the use cases on handoffs: packets (write one, pick one up, report how it went), messages and
// notifications (send, list, read), work (accept, return, close), and who may write to whom.
//
// A handoff's life is the table in the root package (testigo.CanMove):
//
//	        resume, accept          return_work             close_work
//	open ───────────────▶ claimed ───────────▶ returned ───────────▶ closed
//	  │  ◀───────────────    │ ▲ │                                     ▲
//	  │   put back           │ └─┘ taken over: generation + 1          │
//	  │                      └──── record_outcome (a packet) ──────────┤
//	  ├───────────────────────────  read (a message) ──────────────────┘
//	  ▼
//	expired, withdrawn (withdrawn also from claimed)
//
// A claim is held by (agent, session) under a generation. Everything that acts on a claim names both; whoever was
// replaced is told so and changes nothing.
//
// Whether a holder's process still lives is asked outside the transaction; the write then names the generation that was
// judged, so a claim that moved meanwhile is not touched.
package handoff
