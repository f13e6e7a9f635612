// Package index implements the operators' commands on the similarity index: show
// its state, compare the index with the store, rebuild it, change its model, and
// put operating points of a model in force.
//
// The package decides which generation is filled and which is dropped, and that
// a model without operating points never serves. Package vector and its drivers
// compare and write an index.
package index
