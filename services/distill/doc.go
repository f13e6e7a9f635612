// Package distill decides what a stored session teaches, and proposes it.
//
// The worker reads a session after memory.session.ingested. A model draws the
// lessons where one is configured, otherwise rules do. Each lesson is sent as a
// proposal in the name of the session's publisher. The worker writes no memory:
// triage judges these proposals like all others (SPEC §6).
//
// A model contributes words only. Its words must stand in the session (package
// extract). The origin that they may claim follows from whose words they carry,
// not from what the answer claims (package trust). Package consult decides
// whether a model is asked, and accounts for the cost.
//
// A session always ends in a final state. It waits for an unavailable model an
// hour at most. Rules replace a model that refuses, or whose daily budget is
// spent. The session's row says so in plain words.
package distill
