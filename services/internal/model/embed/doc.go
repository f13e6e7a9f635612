// Package embed says what Winnow needs from an embedding model: unit vectors
// whose dot product says how alike two texts are.
//
// A number of that kind belongs to one model. Every embedder therefore has an
// id that changes with anything that changes its vectors, and vectors of two
// ids are never compared (SPEC §9). What a number means for a model, a
// calibration says; this package knows no threshold.
//
// One text stands for a memory, whatever the vector is for ([Text]). A text in
// which a model finds nothing has no vector: nil, not a vector of zeroes, and
// no error, so that one blank among a hundred texts costs only itself. Such a
// text is found by its words alone and is counted where vectors are counted.
//
// Package embedtest holds the drivers to this.
package embed
