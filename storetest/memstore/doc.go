// Package memstore is a testigo.Store that lives in memory, for tests and simulations. It passes the suite in package
// storetest, so that a rule tested on it holds on a real database too, at a few microseconds a step.
//
// Every table is a persistent tree: changing it copies the path to the root and shares the rest. A state of the store is
// therefore a handful of root pointers:
//
//	head ──→ state 7 ──→ roots           readers keep the state they started with
//	           │ copied by Write
//	           └──→ state 8 ──→ roots    published when fn returned nil, forgotten otherwise
//
// That gives snapshot readers, transactions that leave nothing when they fail, and writers that never wait for readers.
//
// What it does not do: keep anything after the process ends, and let a reader or transaction be used after its function
// returned (it answers CodeInternal, so that tests find the mistake). Only tests import it.
package memstore
