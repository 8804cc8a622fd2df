// Package redact is the gate in front of every write: facts, packets, observations, imports, titles, commit messages,
// library records, and the spool a failed write goes to. Nothing is written that has not been through it.
//
//	text ─▶ <private>, keys, tokens   ─┐
//	     ─▶ upstream rules, by keyword ├─▶ settle ─▶ [redacted:<rule>] ─▶ again, until nothing is found
//	     ─▶ values beside their names ─┘
//
// Text takes a string and JSON a document; both replace what they find by `[redacted:<rule>]` and count it. Whole and
// WholeJSON say when a writer should be refused instead, because the secret is all there is. IgnoredFile says which
// files are never read at all.
//
// What it promises:
//
//   - Redacting twice is redacting once. A marker is left alone, but only one that names a rule which exists.
//   - What is not removed keeps its bytes, in JSON down to white space and the way numbers are written.
//   - The text that was removed is in no result and no error.
//   - A comment such as `gitleaks:allow` lets nothing through: who writes a text does not decide what is secret.
//   - Digests, commits, UUIDs, paths, and words such as "risk-assessment" stay, and so does the key that AWS prints
//     in its documentation. A digest or commit under a name that holds secrets (`api_token: <hex>`) is removed, as
//     many keys look exactly so; a UUID stays even there.
//   - Nothing is read or compiled before the first call; then only the rules whose keyword occurs are.
//
// What it does not promise:
//
//   - It does not find a secret that has neither a known shape nor a name beside it, nor a plain word used as a
//     password outside an address or connection string.
//   - It does not decode: a secret in base64, hex or a compressed attachment passes, unless it is a JSON string.
//   - It does not join: a secret or a `<private>` mark spread over two strings of a document is two texts, and a mark
//     without an end hides the rest of its own string only. Numbers are not looked at.
//   - Rules of the kind "vendor's name, then 32 hex digits" take a digest for a key when that name stands before it.
//
// The rules come from gitleaks' configuration, which is part of the program; its detector and its path, commit and
// comment exceptions are not used.
package redact
