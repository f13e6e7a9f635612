// Package indexing says what a memory is to an index: its words, its vector, its
// state, and how a tenant's rows in Postgres become documents.
//
// It reads the truth and asks the embedder for what the truth has no vector of
// yet; what was asked once is kept and never asked again. Writing documents into
// an index, and which index, is the caller's.
package indexing
