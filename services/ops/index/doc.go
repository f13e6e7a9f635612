// Package index is what operators do to the similarity index: look how it
// stands, compare it with the store, fill it anew, change its model, and put
// operating points of a model in force.
//
// It decides which generation is filled and which is dropped, and that no model
// serves without operating points. How an index is compared and written is in
// package vector and in its drivers.
package index
