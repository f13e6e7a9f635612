// Package wire is the HTTP that the clients of models share: language models,
// embedders and rerankers. It decides what a failed request is ([Fault],
// [Unreadable]), whether the same request may go through later ([Class], [Retry]),
// and how long a server asks to be left alone.
//
// Errors carry the status and the server's error code, never its message or the
// address: servers repeat the text that they could not take, and an address may
// hold a password.
package wire
