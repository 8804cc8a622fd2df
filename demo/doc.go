// Package demo tells Testigo's story in two real processes over one database file: a scout looks through a job board,
// remembers what it finds and hands over; an executor that knows nothing else picks the packet up, is told what changed
// meanwhile, acts, and reports how it went.
//
// The agents are scripted. Everything they do goes through the same use cases as a real agent's calls; only their
// judgement is made up. The board, its listings and its source are a fixture.
package demo
