// Package embedded is the vector index inside the process: an exact scan over
// vectors in memory, and BM25 over postings beside them.
//
// Exact is fast enough. Ten thousand vectors of 256 values take about a millisecond on
// one core, so an approximate structure does not pay below several hundred thousand,
// and every answer is exact. Where the processor can, a scan first reads one byte for
// each value, which bounds the score of a row, and computes exactly only rows that can
// still be among the best: a quarter of the memory, with the same answer.
//
// The rows behind the vectors and the order of their sessions are stored too, three
// kilobytes a memory in all, so that a search does not ask Postgres.
//
// A tenant is read from Postgres on first use and evicted when others need the memory,
// least recently used first. Nothing is written to disk.
//
// At most one scan for each processor runs at once. The scheduler gives each goroutine
// a slice of 10 ms: with thirty scans on two processors some would wait for many slices
// while others finish again and again (p99 at 10 K and 32 clients: 350 ms without the
// bound, 20 ms with it). Waiting searches share the next pass: a large tenant is bound
// by memory, and reading a block once for four searches costs little more than for one.
package embedded
