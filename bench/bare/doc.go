// Package bare writes and searches a Testigo store with plain SQL through database/sql: what a program would do that knew
// the rows beforehand and checked nothing. It is the limit the product is measured against, with any driver that registers
// itself with database/sql. It imports the standard library only, so that the module with the C driver can use it.
//
// The store is made by the product, so the tables, the index and every row are the same; so are the pragmas. One write is
//
//	BEGIN IMMEDIATE
//	SELECT the log row, SELECT the fact's head       a correct program cannot do without these two
//	INSERT or UPDATE the fact, INSERT the version    hashes, salt and index text are given with the row
//	INSERT the index text, INSERT into the index     and, for a rewritten fact, take the old one out
//	INSERT what the session touched, UPDATE the log row
//	COMMIT
//
// Left out on purpose: checking and redacting the value, finding the project, tokenising, hashing, the frontier, reading
// the facts written just before, the turnstile. Reading answers rows, not domain types.
package bare
