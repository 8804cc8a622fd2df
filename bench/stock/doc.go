// Package stock fills stores to measure with, and computes the rows that bare SQL writes.
//
// A large store is not made by a million calls of remember, whose durable commit alone takes longer than all the rest, but
// by store.Write with 500 versions in each transaction. Every version is made as remember makes it: canonical value, salt,
// body hash, link to the version before, index text with the context of the two facts written before it in the session,
// leaf and frontier of the log. So verify finds nothing wrong with it and a search cannot tell the difference. What is left
// out: the redaction gate, the project's discovery, and what sessions touched.
//
// Stores of one work directory are kept for the programs that come later: stock-10000.db is the start of stock-100000.db.
package stock
