// Package indexing turns the rows of Postgres into documents of an index: the words,
// the vector and the state of each memory.
//
// A [Truth] reads the rows and asks the embedder for vectors that are not stored yet. A
// vector that was made is stored and never asked for again. While the embedder cannot
// be called, documents come without a vector: a new memory is found by its words at
// once and by its meaning later.
//
// A [Follower] brings an index in memory up to date before each search, in a process
// that receives no change events.
package indexing
