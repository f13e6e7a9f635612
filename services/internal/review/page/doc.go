// Package page decides what the Monday digest says and what an answer to it
// means: which questions are put to a person, in which words, within how many
// words; and which of them a reply such as "ok except 3n" decides, and how.
//
// Two rules stand above the rest. A person sees the exact text that would be
// stored, made harmless to look at, or is not asked about it. And a reply that
// is not understood as a whole decides nothing.
//
// Everything here is a pure function: what is asked comes in as values, and a
// clock, the store and the channel belong to the caller. All of it is safe for
// concurrent use.
package page
