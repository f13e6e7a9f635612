// Package http calls a reranker over HTTP, at any endpoint that speaks the protocol of
// Cohere and Jina: POST /v1/rerank with a model, a query and documents, answered by an
// index and a relevance_score for each.
//
// A search is waiting: there is one attempt within one timeout, and no retry.
package http
