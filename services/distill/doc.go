// Package distill decides what a stored session teaches, and proposes it.
//
// It reads a session when ingest says that it is there, has lessons drawn from
// it, by a model where one is configured and by rules where not, and sends each
// as a proposal in the name of the session's publisher. It writes no memory:
// triage judges these proposals like all others (SPEC §6).
//
// A model gives words and nothing else. What it says must stand in the session
// (package extract), and what it may count for follows from whose words it
// carries, not from what the answer claims (package trust). Whether it is asked,
// and what that costs, is package consult's.
//
// A session always comes to an end: a model that is away is waited for, an hour
// at most; one that refuses, or whose day's budget is spent, is replaced by the
// rules; and the session's row says so in plain words.
package distill
