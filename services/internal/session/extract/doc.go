// Package extract decides what a session teaches: at most a few texts, each
// with the words of the session that prove it.
//
// There are two ways to extract. Package rules reads the turns itself and
// composes its sentences from their words. [Prompt] builds a question for a
// model, and [Parse] reads the answer, in JSON or in Markdown. In both cases
// [Ground] looks up every quotation in the trace and every name, path, number
// and address in the quotations, and drops what the session does not prove.
// [Proposals] decides whose word each text is. A model that invents, or obeys
// an instruction in the trace, thus gains nothing: it cannot name what was not
// said, and it cannot make words count for more than their speaker's.
//
// The whole package computes on values: no clock, no network, no I/O.
package extract
