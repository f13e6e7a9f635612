// Package lexical decides how alike two texts are by their words alone, without
// a model, and finds the texts of a scope that are worth comparing.
//
// The similarity of two texts depends on nothing but these two texts and on
// constants of this package: no corpus statistics, so that a decision that was
// made in March gives the same number in May, whatever the scope has learned
// since. Its calibration id names those constants. Only the choice of
// candidates ([Index]) looks at the corpus, and the candidates of a decision
// are stored with it.
package lexical
