// Package ops is what operators do from the command line: one file per family
// of commands. Like a worker, an operation that changes anything returns a
// change.Set; it never writes itself.
package ops
