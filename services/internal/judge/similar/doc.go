// Package similar estimates how likely it is that two texts say the same. It reads
// everything that the two texts alone tell: the cosine of their vectors, their words,
// and their specifics.
//
// None of these suffices. A vector of the static table is blind to a changed number
// and to "not"; words are blind to a paraphrase; specifics say what differs and not
// what is meant. Together they beat each alone on every set of pairs that we have.
//
// The score is evidence and never a reason to act: no reject, merge or archive rests
// on similarity alone (D3).
package similar
