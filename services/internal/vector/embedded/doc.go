// Package embedded is the vector index inside the process: an exact scan over
// vectors in memory, and BM25 over postings beside them.
//
// Exact is fast enough. Ten thousand vectors of 256 values take about a
// millisecond on one core, so no approximate structure earns its keep below
// several hundred thousand, and every answer is simply right. Where the processor
// can, a scan first reads a byte for each value, which bounds what a row can
// score, and looks exactly only at rows that can still be among the best: a
// quarter of the memory, and the same rows as an answer.
//
// The rows behind the vectors are kept with them, and the order of their sessions:
// three kilobytes a memory in all, so that a search asks Postgres for nothing.
//
// A tenant is read from Postgres when it is first asked for and forgotten when
// others need the memory, least recently used first. Nothing is written to disk.
//
// No more scans run at once than there are processors. The scheduler gives each
// goroutine a slice of 10 ms: with thirty scans on two processors some would wait
// for many slices while others finish again and again (p99 at 10 K and 32
// clients: 350 ms without the bound, 20 ms with it). Those that wait share the
// next pass: a large tenant is bound by memory, and reading a block once for four
// searches costs little more than for one.
package embedded
