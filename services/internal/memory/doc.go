// Package memory is the domain of Winnow: what a proposal, a memory and a
// decision are, where text came from and how much that allows, and which
// details of a text may never be lost or altered.
//
// Everything here is data and pure functions: no clock, no context, no I/O.
// Whoever needs the time passes it in. That is what makes a verdict replayable:
// the same input gives the same answer, today and in a year.
//
// The words are those of the specification's section 1.
package memory
