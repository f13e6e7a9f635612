// Package judge decides what becomes of a proposal: promoted, rejected, merged, left
// for a person, or quarantined.
//
// [Decide] is a pure function from policy, features and neighbours to a decision. It
// reads no clock, no model and no store, so the same input gives the same verdict in
// a year; [Replay] proves it. Package wording extracts the features from the text
// alone. The neighbours come from the [Lane], the state of one scope in memory. The
// changes of a verdict are an [Outcome], plain data that the worker turns into a
// change.Set. The table of rules is in rules.go and rules_near.go; the shipped
// policies are in policies.
//
// Where no rule is certain, a person decides. A wrong promotion pollutes every later
// session, a wrong rejection loses knowledge silently, and a needless question costs
// ten seconds.
package judge
