// Package corpus makes facts and questions to measure with: synthetic English of 200 to 400 bytes, the same for the same
// seed on every machine.
//
// What it imitates of real notes, because the cost of writing and searching depends on it:
//
//   - words come by Zipf's law from 30,000 invented ones, with English endings so that the stemmer has work, and four of
//     ten are English function words, which search drops;
//   - each fact belongs to one of 50 topics, which is its scope; a topic prefers 300 words of its own;
//   - some facts hold identifiers (camelCase, TKT-204, a/path.go);
//   - every tenth write is a new version of an older fact, half as old as the store.
//
// Questions take three to six words of a fact. Their common words make a full-text query expensive, as real ones do.
package corpus
