// Package simulation measures whether confidence finds out which memories are worth
// showing, with the code that the product runs and without a store.
//
// The world is made up: memories that help in most cases and memories that mislead in
// most cases, agents that work on topics, see what a search would show them, and seldom
// say anything about it. The same seed gives the same result on every machine.
package simulation
