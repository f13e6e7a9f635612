// Package calibrate derives what the scores of an embedding model mean: above which
// cosine two texts say the same, belong to one theme, or are about the same thing.
//
// These thresholds are named operating points, not constants (D2). The best cut for
// duplicates lies at 0.71 for one well-known model and at 0.91 for another, and 0.85 is
// wrong for both. So every model gets its points from labelled pairs, each with the
// confidence that the pairs allow; a point that they do not support is marked unsure.
// Without labels, scores of random pairs give anchors that are good enough to sort by,
// not to act on.
//
// Labelled pairs ship with Winnow, so that a model can be calibrated in an installation
// without labels of its own.
package calibrate
