// Package lexical computes how alike two texts are by their words alone, without a
// model, and finds the texts of a scope that are worth comparing.
//
// The similarity depends only on the two texts and on constants of this package,
// without corpus statistics. So a decision made in March gives the same number in
// May, whatever was stored in between. The calibration id names those constants. Only
// the choice of candidates ([Index]) reads the corpus, and the candidates of a
// decision are stored with it.
package lexical
