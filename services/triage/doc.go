// Package triage decides what becomes of a proposal: promoted, rejected,
// merged, left for a person, or quarantined.
//
// The heart is a pure function, [Decide]: policy, features and neighbours in,
// decision out. It asks no clock, no model and no store, so the same input
// gives the same verdict in a year ([Replay] proves it). Around it: features
// are read from the text alone ([Extract]), neighbours come from the [Lane],
// the state of one scope in memory, and what a verdict changes is an
// [Outcome], data again, which [Effects] turns into a change.Set.
//
// When it is unsure it asks a person. A wrong promotion pollutes every later
// session, a wrong rejection loses knowledge silently; a needless question
// costs ten seconds.
package triage
