// Package calibrate decides what the numbers of an embedding model mean: from
// which cosine on two texts say the same, belong to one theme, or are about the
// same thing at all.
//
// Such numbers are names of operating points, not constants (D2). The best cut
// for duplicates lies at 0.71 for one well-known model and at 0.91 for another,
// and 0.85 is wrong for both. So every model gets its points from labelled
// pairs, each with the confidence that the pairs allow; a point that they do not
// allow is not given. Without labels, what random texts of the model look like
// gives anchors that are good enough to sort by, not to act on.
//
// Pairs that we wrote ship with Winnow, so that a model can be calibrated where
// nobody has labelled anything.
package calibrate
