// Package wire is the HTTP client that language models, embedders and rerankers share.
// It classifies failed requests ([Fault], [Unreadable]) and decides whether a request
// may be retried ([Class], [Retry]), and after which wait.
//
// Errors carry the status and the server's error code, never its message or the
// address: servers repeat the text that they could not take, and an address may
// hold a password.
package wire
