// Package extract decides what a session teaches: at most a few texts, each with
// the words of the session that bear it out.
//
// There are two ways to them. [Rules] reads the turns itself and composes its
// sentences from their words. [Prompt] makes a question for a model and [Parse]
// reads the answer, in JSON or in Markdown. Whichever way, [Ground] looks up every
// quotation in the trace and every name, path, number and address in the
// quotations, and drops what the session does not bear out; and [Proposals] says
// whose word each text is. A model that invents or obeys an instruction in the
// trace thus gains nothing: it cannot name what was not said, and it cannot make
// words count for more than their speaker's.
//
// All of it computes on values: no clock, no network, nobody asked.
package extract
