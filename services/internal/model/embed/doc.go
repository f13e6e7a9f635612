// Package embed is the port of embedding models: unit vectors whose dot product says
// how alike two texts are.
//
// Such a number belongs to one model. Every embedder therefore has an id that changes
// with anything that changes its vectors, and vectors of two ids are never compared
// (SPEC §9). A calibration says what a number means for a model; this package has no
// threshold.
//
// A memory is embedded by one text, for every use of the vector ([Text]). A text in
// which a model finds nothing has no vector: nil, not zeroes, and no error, so that one
// blank among a hundred texts costs only itself. Such a text is found by its words
// alone and is counted where vectors are counted.
//
// Package embedtest checks the drivers against this contract.
package embed
