// Package keywords decides, in one pass over a text, which of a fixed set of
// words occur in it and where. It is the prefilter that lets redaction and
// injection detection skip nearly all of their expensive patterns on nearly
// all texts.
//
// It is an Aho-Corasick automaton over bytes, compiled to a dense transition
// table, and matches ASCII letters without regard to case. Words are compared
// as bytes: "key" is found inside "monkey", and callers that care look at the
// neighbouring bytes themselves.
package keywords
