// Package page decides the text of the Monday digest and the meaning of a reply: which
// questions are put to a person, in which words, within how many words; and which of
// them a reply such as "ok except 3n" decides, and how.
//
// Two rules come first. A person sees the exact text that would be stored, made
// harmless to look at, or is not asked about it. And a reply that is not understood as
// a whole decides nothing.
//
// Everything here is a pure function of its arguments. The caller owns the clock, the
// store and the channel. All of it is safe for concurrent use.
package page
