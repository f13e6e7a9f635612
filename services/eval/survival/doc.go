// Package survival simulates what automation does to a store in the long run: a year of
// weekly consolidations by a model that errs, and a month of proposals that are mostly
// junk.
//
// Both go through the code that ships, with a fixed seed and without a store, so that
// the report and the plots are the same on every machine. The year counts what was lost,
// what a person could restore, and how much of the erosion budget was used; the month
// counts how much junk became memory. `winnow eval survival` prints both.
package survival
