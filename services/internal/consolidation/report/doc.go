// Package report says what a consolidation run did, or would do: its [Result] in ids,
// numbers and reasons for agents and logs, and the [Detail] of each step with the text
// that stands for others and how it differs from theirs.
//
// A result has no text of a memory, so that it can be shown where texts must not be.
// Everything here follows from the run's rows.
package report
