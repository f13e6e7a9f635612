// Package ops implements the operators' commands on the store, with one file for
// each family of commands. Like a worker, an operation that changes rows returns
// a change.Set and never writes to the store itself.
//
// Larger families have a package of their own: index (the similarity index),
// vault (the files of memories) and demo (the sample week). Package local reads
// a person's machine; package eval measures.
package ops
