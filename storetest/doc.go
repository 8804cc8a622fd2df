// Package storetest is the definition of a store that works: the suite that every testigo.Store passes, whatever it is
// made of. A rule about stores that is not written here as a test is not a rule.
//
// A store's own test is one call:
//
//	func TestConformance(t *testing.T) {
//		t.Parallel()
//		storetest.Run(t, func(t *testing.T, o storetest.Options) testigo.Store {
//			s, err := sqlite.Open(t.Context(), filepath.Join(o.Place, "testigo.db"), …)
//			…
//			return s
//		})
//	}
//
// Opening the same Options.Place again gives a second handle on the same data. That is how the suite asks what another
// process sees, and what is left after the last handle was closed.
//
//	Run ─┬─ facts, history, search, opinions, erase, log          what a fact is
//	     ├─ handoffs, filters, inbox, work, claims, records       what passes between agents
//	     ├─ deliveries, moves, queues, leases, notices, unenrolled  what an engine keeps
//	     ├─ agents, connections, settings                         who they are, and who may send to whom
//	     ├─ transactions, concurrency, handles                    what is promised about time, order and disk
//	     └─ model     random programs on the store and on package memstore, every answer compared
//
// The suite sees a store only through its interface. It sleeps nowhere, runs in parallel, and says nothing about ranking,
// about file formats, or about what the contract leaves open (the order of HandoffsByPrefix, the ranks of NamesNear).
package storetest
