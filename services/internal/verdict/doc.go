// Package verdict says what became of a proposal, in words for whoever made it.
//
// It decides nothing about the proposal: it reads the decision that triage, a rule or a
// person made, and waits for it where somebody wants to know at once.
package verdict
