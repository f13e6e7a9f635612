// Package own scores the hand-labelled sets that were written for what goes wrong:
// siblings, paraphrases, descriptive sentences, fact-shaped poison, everyday secrets,
// questions in other words, a second set of proposals, and the recorded lessons of a
// strong model (SPEC §18). Each set goes through the suite of package eval that measures
// its kind, so that a figure here is a figure of the product.
//
// It decides what counts as right in each set, and which figures must not fall below the
// bars.
package own
