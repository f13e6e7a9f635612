// Package restate recognises a statement that is told again in other words.
//
// It takes two texts apart into what they say: words of meaning, names and amounts. It
// pairs what stands for one thing, by stem, by a shared meaning in WordNet, by the vectors
// of the static table, or by the amount that a number and its unit come to ("two weeks",
// "14 days"). Then it looks for an objection: a name or number that the other text lacks,
// an opposite, a denial that nothing in the other explains, two things that exchanged their
// partners, who does it and who suffers it exchanged. Where there is none, the share that is
// paired, the vectors and how little was copied tell how likely the two say the same.
//
// Who edits a statement copies it and changes a word; that is for others to judge (package
// wording), and nothing here holds of such a pair. Who says something again does it in an
// order and with words of their own, and says something else seldom with the same names,
// numbers and words throughout.
package restate
