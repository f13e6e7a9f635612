// Package ingest is the intake over HTTP, for publishers that do not speak NATS
// and for messages that are better answered at once.
//
// It decides who is speaking, which bytes are refused at the door, and that
// nothing is written before it was redacted. The effect of a proposal is one
// event in the outbox, committed like any other change: from there it takes the
// way of every proposal.
package ingest
