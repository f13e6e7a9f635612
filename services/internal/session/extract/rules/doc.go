// Package rules extracts what a session teaches without a model: what a person
// asked to remember, corrected, decided or stated; errors with what fixed them;
// commands that worked after others had failed; what an agent wrote down when
// its context was compacted.
//
// A rule reads the turns and composes a sentence from their words. The sentence
// is a person's or an agent's own, never a file's or a web page's: of a tool's
// output at most the one line is quoted that says what went wrong. Every
// extraction is grounded by package extract before it is returned, so that a
// wrong rule can be useless but cannot invent.
//
// A missing lesson costs less than chatter: where a rule is in doubt it finds
// nothing.
//
// Everything computes on values and is safe for concurrent use.
package rules
