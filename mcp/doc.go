// Package mcp is the face that agents see: the use cases of packages memory and handoff as tools of the Model Context
// Protocol, over standard input and output.
//
// What it promises:
//
//   - Both eras of the protocol work on one connection: initialize (2024-11-05 to 2025-11-25) and the stateless requests
//     of 2026-07-28. initialize and tools/list answer before the store is open.
//   - No input ends the session except its end. Rubbish is answered and the next line is read.
//   - Who is asking comes from the connection. An argument that claims an identity is refused.
//   - Arguments are honoured or refused, never ignored; a call that is refused has written nothing.
//   - An answer stays below 8 KiB unless the call asked for more with max_chars, and says what it left out.
//   - Text and structured content carry the same JSON, and numbers keep every digit.
//   - A call that waits for news holds up no other, and ends with its time, its client or the session.
//   - The list of tools is the same for everybody: the agent's name stands in the server's instructions only.
//
// One line on its way through:
//
//	In → lines → inspect ─────→ Connection ──→ SDK ──→ tool ──→ arguments ──→ memory, handoff
//	       │        └ rubbish: answered here      ↑                                 │
//	       └ end of input: drain, then stop       └── Result{text = structured} ←── fit
//
// The server ends when its input ends, its context is done, or its parent has died; it then stores what its sessions have
// seen and closes the store.
package mcp
