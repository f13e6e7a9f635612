// Package vector says what Winnow needs from its index: near texts by meaning
// (dense vectors) and by words (BM25), within one tenant and the scopes named.
//
// The index is a projection. Postgres holds every row and every vector, so any
// answer that decides something is decided again from there, and losing the
// index loses nothing ([Reconcile] fills it anew). What the port promises is
// that all drivers answer alike: the same filter, the same comparison (similar
// is strictly greater, D1), the same BM25, ties by id. Fusion, boosts and
// clustering are pure functions elsewhere and never a driver's.
//
// One collection exists for each embedding generation: vectors of two models
// are never compared. A generation fills beside the one that serves, and a
// switch moves one pointer.
//
// The drivers are embedded (exact scan in this process) and qdrant. Package
// vectortest holds both to this contract.
package vector
