// Package search ranks: it decides which words of a text count, how the two rankings of
// an index are fused, and what is boosted, filtered and cut (SPEC §9, D19).
//
// It computes and does no I/O. The caller embeds the query, asks a [vector.Searcher],
// reads the rows, and calls this package in between; so the embedded index, Qdrant and
// the evaluation rank by the same code.
//
// One [Analyzer] makes the words of documents and of queries. Its name is part of an
// index generation, so postings of two analyzers are never mixed.
package search
