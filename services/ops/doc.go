// Package ops is what operators do to the store from the command line: one file
// per family of commands. Like a worker, an operation that changes anything
// returns a change.Set; it never writes itself.
//
// Families with a part of their own stand below: index (the similarity index),
// vault (the files of memories) and demo (the sample week). What reads a person's
// machine is in package local, what measures in package eval.
package ops
