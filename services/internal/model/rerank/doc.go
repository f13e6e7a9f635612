// Package rerank says what a search needs of a reranker: a model that reads a
// question together with each candidate and says how well it answers.
//
// It is optional. Where none is configured, or it does not answer, the order
// that was found without it stands.
package rerank
