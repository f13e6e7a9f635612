// Package judge decides what becomes of a proposal: promoted, rejected, merged,
// left for a person, or quarantined.
//
// The heart is a pure function, [Decide]: policy, features and neighbours in,
// decision out. It asks no clock, no model and no store, so the same input
// gives the same verdict in a year ([Replay] proves it). Package wording reads
// the features from the text alone; the neighbours come from the [Lane], the
// state of one scope in memory; what a verdict changes is an [Outcome], data
// again, which the worker turns into a change.Set. The table of rules is in
// rules.go and rules_near.go, the shipped policies are in policies.
//
// When it is unsure it asks a person. A wrong promotion pollutes every later
// session, a wrong rejection loses knowledge silently; a needless question
// costs ten seconds.
package judge
