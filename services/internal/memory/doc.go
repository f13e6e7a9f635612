// Package memory is the domain of Winnow. It defines proposals, memories and
// decisions, the origin of a text and the authority that follows from the origin,
// and the details of a text that must never be lost or altered.
//
// The package contains data and pure functions only: no clock, no context, no I/O.
// A caller passes the time as an argument. A verdict is therefore replayable: the
// same input gives the same answer, today and in a year.
//
// The terms are those of section 1 of the specification.
package memory
