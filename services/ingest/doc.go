// Package ingest accepts what publishers send: finished sessions over the bus
// and over HTTP, and proposals over HTTP.
//
// It decides who is speaking, what is refused on arrival and why. Nothing is
// written before it was redacted. Of a session it stores every turn with the
// origin of its words (package trust) in the form of package transcript, infers
// the outcome where none is stated, and emits memory.session.ingested for
// distill. The same session is stored once in a scope, however often it is
// published.
//
// A session also judges what was recorded in it before it arrived: a text that
// proves to carry words from outside goes back to review.
//
// The effect of a proposal is one event in the outbox, committed like any other
// change. From there on it is handled like every proposal.
package ingest
