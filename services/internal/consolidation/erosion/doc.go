// Package erosion bounds how much memory automation may take out of service without
// putting anything in its place (D10).
//
// Merging keeps what a text said: the archived source has a successor. A weekly
// deletion, a prune by confidence and hygiene have none, and a process that takes a few
// rows each time empties a store in a year although no single run looks wrong. So all of
// them ask one [Budget] first: per run and per month a share of the scope, and what is
// beyond it is left to a person. The package computes from counts alone; who archives,
// and which rows, is the caller's.
package erosion
