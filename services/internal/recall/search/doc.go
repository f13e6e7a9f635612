// Package search decides what a question finds: which words of a text count,
// how the two rankings of an index become one, and what is boosted, filtered
// and cut (SPEC §9, D19).
//
// It computes and touches nothing. Whoever serves a search embeds the query,
// asks a [vector.Searcher], reads the rows, and calls this package in between;
// so the embedded index, Qdrant and the evaluation answer by the same code.
//
// The words of documents and queries are made by one [Analyzer]. Its name is
// part of an index generation: postings of two analyzers never meet.
package search
