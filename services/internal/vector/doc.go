// Package vector is the port of Winnow's index: it finds texts near in meaning (dense
// vectors) and in words (BM25), within one tenant and the named scopes.
//
// The index is a projection. Postgres holds every row and every vector, so each
// decision is checked again there, and a lost index loses no data ([Reconcile] fills it
// anew). All drivers answer alike: the same filter, the same comparison (similar is
// strictly greater, D1), the same BM25, ties by id. Fusion, boosts and clustering are
// pure functions in other packages and never part of a driver.
//
// Each embedding generation has one collection: vectors of two models are never
// compared. A new generation fills while the active one serves, and a switch moves one
// pointer.
//
// The drivers are embedded (exact scan in this process) and qdrant. Package vectortest
// checks both against this contract.
package vector
