// Package ingest takes in what publishers send: finished sessions over the bus
// and over HTTP, and proposals over HTTP.
//
// It decides who is speaking, what is refused at the door and why, and that
// nothing is written before it was redacted. Of a session it keeps every turn
// with the origin of its words (package trust) in the form of package
// transcript, infers how it ended where nobody says, and tells distill. The same
// session is kept once in a scope, however often it is published.
//
// A session also judges what was recorded in it before it arrived: a text that
// turns out to carry words from outside goes back to review.
//
// The effect of a proposal is one event in the outbox, committed like any other
// change: from there it takes the way of every proposal.
package ingest
