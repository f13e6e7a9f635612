// Package indexing says what a memory is to an index: its words, its vector, its
// state, and how a tenant's rows in Postgres become documents.
//
// It reads the truth and asks the embedder for what the truth has no vector of
// yet; what was asked once is kept and never asked again. While the embedder
// cannot be asked, documents come without a vector: a new memory is found by its
// words at once and by its meaning later.
//
// A [Follower] keeps an index in memory from growing stale in a process that
// nobody tells of changes.
package indexing
