// Package rerank is the port of rerankers: models that read a question together with
// each candidate and score how well it answers.
//
// It is optional. Without one, or when it does not answer, a search has the order found
// before.
package rerank
